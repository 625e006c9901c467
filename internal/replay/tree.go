package replay

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// callFrame is a call with everything that happens in it, in order: the tree that `replay`
// shows, in full with --trace, and prints with --json.
type callFrame struct {
	Kind     string     `json:"kind"` // "call", "delegatecall", "create2" …
	From     string     `json:"from"`
	To       string     `json:"to"`
	Function string     `json:"function,omitempty"` // empty if the code is unknown
	Input    string     `json:"input,omitempty"`    // selector, if the function is unknown
	Args     []argument `json:"args,omitempty"`
	Answers  bool       `json:"answers,omitempty"` // it is the attacker's contract, which does what the sequence says
	Value    string     `json:"value,omitempty"`   // with its unit
	Gas      uint64     `json:"gasUsed"`
	Events   []event    `json:"events,omitempty"` // in order
	Outcome  string     `json:"outcome"`
	Reason   string     `json:"reason,omitempty"`
	Returns  []string   `json:"returns,omitempty"`
}

type argument struct {
	Name  string `json:"name,omitempty"`
	Value string `json:"value"`
}

// event is something that happened in a frame: exactly one field is set.
type event struct {
	Line  *lineEvent  `json:"line,omitempty"`
	Store *storeEvent `json:"store,omitempty"`
	Log   *logEvent   `json:"log,omitempty"`
	Call  *callFrame  `json:"call,omitempty"`
	Said  *string     `json:"console,omitempty"` // by console.log
	Left  string      `json:"left,omitempty"`    // what is left out
}

type lineEvent struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Changed bool   `json:"changed,omitempty"`
	Text    string `json:"text,omitempty"` // of a changed line
}

type storeEvent struct {
	Variable string `json:"variable"` // or the slot, if no variable is known
	Slot     string `json:"slot"`
	Before   string `json:"before"`
	After    string `json:"after"`
}

type logEvent struct {
	Name string     `json:"name"`
	Args []argument `json:"args,omitempty"`
}

// Bounds of a tree; it says what is left out. Arbitrary: people read it.
const (
	maxTreeFrames = 500
	maxTreeLines  = 200 // of one frame
	maxTreeStores = 100 // of one frame, together with logs
)

// tracer makes the trees of an execution.
type tracer struct {
	*loaded
	exec     *evm.Execution
	changed  map[bytecode.Position]string // the text of changed lines; their column is 0
	children [][]int                      // frames by parent
	values   map[storageKey]uint256.Int   // of the storage that was read or written so far
	frames   int                          // made so far

	positions map[bytecode.Location]bytecode.Position // looked up so far; without a file: there is none
}

type storageKey struct {
	address common.Address
	slot    uint256.Int
}

// callTrees makes a tree of each call of the sequence.
func callTrees(l *loaded, exec *evm.Execution) []*callFrame {
	t := &tracer{loaded: l, exec: exec, changed: l.changedLines(), children: make([][]int, len(exec.Frames)),
		values: map[storageKey]uint256.Int{}, positions: map[bytecode.Location]bytecode.Position{}}
	for i := range exec.Frames {
		if parent := exec.Frames[i].Parent; parent >= 0 {
			t.children[parent] = append(t.children[parent], i)
		}
	}
	var trees []*callFrame
	for i := range exec.Calls {
		tree := t.frame(exec.Calls[i].Frames[0])
		if exec.Calls[i].Outcome != evm.Success {
			tree.Reason = exec.Calls[i].Reason()
		}
		trees = append(trees, tree)
	}
	return trees
}

// changedLines are the lines that the report is about, with their text; without a report,
// the claim's own.
func (l *loaded) changedLines() map[bytecode.Position]string {
	changed := map[bytecode.Position]string{}
	if l.report != nil {
		for _, line := range l.report.Lines {
			changed[bytecode.Position{File: line.File, Line: line.Line}] = strings.TrimSpace(line.Text)
		}
		return changed
	}
	if claim := &l.reproducer.Claim; claim.Kind == LineClaim {
		changed[bytecode.Position{File: claim.File, Line: claim.Line}] = ""
	}
	return changed
}

var treeKinds = map[evm.CallKind]string{
	evm.KindTransaction: "call", evm.KindCall: "call", evm.KindCallCode: "callcode", evm.KindDelegateCall: "delegatecall",
	evm.KindStaticCall: "staticcall", evm.KindCreate: "create", evm.KindCreate2: "create2",
}

// frame makes the tree of one frame.
func (t *tracer) frame(index int) *callFrame {
	t.frames++
	f := &t.exec.Frames[index]
	out := &callFrame{
		Kind: treeKinds[f.Kind], From: t.name(f.Caller, nil), To: t.name(f.CodeAddress, f), Gas: f.GasUsed, Outcome: f.Outcome.String(),
	}
	if !f.Value.IsZero() && f.Kind != evm.KindDelegateCall {
		out.Value = input.Ether(&f.Value)
	}
	t.describeCall(f, out)
	undo := t.walk(index, out)
	if f.Outcome != evm.Success {
		if f.Outcome == evm.Reverted {
			out.Reason = t.named(evm.FormatRevert(contractOf(f), f.Output))
		}
		for _, u := range slices.Backward(undo) {
			t.values[u.key] = u.value
		}
	}
	return out
}

func contractOf(f *evm.Frame) *bytecode.Contract {
	if f.Program == nil {
		return nil
	}
	return f.Program.Contract
}

// name names an account; if the World does not name it, the contract whose code the frame
// runs there, if there is one.
func (t *tracer) name(a common.Address, f *evm.Frame) string {
	if name, known := t.space.NameOf(a); known {
		return name
	}
	if f != nil {
		if c := contractOf(f); c != nil {
			return c.Name + "@" + shortWord(a.Hex())
		}
	}
	return a.Hex()
}

// named replaces the addresses of accounts by their names, and abbreviates a long round
// number.
func (t *tracer) named(text string) string {
	text = compact(text)
	if !strings.Contains(text, "0x") {
		return text
	}
	for _, s := range t.snapshot.World.Senders {
		text = strings.ReplaceAll(text, s.Address.Hex(), t.name(s.Address, nil))
	}
	for _, in := range t.snapshot.World.Instances {
		text = strings.ReplaceAll(text, in.Address.Hex(), t.name(in.Address, nil))
	}
	return text
}

// describeCall fills in the function, its arguments and its results.
func (t *tracer) describeCall(f *evm.Frame, out *callFrame) {
	contract := contractOf(f)
	creates := f.Kind == evm.KindCreate || f.Kind == evm.KindCreate2 || f.Program != nil && f.Program.Code != nil && f.Program.Code.Kind == bytecode.Creation
	if creates {
		out.Function = "new"
		if contract != nil {
			out.Function += " " + contract.Name
			if n := len(f.Program.Bytes); len(f.Input) >= n {
				out.Args = t.arguments(contract.ABI.Constructor.Inputs, f.Input[n:])
			}
		}
		return
	}
	out.Answers = contract == nil && f.CodeAddress == attacker.Address
	if len(f.Input) < 4 {
		if out.Answers {
			out.Returns = t.words(f)
		}
		out.Input = "0x" + hex.EncodeToString(f.Input)
		return
	}
	out.Input = "0x" + hex.EncodeToString(f.Input[:4])
	if t.snapshot.World.Cheats != nil && f.CodeAddress == cheatcode.Address {
		t.describeCheat(f, out)
		return
	}
	if out.Answers {
		t.describeCallback(f, out)
		return
	}
	if contract == nil {
		return
	}
	method, err := contract.ABI.MethodById(f.Input[:4])
	if err != nil {
		return
	}
	out.Function, out.Input = method.RawName, ""
	out.Args = t.arguments(method.Inputs, f.Input[4:])
	if f.Outcome == evm.Success {
		if texts, ok := evm.FormatArguments(method.Outputs, f.Output); ok {
			for _, text := range texts {
				out.Returns = append(out.Returns, t.named(text))
			}
		}
	}
}

// describeCheat fills in which cheatcode is called.
func (t *tracer) describeCheat(f *evm.Frame, out *callFrame) {
	d, ok := cheatcode.Describe(f.Input, f.Output, f.Outcome == evm.Success)
	if !ok {
		return
	}
	out.To, out.Function, out.Input = "vm", d.Name, ""
	for _, text := range d.Arguments {
		out.Args = append(out.Args, argument{Value: t.named(text)})
	}
	for _, text := range d.Results {
		out.Returns = append(out.Returns, t.named(text))
	}
}

// arguments decodes arguments with their names.
func (t *tracer) arguments(inputs abi.Arguments, data []byte) []argument {
	texts, ok := evm.FormatArguments(inputs, data)
	if !ok {
		return []argument{{Value: fmt.Sprintf("%d bytes", len(data))}}
	}
	var args []argument
	for i, text := range texts {
		args = append(args, argument{inputs[i].Name, t.named(text)})
	}
	return args
}
