package compile

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// sampleFile holds the output of solc 0.8.30 for testdata/sources/Market.sol.
var sampleFile = filepath.Join("testdata", "market.output.json")

// readSample reads the sample; -update makes it, and its input, anew.
func readSample(t testing.TB) []byte {
	t.Helper()
	if *golden.Update {
		input, err := debugInput(map[string]json.RawMessage{
			"sources": standardSources(t), "settings": json.RawMessage(`{"evmVersion":"paris"}`),
		}, attempts(solc.Version{Major: 0, Minor: 8, Patch: 30, Pre: ""}, &standardSettings{}, false)[0], solc.Version{Major: 0, Minor: 8, Patch: 30, Pre: ""})
		if err != nil {
			t.Fatal(err)
		}
		output, err := compiler(t, "0.8.30").Compile(t.Context(), input)
		if err != nil {
			t.Fatal(err)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, output, "", " "); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string][]byte{sampleFile: indented.Bytes(), strings.Replace(sampleFile, "output", "input", 1): input} {
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	text, err := os.ReadFile(sampleFile)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// nestedLegacy is an AST in the old form with so many blocks in each other.
func nestedLegacy(depth int) map[string]any {
	node := map[string]any{"name": "Block", "src": "0:1:0"}
	for range depth {
		node = map[string]any{"name": "Block", "src": "0:1:0", "children": []any{node}}
	}
	return map[string]any{"name": "SourceUnit", "src": "0:1:0", "children": []any{node}}
}

func standardSources(t testing.TB) json.RawMessage {
	t.Helper()
	return decoded(t, sampleInput(t, "Market.sol", nil))["sources"]
}

func decoded(t testing.TB, input json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	var in map[string]json.RawMessage
	if err := json.Unmarshal(input, &in); err != nil {
		t.Fatal(err)
	}
	return in
}

func TestReadPair(t *testing.T) {
	readSample(t)
	outputs, err := Read(sampleFile, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := outputs[0]
	if len(o.Contracts) != 4 || o.Sources[0].Text == nil || o.Input == nil || !o.KeepsLines() || o.Settings.EVMVersion != "paris" {
		t.Errorf("%d contracts, settings %+v", len(o.Contracts), o.Settings)
	}
}

// edit applies a change to the decoded sample, at the given path of keys.
func edit(t testing.TB, sample []byte, path string, change func(parent map[string]any, key string)) []byte {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal(sample, &root); err != nil {
		t.Fatal(err)
	}
	keys := strings.Split(path, "|")
	parent := root
	for _, key := range keys[:len(keys)-1] {
		parent = parent[key].(map[string]any)
	}
	if _, ok := parent[keys[len(keys)-1]]; !ok {
		t.Fatalf("the sample has no %s", path)
	}
	change(parent, keys[len(keys)-1])
	text, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func remove(parent map[string]any, key string) { delete(parent, key) }

func set(value any) func(map[string]any, string) {
	return func(parent map[string]any, key string) { parent[key] = value }
}

// TestReadErrors lists what is wrong with builds, and what we say about it.
func TestReadErrors(t *testing.T) {
	sample := readSample(t)
	const source, market = "sources|src/Market.sol", "contracts|src/Market.sol|Market"
	runtime := market + "|evm|deployedBytecode"
	cases := []struct {
		name   string
		output []byte
		limits reading.Limits
		kind   error
	}{
		{"truncated", sample[:5000], reading.Limits{}, reading.ErrSyntax},
		{"empty", nil, reading.Limits{}, reading.ErrSyntax},
		{"wrong type", []byte(`{"sources": {"a.sol": {"id": "zero"}}}`), reading.Limits{}, reading.ErrFormat},
		{"no AST", edit(t, sample, source+"|ast", remove), reading.Limits{}, ErrNoAST},
		{"legacy AST without places", edit(t, sample, source+"|ast", set(map[string]any{"name": "SourceUnit", "children": []any{map[string]any{"name": "Block"}}})), reading.Limits{}, reading.ErrFormat},
		{"legacy AST that is deep", edit(t, sample, source+"|ast", set(nestedLegacy(10))), reading.Limits{Depth: 5}, reading.ErrTooLarge},
		{"AST without nodes", edit(t, sample, source+"|ast", set(map[string]any{"a": 1})), reading.Limits{}, reading.ErrFormat},
		{"AST that is a list", edit(t, sample, source+"|ast", set([]any{})), reading.Limits{}, reading.ErrFormat},
		{"AST with a bad range", edit(t, sample, source+"|ast|src", set("0:x:0")), reading.Limits{}, reading.ErrFormat},
		{"AST after the end", edit(t, sample, source+"|ast|src", set("0:99999:0")), reading.Limits{}, ErrStale},
		{"AST of another source", edit(t, sample, source+"|ast|src", set("0:1:7")), reading.Limits{}, reading.ErrFormat},
		{"deep AST", sample, reading.Limits{Depth: 5}, reading.ErrTooLarge},
		{"large AST", sample, reading.Limits{ASTBytes: 1000}, reading.ErrTooLarge},
		{"no id", edit(t, sample, source+"|id", remove), reading.Limits{}, reading.ErrFormat},
		{"no code", edit(t, sample, market+"|evm|bytecode", remove), reading.Limits{}, reading.ErrFormat},
		{"no source map", edit(t, sample, runtime+"|sourceMap", remove), reading.Limits{}, ErrNoSourceMap},
		{"bad source map", edit(t, sample, runtime+"|sourceMap", set("1:2:0:-;a:b")), reading.Limits{}, reading.ErrFormat},
		{"long source map", edit(t, sample, runtime+"|sourceMap", set("1:2:0:-"+strings.Repeat(";", 5000))), reading.Limits{}, reading.ErrFormat},
		{"source map after the end", edit(t, sample, runtime+"|sourceMap", set("1:99999:0:-")), reading.Limits{}, ErrStale},
		{"bad code", edit(t, sample, runtime+"|object", set("60xx")), reading.Limits{}, reading.ErrFormat},
		{"link outside", edit(t, sample, runtime+"|linkReferences", set(map[string]any{"a.sol": map[string]any{"L": []any{map[string]any{"start": 99999, "length": 20}}}})), reading.Limits{}, reading.ErrFormat},
		{"immutable outside", edit(t, sample, runtime+"|immutableReferences", set(map[string]any{"7": []any{map[string]any{"start": -1, "length": 32}}})), reading.Limits{}, reading.ErrFormat},
		{"no contracts", edit(t, sample, "contracts", set(map[string]any{})), reading.Limits{}, reading.ErrNoContracts},
		{"no sources", edit(t, sample, "sources", remove), reading.Limits{}, ErrNoAST},
		{"too large", sample, reading.Limits{FileBytes: 1 << 20 / 16}, reading.ErrTooLarge},
		{"compile errors", []byte(`{"errors":[{"severity":"warning","message":"hm"},` + strings.Repeat(`{"severity":"error","formattedMessage":"ParserError: no\n --> a.sol:1:2\n"},`, 6) + `{"severity":"error","type":"JSONError","message":"bad key"}]}`), reading.Limits{}, solc.ErrCompile},
	}
	input, err := os.ReadFile(strings.Replace(sampleFile, "output", "input", 1))
	if err != nil {
		t.Fatal(err)
	}
	var messages strings.Builder
	for _, c := range cases {
		input := input
		if c.name == "no AST" { // with an input it can be compiled again
			input = nil
		}
		_, err := ReadSolc(input, c.output, "out.json", c.limits)
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want kind %v", c.name, err, c.kind)
		}
		fmt.Fprintf(&messages, "%s\n  %v\n", c.name, err)
	}
	golden.Check(t, "testdata/errors.txt", messages.String())
}

// TestReadABI: a contract whose ABI is refused is listed with the reason.
func TestReadABI(t *testing.T) {
	sample := readSample(t)
	tuples := any([]any{map[string]any{"name": "x", "type": "uint256"}})
	for range 40 {
		tuples = []any{map[string]any{"name": "x", "type": "tuple", "components": tuples}}
	}
	function := func(arguments any) any {
		return []any{map[string]any{"type": "function", "name": "f", "inputs": arguments}}
	}
	argument := func(name string) any { return []any{map[string]any{"name": "x", "type": name}} }
	for name, value := range map[string]any{
		"not a list":    map[string]any{},
		"unknown type":  function(argument("uint257x")),
		"wide word":     function(argument("uint257")),
		"large array":   function(argument("uint256[99999999999999]")),
		"large product": function(argument("uint256[9999][9999]")),
		"deep array":    function(argument("uint256" + strings.Repeat("[]", 1000))),
		"deep tuples":   function(tuples),
		"null":          nil,
	} {
		o, err := ReadSolc(nil, edit(t, sample, "contracts|src/Market.sol|Market|abi", set(value)), "out.json", reading.Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c := o.Contracts[0]; c.Name != "Market" || c.ABIError == "" || len(c.ABI.Methods) != 0 {
			t.Errorf("%s: contract %s, reason %q", name, c.Name, c.ABIError)
		}
	}
}

// TestReadABIPart: what is refused does not take the rest with it.
func TestReadABIPart(t *testing.T) {
	parsed, _, reason := new(abiEntries).parseABI(json.RawMessage(`[
		{"type":"function","name":"add","inputs":[{"name":"set","type":"Set.Data storage"}]},
		{"type":"function","name":"half","inputs":[{"name":"x","type":"uint256"}]}]`))
	if _, ok := parsed.Methods["half"]; !ok || len(parsed.Methods) != 1 {
		t.Errorf("methods %v", parsed.Methods)
	}
	if want := `1 of 2 entries of its ABI are refused: "Set.Data storage" is not a type`; reason != want {
		t.Errorf("reason %q", reason)
	}
}

// TestReadLinks checks both forms of placeholders, with and without references.
func TestReadLinks(t *testing.T) {
	const long = "src/a/rather/long/path/to/a/folder/Library.sol"
	names := placeholdersOf([]contractName{{"a.sol", "L"}, {long, "Library"}})
	hash := hex.EncodeToString(crypto.Keccak256([]byte("a.sol:L")))[:34]
	unknown := strings.Repeat("4f", 17)
	for text, want := range map[string]string{
		"73__a.sol:L_______________________________63": "a.sol:L",
		"73__L_____________________________________63": "a.sol:L",
		"73__" + long[:36] + "__63":                    long + ":Library",
		"73__$" + hash + "$__63":                       "a.sol:L",
		"73__$" + unknown + "$__63":                    unknown,
	} {
		digits, links := unlink(text, names)
		if len(links) != 1 || links[0].Library != want || links[0].Offset != 1 {
			t.Errorf("%s: %v", text, links)
		}
		if digits != "73"+strings.Repeat("0", 40)+"63" {
			t.Errorf("%s becomes %s", text, digits)
		}
	}
}

// TestReadMutilated replaces every value of the sample in turn, and random bytes
// of it: errors are fine, panics are not.
func TestReadMutilated(t *testing.T) {
	sample := readSample(t)
	var root any
	if err := json.Unmarshal(sample, &root); err != nil {
		t.Fatal(err)
	}
	var places []func(value any) (undo func())
	collect(root, &places)
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	values := []any{nil, -1, 1e18, "", "\x00", "999999999:999999999:99", []any{}, map[string]any{}, true}
	for i, place := range places[:min(len(places), 300)] {
		undo := place(values[i%len(values)])
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		undo()
		_, _ = ReadSolc(nil, text, "out.json", reading.Limits{})
	}
	for range 100 {
		text := bytes.Clone(sample)
		for range 1 + random.IntN(4) {
			text[random.IntN(len(text))] = `"{}[]:,0a-`[random.IntN(10)]
		}
		_, _ = ReadSolc(nil, text, "out.json", reading.Limits{})
	}
}

// collect lists setters for every value below v, which return their undoing.
func collect(v any, places *[]func(any) func()) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			old := v[key]
			*places = append(*places, func(value any) func() {
				v[key] = value
				return func() { v[key] = old }
			})
			collect(old, places)
		}
	case []any:
		for i, old := range v {
			*places = append(*places, func(value any) func() {
				v[i] = value
				return func() { v[i] = old }
			})
			collect(old, places)
		}
	}
}

func FuzzReadSolc(f *testing.F) {
	f.Add([]byte(nil), []byte(tooDeepOutput))
	f.Add([]byte(`{"sources":{"a":{"content":"contract A {}"}}}`), []byte(`{"sources":{"a":{"id":0,"ast":{"nodeType":"SourceUnit","src":"0:13:0","nodes":[{"nodeType":"ContractDefinition","src":"0:13:0","name":"A"}]}}},`+
		`"contracts":{"a":{"A":{"abi":[],"evm":{"bytecode":{"object":"6000","sourceMap":"0:13:0:-"},"deployedBytecode":{"object":"00","sourceMap":"0:13:0:-"}}}}}}`))
	f.Add([]byte(`{"sources":{"a":{"content":"contract A is B { function A() c { for (;;) d; } modifier c { _; } }"}}}`),
		[]byte(`{"sources":{"a":{"id":0,"legacyAST":{"name":"SourceUnit","children":[{"name":"ContractDefinition","id":9,"src":"0:66:0","attributes":{"name":"A","isLibrary":false,"linearizedBaseContracts":[9]},`+
			`"children":[{"name":"InheritanceSpecifier","src":"14:1:0","children":[{"name":"UserDefinedTypeName","src":"14:1:0","attributes":{"name":"B.C"}}]},`+
			`{"name":"FunctionDefinition","id":8,"src":"18:29:0","attributes":{"name":"A","constant":false},"children":[{"name":"ParameterList","src":"28:2:0","children":[]},null,`+
			`{"name":"ModifierInvocation","src":"31:1:0","children":[{"name":"Identifier","src":"31:1:0","attributes":{"value":"c","type":"modifier ()"}}]},`+
			`{"name":"ForStatement","src":"35:11:0","children":[{"name":"ExpressionStatement","src":"44:1:0"}]}]}]}]}}},`+
			`"contracts":{"a":{"A":{"abi":[],"evm":{"bytecode":{"object":"6000","sourceMap":"0:13:0:-"},"deployedBytecode":{"object":"00","sourceMap":"0:13:0:-"}}}}}}`))
	f.Fuzz(func(t *testing.T, input, output []byte) {
		o, err := ReadSolc(input, output, "out.json", reading.Limits{FileBytes: 1 << 20})
		if err != nil {
			return
		}
		checkConsistent(t, o)
	})
}

// checkConsistent checks what holds of every output that was accepted.
func checkConsistent(t *testing.T, o *Output) {
	t.Helper()
	texts := map[int][]byte{}
	for _, s := range o.Sources {
		texts[s.ID] = s.Text
		s.AST.Walk(func(n *Node) bool {
			if n.Start >= 0 && (n.File != s.ID || s.Text != nil && n.End() > len(s.Text)) {
				t.Errorf("%s at %d:%d:%d of %d bytes", n.Type, n.Start, n.Length, n.File, len(s.Text))
			}
			return true
		})
	}
	if o.Input != nil && !json.Valid(o.Input) {
		t.Errorf("the input is not JSON: %q", o.Input)
	}
	for _, c := range o.Contracts {
		checkMap(t, c.Creation, c.CreationMap, texts)
		checkMap(t, c.Runtime, c.RuntimeMap, texts)
	}
}

// checkMap checks a source map against the code and the sources' texts, by id.
func checkMap(t *testing.T, code *bytecode.Code, m SourceMap, texts map[int][]byte) {
	t.Helper()
	if code == nil && len(m) > 0 || code != nil && len(m) > len(code.Bytes) {
		t.Errorf("%d entries for %v", len(m), code)
	}
	for i := range m {
		e := m.At(i)
		if text, ok := texts[e.File]; e.File >= 0 && (!ok || e.Start < 0 || e.Length < 0 || text != nil && e.Start+e.Length > len(text)) {
			t.Errorf("entry %v", e)
		}
	}
	if code == nil {
		return
	}
	for _, l := range code.Links {
		if int(l.Offset)+20 > len(code.Bytes) {
			t.Errorf("link %v in %d bytes", l, len(code.Bytes))
		}
	}
	for _, r := range code.Immutables {
		if r.Start >= r.End || int(r.End) > len(code.Bytes) {
			t.Errorf("immutable %v in %d bytes", r, len(code.Bytes))
		}
	}
}
