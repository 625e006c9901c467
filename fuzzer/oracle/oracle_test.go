package oracle_test

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/long"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// A fixture is a Solidity source in testdata/ORACLE/fires or testdata/ORACLE/silent.
// Its first comments say how to run it:
//
//	// solc: 0.8.30 0.5.17      compilers, each makes a test
//	// run: set(3); get()       a sequence of calls of the last contract; several lines, several sequences
//	// needs: source map        the oracle is known to be wrong without
//
// A comment "// want MESSAGE" behind a line says that the oracle sees something
// there whose message begins like that, in at least one of the sequences, and
// once in each that it sees it in. It must see nothing else.
type fixture struct {
	path     string // below testdata
	text     string
	versions []string
	runs     []string
	needsMap bool
}

// kinds of fixtures: the folders that every oracle has.
var kinds = []string{"fires", "silent"}

var directive = regexp.MustCompile(`(?m)^// (solc|run|needs): (.*)$`)

// fixtures reads the fixtures of an oracle.
func fixtures(t *testing.T, id string) []fixture {
	t.Helper()
	var all []fixture
	for _, kind := range kinds {
		paths, err := filepath.Glob(filepath.Join("testdata", id, kind, "*.sol"))
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) == 0 {
			t.Errorf("oracle %s has no fixture in testdata/%s/%s", id, id, kind)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f := fixture{path: filepath.ToSlash(strings.TrimPrefix(path, "testdata"+string(filepath.Separator))), text: string(text)}
			for _, m := range directive.FindAllStringSubmatch(f.text, -1) {
				switch m[1] {
				case "solc":
					f.versions = append(f.versions, strings.Fields(m[2])...)
				case "run":
					f.runs = append(f.runs, m[2])
				case "needs":
					f.needsMap = m[2] == "source map"
				}
			}
			if len(f.versions) == 0 || len(f.runs) == 0 {
				t.Fatalf("%s: a fixture needs the comments \"// solc: VERSION…\" and \"// run: CALL; …\"", path)
			}
			if wants := len(testbuild.Wants(f.text)); wants > 0 != (kind == "fires") {
				t.Errorf("%s: %d comments \"// want\" in a fixture of kind %s", path, wants, kind)
			}
			all = append(all, f)
		}
	}
	return all
}

// TestFixtures runs every oracle on its fixtures, with what the source map tells
// and without. All fixtures of one compiler are compiled together.
func TestFixtures(t *testing.T) {
	for _, o := range oracle.Known() {
		if o.Check == nil {
			continue // its fixtures are run by campaigns: internal/pipeline/testdata/verdicts
		}
		byVersion := map[string][]fixture{}
		var versions []string
		for _, f := range fixtures(t, o.ID) {
			for _, v := range f.versions {
				if byVersion[v] == nil {
					versions = append(versions, v)
				}
				byVersion[v] = append(byVersion[v], f)
			}
		}
		for _, version := range versions {
			sources := map[string]string{}
			for _, f := range byVersion[version] {
				sources[f.path] = f.text
			}
			settings := map[string]any(nil)
			if o == oracle.ArbitraryWrite {
				settings = testbuild.Layouts()
			}
			project := testbuild.CompileWith(t, version, sources, settings)
			for _, f := range byVersion[version] {
				contracts := project.Contracts(f.path)
				t.Run(f.path+"@"+version, func(t *testing.T) { check(t, o, f, project, contracts) })
				if f.needsMap {
					continue
				}
				forgetChecks(contracts)
				t.Run(f.path+"@"+version+"/bare", func(t *testing.T) { check(t, o, f, project, contracts) })
			}
		}
	}
}

// TestViaIR: the IR generator puts asserts, too, into helpers without a source.
func TestViaIR(t *testing.T) {
	for _, o := range []*oracle.Oracle{oracle.Assertion, oracle.Panic} {
		sources := map[string]string{}
		var all []fixture
		for _, f := range fixtures(t, o.ID) {
			if slices.Contains(f.versions, "0.8.30") {
				all, sources[f.path] = append(all, f), f.text
			}
		}
		project := testbuild.CompileWith(t, "0.8.30", sources, map[string]any{"viaIR": true})
		for _, f := range all {
			t.Run(f.path, func(t *testing.T) { check(t, o, f, project, project.Contracts(f.path)) })
		}
	}
}

// TestOptimized: optimizers write panics and events in other ways.
func TestOptimized(t *testing.T) {
	const id = "assertion"
	sources := map[string]string{}
	var all []fixture
	for _, f := range fixtures(t, id) {
		switch strings.TrimSuffix(filepath.Base(f.path), ".sol") {
		case "caught", "handed-on", "computed", "event-of-a-library", "given-topic":
			all, sources[f.path] = append(all, f), f.text
		}
	}
	type build struct {
		version string
		ir      bool
		runs    int
	}
	builds := []build{{"0.8.30", false, 200}, {"0.8.30", true, 1}, {"0.8.17", true, 200}}
	if long.Asked() {
		builds = append(builds, build{"0.8.30", false, 1}, build{"0.8.30", true, 200}, build{"0.8.17", false, 1}, build{"0.8.17", false, 200}, build{"0.8.17", true, 1})
	}
	for _, b := range builds {
		project := testbuild.CompileWith(t, b.version, sources, map[string]any{
			"viaIR": b.ir, "optimizer": map[string]any{"enabled": true, "runs": b.runs},
		})
		for _, f := range all {
			t.Run(fmt.Sprintf("%s@%s/ir=%v/runs=%d", f.path, b.version, b.ir, b.runs), func(t *testing.T) {
				checkMessages(t, f, project.Contracts(f.path))
			})
		}
	}
}

// checkMessages compares how often the assertion oracle sees something in a fixture's
// sequences with what it sees in code that is not optimized: lines are not what they were.
func checkMessages(t *testing.T, f fixture, contracts []*bytecode.Contract) {
	t.Helper()
	plain := testbuild.Compile(t, "0.8.30", map[string]string{f.path: f.text}).Contracts(f.path)
	for _, run := range f.runs {
		if got, want := messages(t, f, contracts, run), messages(t, f, plain, run); !slices.Equal(got, want) {
			t.Errorf("%s: the oracle sees %q, without the optimizer %q", run, got, want)
		}
	}
}

func messages(t *testing.T, f fixture, contracts []*bytecode.Contract, run string) (seen []string) {
	t.Helper()
	exec := execute(t, bytecode.NewTable(contracts), lastContract(t, f, contracts), run)
	oracle.Assertion.Check(exec, func(o oracle.Observation) { seen = append(seen, o.Contract+": "+o.Message) })
	return seen
}

// forgetChecks makes contracts as they are without a source map.
func forgetChecks(contracts []*bytecode.Contract) {
	for _, c := range contracts {
		for _, code := range []*bytecode.Code{c.Creation, c.Runtime} {
			if code != nil {
				code.Checks, code.ChecksKnown, code.Traps = nil, false, nil
			}
		}
	}
}

// check runs a fixture's sequences and compares what the oracle sees.
func check(t *testing.T, o *oracle.Oracle, f fixture, project *testbuild.Project, contracts []*bytecode.Contract) {
	table := bytecode.NewTable(contracts)
	positions := project.Positions(table)
	wants := testbuild.Wants(f.text)
	met := map[int]bool{}
	last := lastContract(t, f, contracts)
	for _, run := range f.runs {
		exec := execute(t, table, last, run)
		lines := map[int]int{}
		o.Check(exec, func(seen oracle.Observation) {
			at, _ := positions.At(seen.Location)
			want, ok := wants[at.Line]
			if !ok || !strings.HasPrefix(seen.Message, want) {
				t.Errorf("%s: the oracle sees %q at %s", run, seen.Message, at)
			}
			if seen.Call == 0 || seen.Call >= len(exec.Calls) {
				t.Errorf("%s: seen in call %d of %d", run, seen.Call, len(exec.Calls))
			}
			met[at.Line] = true
			if lines[at.Line]++; lines[at.Line] > 1 {
				t.Errorf("%s: line %d is seen %d times", run, at.Line, lines[at.Line])
			}
		})
	}
	for line, want := range wants {
		if !met[line] {
			t.Errorf("line %d: the oracle does not see %q", line, want)
		}
	}
}

// lastContract is the one that the file declares last.
func lastContract(t *testing.T, f fixture, contracts []*bytecode.Contract) *bytecode.Contract {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^contract (\w+)`).FindAllStringSubmatch(f.text, -1)
	name := declared[len(declared)-1][1]
	for _, c := range contracts {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("%s: no contract %s", f.path, name)
	return nil
}

var (
	sender = common.HexToAddress("0x1000000000000000000000000000000000000001")
	place  = common.HexToAddress("0xc000000000000000000000000000000000000001")
)

// execute deploys a contract and runs calls like "set(3); get()".
func execute(t *testing.T, table *bytecode.Table, c *bytecode.Contract, calls string) *evm.Execution {
	t.Helper()
	world := &evm.World{
		Accounts: map[common.Address]*evm.Account{sender: {Balance: *new(uint256.Int).Lsh(uint256.NewInt(1), 96)}},
		Block:    evm.DefaultBlock(),
		Senders:  []evm.Sender{{Name: "user", Address: sender}},
	}
	machine, err := gethvm.New(world, table, evm.LiftCodeSizeLimits)
	if err != nil {
		t.Fatal(err)
	}
	seq := evm.Sequence{{From: sender, Create: true, Address: place, Data: c.Creation.Bytes}}
	for call := range strings.SplitSeq(calls, ";") {
		data, err := pack(c, strings.TrimSpace(call))
		if err != nil {
			t.Fatalf("%q: %v", call, err)
		}
		seq = append(seq, evm.Call{From: sender, To: place, Data: data})
	}
	exec, err := machine.Run(seq)
	if err != nil {
		t.Fatal(err)
	}
	if exec.Calls[0].Outcome != evm.Success {
		t.Fatalf("deployment: %s", exec.Calls[0].Reason())
	}
	return exec
}

// pack encodes a call of a function whose parameters are uint256 or int256.
func pack(c *bytecode.Contract, call string) ([]byte, error) {
	name, rest, _ := strings.Cut(call, "(")
	var args []any
	for _, text := range strings.FieldsFunc(strings.TrimSuffix(rest, ")"), func(r rune) bool { return r == ',' || r == ' ' }) {
		x, ok := new(big.Int).SetString(text, 10)
		if !ok {
			return nil, fmt.Errorf("%q is no number", text)
		}
		args = append(args, x)
	}
	return c.ABI.Pack(name, args...)
}

// TestOraclesAreComplete: an oracle without a document, or one that another could
// be taken for, is none.
func TestOraclesAreComplete(t *testing.T) {
	id := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`) // SARIF rule ids and configuration keys
	seen := map[string]bool{}
	for _, o := range oracle.Known() {
		if !id.MatchString(o.ID) || seen[o.ID] {
			t.Errorf("id %q: not unique, or not of lower-case words", o.ID)
		}
		seen[o.ID] = true
		if o.Title == "" || len(o.Doc) < 80 || !strings.HasSuffix(o.Doc, ".") {
			t.Errorf("%s: no title, or its Doc does not say much: %q", o.ID, o.Doc)
		}
		if (o.Check == nil) == (o.Examine == nil) {
			t.Errorf("%s checks nothing, or both checks and examines", o.ID)
		}
		if o.SWC != "" && !regexp.MustCompile(`^1[0-3]\d$`).MatchString(o.SWC) {
			t.Errorf("%s: SWC-%s does not exist", o.ID, o.SWC)
		}
	}
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !seen[e.Name()] && e.Name() != "scenes" {
			t.Errorf("testdata/%s belongs to no oracle", e.Name())
		}
	}
}
