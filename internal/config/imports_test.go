package config

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/worldfile"
)

// textReader reads files that are given by name.
func textReader(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
}

func readTexts(files map[string]string) *imports { return readImports(textReader(files)) }

// importsText is what carries over, in a line.
func importsText(f *imports) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	for _, s := range f.namedSenders() {
		add("%s=%s", s.Name, s.Address)
	}
	if f.seqLen > 0 {
		add("seqLen=%d", f.seqLen)
	}
	if f.maxValue != nil {
		add("maxValue=%s", f.maxValue.Dec())
	}
	if f.maxTime != nil {
		add("maxTime=%d", *f.maxTime)
	}
	if f.maxBlocks != nil {
		add("maxBlocks=%d", *f.maxBlocks)
	}
	for _, p := range f.prefixes {
		add("prefix=%s", p)
	}
	for _, filter := range f.filters {
		add("only=%v%v", filter.Only, filter.Names)
	}
	if f.all {
		add("all")
	}
	for _, c := range f.corpora {
		add("corpus=%s:%s", c.file, c.folder)
	}
	for _, s := range f.steps() {
		text, _ := json.Marshal([]any{s.Contract, s.Message.Function, s.Message.Named, s.Value.Text})
		add("%s", text)
	}
	return strings.Join(parts, " ")
}

// TestImports: what carries over of real-looking files, what is said to be left, and what
// cannot be meant so.
func TestImports(t *testing.T) {
	for name, tc := range map[string]struct {
		files             map[string]string
		want, line, notes string
	}{
		"none": {},
		"echidna": {
			files: map[string]string{"echidna.yaml": `
testMode: assertion
testLimit: 50000
sender: ["0x10000", "0x00a329c0648769a73afac7f9381e08fb43dbea70"]
seqLen: 50
prefix: crytic_
maxTimeDelay: 604800
maxBlockDelay: 0
maxValue: 100000000000000000000 # 100 eth
filterFunctions: ["Vault.pause()", "Vault.set(uint256,(address,bytes)[])"]
timeout: null
cryticArgs: []
`},
			want: "sender-10000=0x0000000000000000000000000000000000010000 sender-a329c0648769a73afac7f9381e08fb43dbea70=0x00a329C0648769a73afAC7F9381e08fb43DBEA70 " +
				"seqLen=50 maxValue=100000000000000000000 maxTime=604800 maxBlocks=0 prefix=crytic_ only=false[Vault.pause() Vault.set(uint256,(address,bytes)[])]",
			line: "echidna.yaml: sender, seqLen, prefix, maxTimeDelay, maxBlockDelay, maxValue, filterFunctions; not used: testMode, testLimit",
		},
		"whitelist":    {files: map[string]string{"echidna.yml": "filterBlacklist: false\nfilterFunctions: [V.a()]\n"}, want: "only=true[V.a()]"},
		"all":          {files: map[string]string{"echidna.yaml": "allContracts: true\n"}, want: "all", line: "echidna.yaml: allContracts"},
		"not all":      {files: map[string]string{"echidna.yaml": "allContracts: sometimes\n"}, notes: `allContracts: "sometimes" is neither true nor false`},
		"first counts": {files: map[string]string{"echidna.yaml": "seqLen: 5", "echidna.yml": "seqLen: 6"}, want: "seqLen=5"},
		"long":         {files: map[string]string{"echidna.yaml": "seqLen: 100"}, line: "echidna.yaml: seqLen"},
		"nothing":      {files: map[string]string{"echidna.config.yml": "workers: 4"}, line: "echidna.config.yml: nothing in it carries over; not used: workers"},
		"empty":        {files: map[string]string{"echidna.yaml": "# nothing\n"}, line: "echidna.yaml: nothing in it carries over"},
		"both": {files: map[string]string{"echidna.yaml": "seqLen: 5\nsender: [1]", "medusa.json": `{"fuzzing":{"callSequenceLength":9,"senderAddresses":["0x1","0x2"],"blockNumberDelayMax":3}}`},
			want: "sender-1=0x0000000000000000000000000000000000000001 sender-2=0x0000000000000000000000000000000000000002 seqLen=5 maxBlocks=3"},
		"corpora": {files: map[string]string{"echidna.yaml": "corpusDir: ./a/corpus/", "medusa.json": `{"fuzzing":{"corpusDirectory":"b"}}`}, want: "corpus=echidna.yaml:a/corpus corpus=medusa.json:b"},
		"corpus elsewhere": {files: map[string]string{"echidna.yaml": "corpusDir: ../corpus", "medusa.json": `{"fuzzing":{"corpusDirectory":"/b"}}`},
			notes: `corpusDir: "../corpus" is not a folder in the project's|corpusDirectory: "/b" is not a folder in the project's`},
		"no corpus": {files: map[string]string{"echidna.yaml": "corpusDir: null", "medusa.json": `{"fuzzing":{"corpusDirectory":""}}`}},
		"medusa": {
			files: map[string]string{"medusa.json": `{
	"fuzzing": {
		"workers": 10,
		"callSequenceLength": 20,
		"targetContracts": ["Token", "Harness"],
		"targetContractsBalances": ["0", "1.5e18"],
		"targetContractsInitFunctions": ["", "setUp"],
		"constructorArgs": {"Harness": {"_token": "DeployedContract:Token", "_p": {"a": "0x4d2", "b": [true, 5]}}},
		"initializationArgs": {"Harness": {"n": "7"}},
		"predeployedContracts": {},
		"deployerAddress": "0x30000",
		"senderAddresses": ["0x10000"],
		"blockTimestampDelayMax": 604800,
		"testing": {
			"stopOnFailedTest": true,
			"propertyTesting": {"enabled": true, "testPrefixes": ["property_", "crytic_"]},
			"excludeFunctionSignatures": ["Token.mint(address, uint256)"],
			"targetFunctionSignatures": []
		},
		"chainConfig": {"codeSizeCheckDisabled": true}
	},
	"compilation": {"platform": "crytic-compile"}
}`},
			want: `sender-10000=0x0000000000000000000000000000000000010000 seqLen=20 maxTime=604800 prefix=property_ prefix=crytic_ only=false[Token.mint(address,uint256)] ` +
				`["Token","",null,""] ["Harness","",[{"Name":"_token","Value":` + valueText("Token") + `},{"Name":"_p","Value":`,
			line: "medusa.json: callSequenceLength, targetContracts, targetContractsBalances, targetContractsInitFunctions, constructorArgs, initializationArgs, senderAddresses, " +
				"blockTimestampDelayMax, testPrefixes, excludeFunctionSignatures; not used: workers, deployerAddress, stopOnFailedTest, enabled, chainConfig, compilation",
		},
		"bad values": {
			files: map[string]string{"echidna.yaml": "sender: [me]\nseqLen: [1]\nprefix: \"\"\nmaxValue: -5\nmaxTimeDelay: 1e999999999\nfilterFunctions: [pause]\nfilterBlacklist: 7\nmaxBlockDelay: 0x\n"},
			notes: `sender: "me" is not a sender's address|seqLen: want a single value|prefix: "" is not a valid prefix|maxValue: "-5" is not an integer|maxTimeDelay: "1e999999999" is not an integer|` +
				`filterFunctions: "pause" is not of the form Contract.function(uint256)|filterBlacklist: "7" is neither true nor false|maxBlockDelay: "0x" is not an integer`,
		},
		"bad medusa": {
			files: map[string]string{"medusa.json": `{"fuzzing":{"senderAddresses":"0x1","targetContracts":[["A"]],"constructorArgs":{"A":[1]},"targetContractsBalances":["x"]}}`},
			notes: `senderAddresses: want a list|targetContracts: want a single value|constructorArgs: A: want the arguments by parameter name|targetContractsBalances: "x" is not an integer`,
		},
		"no YAML":    {files: map[string]string{"echidna.yaml": "a: ["}, notes: "echidna.yaml was not read: not valid YAML"},
		"no mapping": {files: map[string]string{"echidna.yaml": "- a"}, notes: "echidna.yaml was not read: want settings as key and value"},
		"no JSON":    {files: map[string]string{"medusa.json": "{"}, notes: "medusa.json was not read: not valid JSON"},
		"more JSON":  {files: map[string]string{"medusa.json": "{} {}"}, notes: "there is data after its end"},
		"alias":      {files: map[string]string{"echidna.yaml": "a: &a [0x1, 0x2]\nsender: *a\n"}, notes: "sender: want a list of addresses"},
		"bomb":       {files: map[string]string{"echidna.yaml": bomb()}, notes: "seqLen: want a single value"},
		"deep":       {files: map[string]string{"medusa.json": strings.Repeat("[", 5000)}, notes: "more than 32 levels"},
		"many":       {files: map[string]string{"echidna.yaml": "sender: [" + strings.Repeat("1, ", 40) + "]"}, notes: "at most 32 senders"},
	} {
		t.Run(name, func(t *testing.T) {
			f := readTexts(tc.files)
			if got := importsText(f); !strings.HasPrefix(got, tc.want) || tc.want == "" && got != "" {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
			if line := strings.Join(f.lines, "; "); tc.line != "" && line != tc.line {
				t.Errorf("it says\n%s\nwant\n%s", line, tc.line)
			}
			notes := strings.Join(f.notes, "\n")
			if tc.notes == "" && notes != "" {
				t.Errorf("notes %s", notes)
			}
			for _, want := range strings.Split(tc.notes, "|") {
				if !strings.Contains(notes, want) {
					t.Errorf("notes\n%s\nwithout %q", notes, want)
				}
			}
		})
	}
}

func valueText(text string) string {
	data, _ := json.Marshal(world.Value{Text: text, Place: "medusa.json"})
	return string(data)
}

// bomb is a small file that is a huge value, if aliases are followed.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1]\n")
	for i := range 20 {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 8), ", "))
	}
	return b.String() + "seqLen: *a20\n"
}

// TestImportsIsBeneath: flags and sightline.yml go over what others' files say.
func TestImportsIsBeneath(t *testing.T) {
	files := map[string]string{"echidna.yaml": "seqLen: 5\nsender: [0x10000]\n", "medusa.json": `{"fuzzing":{"targetContracts":["A"]}}`}
	for config, want := range map[string]string{
		"": "5 1 1",
		"seq-len: 8\nsenders: {me: \"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\"}\n": "8 me 1",
		"deploy: [{contract: B}]\n": "5 1 0",
	} {
		s := registered()
		if err := s.Apply("sightline.yml", []byte(config)); err != nil {
			t.Fatal(err)
		}
		if err := s.Import(textReader(files)); err != nil {
			t.Fatal(err)
		}
		p := &s.Unchecked().World.Plan.World
		senders := fmt.Sprint(len(p.Senders))
		if p.Senders[0].Name == "me" && len(p.Senders) == 1 {
			senders = "me"
		}
		if got := fmt.Sprintf("%s %s %d", s.Value("seq-len"), senders, len(p.ExtraSteps)); got != want {
			t.Errorf("%q: %s, want %s", config, got, want)
		}
	}
}

func FuzzEchidna(f *testing.F) {
	f.Add([]byte("sender: [0x10000]\nseqLen: 50\nmaxValue: 1e18\nfilterFunctions: [\"V.a(uint256)\"]\nprefix: crytic_\n"))
	f.Add([]byte(bomb()))
	fuzzImports(f, "echidna.yaml")
}

func FuzzMedusa(f *testing.F) {
	f.Add([]byte(`{"fuzzing":{"targetContracts":["A","B"],"constructorArgs":{"A":{"x":["1",{"y":null}]}},"senderAddresses":["0x10000"],"testing":{"propertyTesting":{"testPrefixes":["p_"]}}}}`))
	f.Add([]byte(`[[[[`))
	fuzzImports(f, "medusa.json")
}

func fuzzImports(f *testing.F, name string) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > MaxFile {
			return
		}
		s := registered()
		if err := s.Import(textReader(map[string]string{name: string(data)})); err != nil {
			t.Error(err)
		}
		read := &s.imported
		if len(read.senders) > worldfile.MaxSenders || len(read.targets) > maxImportedTargets || read.seqLen >= maxSeqLen {
			t.Errorf("%d senders, %d contracts, %d calls", len(read.senders), len(read.targets), read.seqLen)
		}
		if len(read.lines)+len(read.notes) == 0 {
			t.Error("nothing is said of a file that is there")
		}
	})
}

// importsTable lists what carries over.
func importsTable() string {
	var b strings.Builder
	b.WriteString("| of | key | becomes |\n| --- | --- | --- |\n")
	for _, tool := range importedTools {
		for _, k := range tool.keys {
			fmt.Fprintf(&b, "| %s | `%s` | %s |\n", tool.name, k.path, k.becomes)
		}
	}
	return b.String()
}

// TestImportsDocument holds the table of docs/configuration.md to the program.
func TestImportsDocument(t *testing.T) {
	const path = "../../docs/configuration.md"
	golden.Section(t, path, "imports", importsTable())
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Concat(importedTools[0].files, importedTools[1].files)
	for _, name := range names {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("%s does not name %s", path, name)
		}
	}
}
