package oracle_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"golang.org/x/tools/txtar"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// verdicts are pull requests on which campaigns run, in the tests of internal/pipeline. Their heads are the stage of
// TestScenes.
const verdicts = "../../internal/pipeline/testdata/verdicts"

// TestScenes shows oracles that look at a Scene what a campaign finds, without the campaign: testdata/scenes/NAME.txt has
// sequences of calls, in the text form of fuzzer/input, of the contracts that the pull request NAME of [verdicts] has in its
// head. Behind each is what the oracles see, in a change, in an audit, and where a change adds all contracts; alone means the latter two:
//
//	attackerContract Bank.deposit() value 1
//	attackerContract Bank.withdraw() on payment times 1 calls {Bank.withdraw()}
//	# reentrancy: high, Bank.sol:8, call 2: Bank is entered again by withdraw in the middle of withdraw, …
//	# audit only, ether-freezing: note, …
//
// Lines that begin with "##" are remarks. With -update the lines of what is seen are written anew; with -record NAME,…, sequences are searched for as well.
func TestScenes(t *testing.T) {
	files, err := filepath.Glob("testdata/scenes/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, file, newStageOf(t, name).shown(t, sequencesIn(string(text))))
		})
	}
}

// sequencesIn are the sequences of a file of scenes, without what is seen in them.
func sequencesIn(text string) (all []string) {
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		var calls []string
		for line := range strings.Lines(block) {
			if strings.HasPrefix(line, "## ") || !strings.HasPrefix(line, "#") {
				calls = append(calls, strings.TrimSpace(line))
			}
		}
		all = append(all, strings.Join(calls, "\n"))
	}
	return all
}

// stage is a World of a pull request's contracts, with machines on it.
type stage struct {
	name      string
	table     *bytecode.Table
	world     *evm.World
	space     *input.Space
	positions *diffmap.Positions
	machine   *gethvm.Reference
	tracer    *gethvm.Reference
	checking  map[*bytecode.Program]bool
	runs      int                                              // that oracles have asked for
	failing   int                                              // the one that fails; 0: none
	attempted func(*oracle.Oracle, bytecode.Location, [4]byte) // is told of what oracles look closely at; may be nil
}

// newStageOf compiles and deploys the head of a pull request, as the tests of internal/pipeline do: what the compiler answers is kept
// for both. Where no pull request has the name, testdata/scenes/NAME.sol is compiled.
func newStageOf(t *testing.T, name string) *stage {
	t.Helper()
	if text, err := os.ReadFile("testdata/scenes/" + name + ".sol"); err == nil {
		project := testbuild.Compile(t, "0.8.30", map[string]string{name + ".sol": string(text)})
		return newStage(t, name, project, project.Contracts(""), "")
	}
	archive, err := txtar.ParseFile(filepath.Join(verdicts, name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	version, settings := "0.8.30", map[string]any(nil)
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "solc":
			version = value
		case "settings":
			if err := json.Unmarshal([]byte(value), &settings); err != nil {
				t.Fatal(err)
			}
		case "layouts":
			settings = testbuild.Layouts()
		}
	}
	sources := map[string]string{}
	for _, f := range archive.Files {
		if source, ok := strings.CutPrefix(f.Name, "head/"); ok && path.Ext(source) == ".sol" {
			sources[source] = string(f.Data)
		}
	}
	project := testbuild.CompileWith(t, version, sources, settings)
	fork := "" // as the tests of internal/pipeline have it: where the compiler knows no newer one, SELFDESTRUCT still removes code
	if settings["evmVersion"] != nil || strings.HasPrefix(version, "0.4.") {
		fork = evm.Forks()[0]
	}
	return newStage(t, name, project, project.Contracts(""), fork)
}

func newStage(t *testing.T, name string, project *testbuild.Project, contracts []*bytecode.Contract, fork string) *stage {
	t.Helper()
	s := &stage{name: name, table: bytecode.NewTable(contracts), checking: map[*bytecode.Program]bool{}}
	made, _, err := world.Make(context.Background(), s.table, world.Options{Fork: fork})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s.world = world.WithOutsider(made, contracts)
	if s.space, err = input.NewSpace(s.world, input.SpaceOptions{}); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if s.machine, err = gethvm.New(s.world, s.table); err != nil {
		t.Fatal(err)
	}
	if s.tracer, err = gethvm.New(s.world, s.table, evm.WithTrace); err != nil {
		t.Fatal(err)
	}
	s.positions = project.Positions(s.table)
	return s
}

// shown is a file of scenes: sequences, each with what is seen.
func (s *stage) shown(t *testing.T, sequences []string) string {
	t.Helper()
	var blocks []string
	for _, text := range sequences {
		seq, err := input.Parse(s.space, "sightline-sequence v1\n"+text+"\n")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		blocks = append(blocks, text+"\n"+s.seen(t, seq))
	}
	return strings.Join(blocks, "\n")
}

// seen is what oracles see in a sequence, a line each.
func (s *stage) seen(t *testing.T, seq input.Sequence) string {
	t.Helper()
	modes := map[string][]string{}
	var lines []string
	s.examine(t, seq, func(o *oracle.Oracle, mode string, seen oracle.Observation) {
		at, _ := s.positions.At(seen.Location)
		line := fmt.Sprintf("%s: %s, %s:%d, call %d: %s", o.ID, severityOf(o, seen), path.Base(at.File), at.Line, seen.Call+1, seen.Message)
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
		modes[line] = append(modes[line], mode)
	})
	var out strings.Builder
	for _, line := range lines {
		in := func(mode string) bool { return slices.Contains(modes[line], mode) }
		switch {
		case in("change") && !in("audit"):
			line = "change only, " + line
		case !in("change") && in("audit") && in("addition"):
			line = "alone, " + line
		case in("addition") && !in("audit"):
			line = "addition only, " + line
		case in("audit") && !in("addition"):
			line = "audit only, " + line
		}
		out.WriteString("# " + line + "\n")
	}
	if out.Len() == 0 {
		return "# nothing\n"
	}
	return out.String()
}

// severityOf is that of what an oracle sees.
func severityOf(o *oracle.Oracle, seen oracle.Observation) oracle.Severity {
	if seen.Severity == oracle.Note {
		return o.Severity
	}
	return seen.Severity
}

// examine shows a sequence to the oracles that look at a Scene, in a change, in an audit, and as an addition.
func (s *stage) examine(t *testing.T, seq input.Sequence, report func(o *oracle.Oracle, mode string, seen oracle.Observation)) {
	t.Helper()
	calls := s.space.Encode(seq, nil)
	traced, err := s.tracer.Run(calls)
	if err != nil {
		t.Fatal(err)
	}
	trace := traced.Trace
	traced.Trace = nil // it is asked for
	var now *oracle.Oracle
	scene := &oracle.Scene{
		Exec: traced, World: s.world, New: true, Checking: s.checking,
		Calls: func() evm.Sequence { return calls },
		Run: func(calls evm.Sequence) (*evm.Execution, error) {
			if s.runs++; s.runs == s.failing {
				return nil, errors.New("the machine fails")
			}
			return s.machine.Run(calls)
		},
		State: s.machine.Export,
		Trace: func() *evm.Trace { return trace },
		Replaced: func(from int, account, by common.Address, data, with []byte) evm.Sequence {
			return s.space.Encode(replaced(seq, from, account, by, data, with), nil)
		},
		Attempt: func(at bytecode.Location, how [4]byte) bool {
			if s.attempted != nil {
				s.attempted(now, at, how)
			}
			return true
		},
	}
	for _, mode := range []string{"change", "audit", "addition"} {
		scene.Audit, scene.Added = mode == "audit", nil
		if mode == "addition" {
			for _, c := range s.table.Contracts() {
				scene.Added = append(scene.Added, c.QualifiedName())
			}
		}
		for _, o := range append(oracle.Known(), oracle.ThirdPartyLoss) {
			if now = o; o.Examine != nil {
				o.Examine(scene, func(seen oracle.Observation) { report(o, mode, seen) })
			}
		}
	}
}

// replaced is a sequence with another account wherever its calls from one on name one, and other bytes wherever an argument of
// theirs is some.
func replaced(seq input.Sequence, from int, account, by common.Address, data, with []byte) input.Sequence {
	var bytesIn func(v input.Value) input.Value
	bytesIn = func(v input.Value) input.Value {
		if len(data) > 0 && bytes.Equal(v.Bytes, data) {
			v.Bytes = with
		}
		v.Elems = slices.Clone(v.Elems)
		for i := range v.Elems {
			v.Elems[i] = bytesIn(v.Elems[i])
		}
		return v
	}
	out := seq.Clone()
	for i := from; i < len(out); i++ {
		c := &out[i]
		c.Args = slices.Clone(abi.ReplaceAddress(c.Args, c.Function.Inputs, account, by))
		for j := range c.Args {
			c.Args[j] = bytesIn(c.Args[j])
		}
	}
	return out
}

// TestFailingMachine: an oracle for which one of its runs fails, whichever that is, says nothing that is worse than what it would have said.
func TestFailingMachine(t *testing.T) {
	for _, name := range []string{"drain", "orders", "pots", "proxies", "views", "signature-reuse-own", "signature-reuse-sibling", "reentrancy-classic", "takeover-owner"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile("testdata/scenes/" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			s := newStageOf(t, name)
			for _, calls := range sequencesIn(string(text)) {
				seq, err := input.Parse(s.space, "sightline-sequence v1\n"+calls+"\n")
				if err != nil {
					t.Fatal(err)
				}
				s.runs, s.failing = 0, 0
				said := map[string]oracle.Severity{} // the worst, plus one
				s.examine(t, seq, func(o *oracle.Oracle, mode string, seen oracle.Observation) {
					said[mode+o.ID] = max(said[mode+o.ID], severityOf(o, seen)+1)
				})
				if len(said) == 0 {
					continue
				}
				for runs := s.runs; s.failing < runs; {
					s.failing++
					s.runs = 0
					s.examine(t, seq, func(o *oracle.Oracle, mode string, seen oracle.Observation) {
						if severityOf(o, seen) >= said[mode+o.ID] {
							t.Errorf("%s\nin a %s, where run %d fails, %s sees %q", calls, mode, s.failing, o.ID, seen.Message)
						}
					})
				}
			}
		})
	}
}
