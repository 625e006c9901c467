package diffmap

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// The tests in this file execute the fixtures of testdata/run. Each line under
// test logs a number of its own when it runs, p(12) the number 12; a line is
// reached by a call exactly if the call logs the number. The log is what the
// source means, so nothing is derived from source maps on that side.

// point matches the numbers that a line logs.
var point = regexp.MustCompile(`\b(?:p|yes)\((\d+)\)`)

// condition matches lines that decide whether their first number is logged.
var condition = regexp.MustCompile(`^.*?(\b(if|while|for|case|try|switch)\b|&&|\|\||\?).*?\b(?:p|yes)\(\d`)

// witness executes calls of one deployed contract and records what ran.
type witness struct {
	machine *gethvm.Reference
	deploy  evm.Call
	table   *bytecode.Table
	blocks  map[bytecode.Location]bool // starts of the blocks entered
	logged  map[int]bool
}

func newWitness(t *testing.T, table *bytecode.Table, c *compile.Contract) *witness {
	t.Helper()
	sender := common.HexToAddress("0x1000000000000000000000000000000000000001")
	rich := &evm.Account{Balance: *new(uint256.Int).Lsh(uint256.NewInt(1), 96)}
	world := &evm.World{
		Accounts: map[common.Address]*evm.Account{sender: rich}, Block: evm.DefaultBlock(),
		Senders: []evm.Sender{{Name: "user", Address: sender}},
	}
	machine, err := gethvm.New(world, table)
	if err != nil {
		t.Fatal(err)
	}
	return &witness{machine: machine, table: table, deploy: evm.Call{
		From: sender, Create: true, Address: common.HexToAddress("0xc000000000000000000000000000000000000001"), Data: c.Creation.Bytes,
	}}
}

// call deploys the contract and executes one call; reverting is no failure.
func (w *witness) call(data []byte) error {
	w.blocks, w.logged = map[bytecode.Location]bool{}, map[int]bool{}
	run, err := w.machine.Run(evm.Sequence{w.deploy, {From: w.deploy.From, To: w.deploy.Address, Data: data}})
	if err != nil {
		return err
	}
	if run.Calls[0].Outcome != evm.Success {
		return fmt.Errorf("deployment: %s", run.Calls[0].Reason())
	}
	for _, c := range run.Covered {
		if c.Call == 1 {
			w.blocks[bytecode.Location{Code: c.Code, PC: w.table.Program(c.Code).Blocks[c.Block].Start}] = true
		}
	}
	for _, frame := range run.Frames[run.Calls[1].Frames[0]:run.Calls[1].Frames[1]] {
		for _, log := range frame.Logs {
			if len(log.Data) == 32 {
				w.logged[int(binary.BigEndian.Uint64(log.Data[24:]))] = true
			}
		}
	}
	return nil
}

// reached reports whether an entry of the line was executed.
func (w *witness) reached(m *Mapping, l Line) bool {
	for _, i := range l.Targets {
		for _, e := range m.Targets[i].Entries {
			if w.blocks[e] {
				return true
			}
		}
	}
	return false
}

// TestLinesAreReachedWhenTheyRun runs every function of the fixtures with small
// arguments and compares what is reached with the logged numbers: of every line,
// and of every call p(12) as if it alone had changed.
func TestLinesAreReachedWhenTheyRun(t *testing.T) {
	for _, f := range fixtures(t, "testdata/run/*.sol") {
		t.Run(f.name+"-"+f.version, func(t *testing.T) {
			m, err := Map(f.outputs, f.table, wholeLines(f.name+".sol", f.text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var run *compile.Contract
			for _, c := range f.outputs[0].Contracts {
				if c.Name == "Run" {
					run = c
				}
			}
			single := singlePoints(t, f)
			f.table.Cut(m.Entries())
			for _, s := range single {
				f.table.Cut(s.mapping.Entries())
			}
			w := newWitness(t, f.table, run)
			lines := logging(string(f.text))
			ever := map[int]bool{}
			for _, data := range calldata(run) {
				if err := w.call(data.bytes); err != nil {
					t.Fatalf("%s: %v", data.name, err)
				}
				maps.Copy(ever, w.logged)
				compareRun(t, lines, m, w, data.name)
				compareSingle(t, f, single, w, data.name)
			}
			for _, number := range points(string(f.text)) {
				if !ever[number] {
					t.Errorf("no call logs %d: the fixture proves nothing of that line", number)
				}
			}
		})
	}
}

// singlePoint is a call p(12), mapped as the only change.
type singlePoint struct {
	number  int
	mapping *Mapping
}

// singlePoints maps every p(12) outside of comments: the call, and its number.
func singlePoints(t *testing.T, f fixture) []singlePoint {
	t.Helper()
	lines := newLineTable(f.text)
	var list []singlePoint
	for _, at := range point.FindAllSubmatchIndex(f.text, -1) {
		line := lines.lineOf(at[0])
		if strings.Contains(string(f.text[lines[line-1]:at[0]]), "//") {
			continue
		}
		number, _ := strconv.Atoi(string(f.text[at[2]:at[3]]))
		for _, span := range []unified.Span{{Start: at[0], End: at[1]}, {Start: at[2], End: at[3]}} {
			m, err := Map(f.outputs, f.table, []unified.ChangedLine{{Path: f.name + ".sol", Line: line, Kind: unified.LineEdited, Spans: []unified.Span{span}}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, singlePoint{number, m})
		}
	}
	return list
}

// compareSingle checks every call that logs a number, and reports each once.
func compareSingle(t *testing.T, f fixture, list []singlePoint, w *witness, name string) {
	t.Helper()
	for _, s := range list {
		l := s.mapping.Lines[0]
		if l.Status == Unmapped {
			continue
		}
		if ran := w.logged[s.number]; w.reached(s.mapping, l) != ran {
			t.Errorf("%s: p(%d) alone, line %d, ran: %v, reached: %v (%s %s)", name, s.number, l.Position.Line, ran, !ran, l.Status, l.Reason)
		}
	}
}

// loggingLine is a line that logs numbers.
type loggingLine struct {
	text    string
	numbers []int
	partly  bool // what stands before the first number runs without it
}

// logging is the lines of a source that log numbers, by their own, which count from 1.
func logging(source string) map[int]loggingLine {
	all := map[int]loggingLine{}
	for i, text := range strings.Split(source, "\n") {
		if numbers := points(text); len(numbers) > 0 && !strings.HasPrefix(strings.TrimSpace(text), "//") {
			all[i+1] = loggingLine{text, numbers, condition.MatchString(text)}
		}
	}
	return all
}

// compareRun checks every line that logs one number.
func compareRun(t *testing.T, lines map[int]loggingLine, m *Mapping, w *witness, name string) {
	t.Helper()
	for _, l := range m.Lines {
		line, ok := lines[l.Position.Line]
		if !ok || l.Status == Unmapped {
			continue // said so, and claims nothing
		}
		ran := slices.ContainsFunc(line.numbers, func(n int) bool { return w.logged[n] })
		if !ran && line.partly {
			continue
		}
		if w.reached(m, l) != ran {
			t.Errorf("%s: line %d ran: %v, reached: %v: %s", name, l.Position.Line, ran, !ran, line.text)
		}
	}
}

func points(text string) []int {
	var numbers []int
	for _, match := range point.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(match[1])
		numbers = append(numbers, n)
	}
	return numbers
}

type namedCall struct {
	name  string
	bytes []byte
}

// calldata is every function with all small arguments, an unknown selector and
// no data at all.
func calldata(c *compile.Contract) []namedCall {
	calls := []namedCall{{"no data", nil}, {"unknown selector", []byte{1, 2, 3, 4}}}
	for _, name := range slices.Sorted(maps.Keys(c.ABI.Methods)) {
		method := c.ABI.Methods[name]
		arguments := [][]*big.Int{{}}
		for range method.Inputs {
			var longer [][]*big.Int
			for _, prefix := range arguments {
				for _, v := range []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 120} {
					longer = append(longer, append(slices.Clone(prefix), big.NewInt(v)))
				}
			}
			arguments = longer
		}
		for _, list := range arguments {
			data := slices.Clone(method.ID)
			for _, v := range list {
				data = append(data, common.BigToHash(v).Bytes()...)
			}
			calls = append(calls, namedCall{fmt.Sprint(name, list), data})
		}
	}
	return calls
}
