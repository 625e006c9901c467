package main

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// tracedFrame is a call in the tree that `replay --trace` shows and, with --json,
// prints.
type tracedFrame struct {
	Kind     string      `json:"kind"` // "call", "delegatecall", "create2" …
	From     string      `json:"from"`
	To       string      `json:"to"`
	Function string      `json:"function,omitempty"` // with argument names; empty when the code is unknown
	Input    string      `json:"input,omitempty"`    // selector, when the function is unknown
	Args     []tracedArg `json:"args,omitempty"`
	Value    string      `json:"value,omitempty"` // with its unit
	Gas      uint64      `json:"gasUsed"`
	Events   []traced    `json:"events,omitempty"` // what happened, in order
	Outcome  string      `json:"outcome"`
	Reason   string      `json:"reason,omitempty"`
	Returns  []string    `json:"returns,omitempty"`
}

type tracedArg struct {
	Name  string `json:"name,omitempty"`
	Value string `json:"value"`
}

// traced is one thing that happened in a frame: exactly one field is set.
type traced struct {
	Line  *tracedLine  `json:"line,omitempty"`
	Store *tracedStore `json:"store,omitempty"`
	Log   *tracedLog   `json:"log,omitempty"`
	Call  *tracedFrame `json:"call,omitempty"`
	Said  *string      `json:"console,omitempty"` // by console.log
	Left  string       `json:"left,omitempty"`    // that something is left out
}

type tracedLine struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Changed bool   `json:"changed,omitempty"`
	Text    string `json:"text,omitempty"` // of a changed line
}

type tracedStore struct {
	Variable string `json:"variable"` // or the slot it belongs to
	Slot     string `json:"slot"`
	Before   string `json:"before"`
	After    string `json:"after"`
}

type tracedLog struct {
	Name string      `json:"name"`
	Args []tracedArg `json:"args,omitempty"`
}

// Bounds of a trace; what is beyond is counted. Arbitrary: a trace is read by
// people.
const (
	maxTreeFrames = 500
	maxTreeLines  = 200 // of one frame
	maxTreeStores = 100 // likewise, and events
)

// tracer makes the trees of an execution.
type tracer struct {
	*replayed
	exec     *evm.Execution
	changed  map[bytecode.Position]string // the text of changed lines; their column is 0
	children [][]int                      // frames by parent
	values   map[storageKey]uint256.Int   // what storage held last, as far as it was seen
	frames   int                          // made so far

	positions map[bytecode.Location]bytecode.Position // looked up so far; without a file: none
}

type storageKey struct {
	address common.Address
	slot    uint256.Int
}

// callTrees makes a tree of each call of the sequence.
func callTrees(r *replayed, exec *evm.Execution, changed map[bytecode.Position]string) []*tracedFrame {
	t := &tracer{replayed: r, exec: exec, changed: changed, children: make([][]int, len(exec.Frames)), values: map[storageKey]uint256.Int{},
		positions: map[bytecode.Location]bytecode.Position{}}
	for i := range exec.Frames {
		if parent := exec.Frames[i].Parent; parent >= 0 {
			t.children[parent] = append(t.children[parent], i)
		}
	}
	var trees []*tracedFrame
	for i := range exec.Calls {
		tree := t.frame(exec.Calls[i].Frames[0])
		if exec.Calls[i].Outcome != evm.Success {
			tree.Reason = exec.Calls[i].Reason()
		}
		trees = append(trees, tree)
	}
	return trees
}

// changedLines are the lines that the report beside the reproducer is about, or the
// claim's own where there is no report.
func (r *replayed) changedLines() map[bytecode.Position]string {
	changed := map[bytecode.Position]string{}
	path := filepath.Join(filepath.Dir(filepath.Dir(r.path)), report.JSONFile)
	if data, err := files.ReadBounded(path, maxWorldFile); err == nil {
		if about, err := report.Read(data); err == nil {
			for _, l := range about.Lines {
				changed[bytecode.Position{File: l.File, Line: l.Line}] = strings.TrimSpace(l.Text)
			}
			return changed
		}
	}
	if claim := &r.reproducer.Claim; claim.Kind == "line" {
		changed[bytecode.Position{File: claim.File, Line: claim.Line}] = ""
	}
	return changed
}

var treeKinds = map[evm.CallKind]string{
	evm.KindTransaction: "call", evm.KindCall: "call", evm.KindCallCode: "callcode", evm.KindDelegateCall: "delegatecall",
	evm.KindStaticCall: "staticcall", evm.KindCreate: "create", evm.KindCreate2: "create2",
}

// frame makes the tree of one frame.
func (t *tracer) frame(index int) *tracedFrame {
	t.frames++
	f := &t.exec.Frames[index]
	out := &tracedFrame{
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

// name names an account, or the contract whose code the frame runs.
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

// named writes the names of accounts for their addresses, and large round numbers
// as Solidity has them.
func (t *tracer) named(text string) string {
	text = compact(text)
	if !strings.Contains(text, "0x") {
		return text
	}
	for _, s := range t.bundle.World.Senders {
		text = strings.ReplaceAll(text, s.Address.Hex(), t.name(s.Address, nil))
	}
	for _, in := range t.bundle.World.Instances {
		text = strings.ReplaceAll(text, in.Address.Hex(), t.name(in.Address, nil))
	}
	return text
}

// describeCall fills in function, arguments and what was returned.
func (t *tracer) describeCall(f *evm.Frame, out *tracedFrame) {
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
	if len(f.Input) < 4 {
		out.Input = "0x" + hex.EncodeToString(f.Input)
		return
	}
	out.Input = "0x" + hex.EncodeToString(f.Input[:4])
	if t.bundle.World.Cheats != nil && f.CodeAddress == cheatcode.Address {
		t.describeCheat(f, out)
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
func (t *tracer) describeCheat(f *evm.Frame, out *tracedFrame) {
	d, ok := cheatcode.Describe(f.Input, f.Output, f.Outcome == evm.Success)
	if !ok {
		return
	}
	out.To, out.Function, out.Input = "vm", d.Name, ""
	for _, text := range d.Arguments {
		out.Args = append(out.Args, tracedArg{Value: t.named(text)})
	}
	for _, text := range d.Results {
		out.Returns = append(out.Returns, t.named(text))
	}
}

// undone is a value that a frame that fails gives back.
type undone struct {
	key   storageKey
	value uint256.Int
}

// walk goes through the instructions of a frame's path, and finds at each what it
// did: straight-line blocks put calls, writes, events and lines into order.
func (t *tracer) walk(index int, out *tracedFrame) (undo []undone) {
	f := &t.exec.Frames[index]
	w := &walker{tracer: t, frame: f, out: out, children: t.children[index]}
	if f.Program != nil {
		for at, block := range f.Path {
			b := f.Program.Blocks[block]
			bytecode.Instructions(f.Program.Bytes[b.Start:b.End], func(pc uint32) bool {
				w.instruction(at, b.Start+pc)
				return at < len(f.Path)-1 || b.Start+pc != f.LastPC
			})
		}
	}
	w.rest()
	return w.undo
}

// walker is at one instruction of a frame.
type walker struct {
	*tracer
	frame    *evm.Frame
	out      *tracedFrame
	children []int
	accesses int // met so far
	logs     int
	lines    int
	stores   int
	last     tracedLine
	undo     []undone
}

func (w *walker) add(e traced) { w.out.Events = append(w.out.Events, e) }

// instruction adds what the instruction did.
func (w *walker) instruction(at int, pc uint32) {
	w.line(pc)
	f := w.frame
	if w.accesses < len(f.Storage) && f.Storage[w.accesses].PC == pc {
		w.access(&f.Storage[w.accesses])
		w.accesses++
	}
	if w.logs < len(f.Logs) && f.Logs[w.logs].PC == pc {
		w.log(&f.Logs[w.logs])
		w.logs++
	}
	if len(w.children) > 0 {
		if child := &w.exec.Frames[w.children[0]]; child.CallAt == at && child.CallPC == pc {
			w.call(w.children[0])
			w.children = w.children[1:]
		}
	}
}

// rest adds what the path is too short for.
func (w *walker) rest() {
	if w.frame.PathTruncated {
		w.add(traced{Left: "the path goes on; its lines are not recorded"})
	}
	for ; w.accesses < len(w.frame.Storage); w.accesses++ {
		w.access(&w.frame.Storage[w.accesses])
	}
	for ; w.logs < len(w.frame.Logs); w.logs++ {
		w.log(&w.frame.Logs[w.logs])
	}
	for _, child := range w.children {
		w.call(child)
	}
}

// call adds a frame that this one opened.
func (w *walker) call(child int) {
	if w.frames >= maxTreeFrames {
		if w.frames == maxTreeFrames {
			w.add(traced{Left: fmt.Sprintf("%d more calls", len(w.exec.Frames)-w.frames)})
			w.frames++
		}
		return
	}
	if f := &w.exec.Frames[child]; f.CodeAddress == cheatcode.Console {
		if text, ok := cheatcode.ConsoleText(f.Input); ok {
			w.frames++
			w.add(traced{Said: &text})
			return
		}
	}
	w.add(traced{Call: w.tracer.frame(child)})
}

// line adds the source line of an instruction, unless it is the last one shown.
func (w *walker) line(pc uint32) {
	at, known := w.position(bytecode.Location{Code: w.frame.Program.ID, PC: pc})
	if !known || at.File == w.last.File && at.Line == w.last.Line {
		return
	}
	text, changed := w.changed[bytecode.Position{File: at.File, Line: at.Line}]
	w.last = tracedLine{File: at.File, Line: at.Line, Changed: changed, Text: text}
	if w.lines++; w.lines > maxTreeLines {
		if w.lines == maxTreeLines+1 {
			w.add(traced{Left: "more lines"})
		}
		return
	}
	line := w.last
	w.add(traced{Line: &line})
}

// position is the bundle's, which takes a search.
func (t *tracer) position(at bytecode.Location) (bytecode.Position, bool) {
	p, known := t.positions[at]
	if !known {
		p, _ = t.bundle.Lines(at)
		t.positions[at] = p
	}
	return p, p.File != ""
}

// access follows what storage holds, and adds writes.
func (w *walker) access(s *evm.StorageAccess) {
	key := storageKey{s.Address, s.Slot}
	before, seen := w.values[key]
	if !seen {
		before = w.initial(key)
	}
	if !s.Write {
		w.values[key] = s.Value
		return
	}
	w.undo = append(w.undo, undone{key, before})
	w.values[key] = s.Value
	if w.stores++; w.stores > maxTreeStores {
		return
	}
	if w.parts(s, &before) {
		return
	}
	variable, kind := w.variable(s)
	w.add(traced{Store: &tracedStore{Variable: variable, Slot: s.Slot.Hex(), Before: w.word(&before, kind), After: w.word(&s.Value, kind)}})
}

// parts adds the writes to variables that share a slot, those that changed, and
// reports whether there were any.
func (w *walker) parts(s *evm.StorageAccess, before *uint256.Int) bool {
	found := false
	for _, v := range w.variables(s) {
		if !s.Base.Eq(&s.Slot) || !v.Slot.Eq(&s.Slot) || v.Bytes == 0 || v.Bytes == wordBytes {
			continue
		}
		old, now := part(before, &v), part(&s.Value, &v)
		if old.Eq(&now) {
			continue
		}
		found = true
		w.add(traced{Store: &tracedStore{Variable: v.Name, Slot: s.Slot.Hex(), Before: w.word(&old, v.Type), After: w.word(&now, v.Type)}})
	}
	return found
}

// part is what a variable holds of its slot. Where it lies comes from a file.
func part(word *uint256.Int, v *replay.Variable) uint256.Int {
	var x uint256.Int
	x.Rsh(word, 8*min(v.Offset, wordBytes))
	unused := 8 * (wordBytes - min(v.Bytes, wordBytes))
	x.Lsh(&x, unused)
	return *x.Rsh(&x, unused)
}

// variables are those of the contract whose storage it is: of an instance its own,
// since others' code may run on it.
func (w *walker) variables(s *evm.StorageAccess) []replay.Variable {
	for _, in := range w.bundle.World.Instances {
		if in.Address == s.Address && in.Contract != nil {
			return w.bundle.Variables[in.Contract.QualifiedName()]
		}
	}
	if c := contractOf(w.frame); c != nil {
		return w.bundle.Variables[c.QualifiedName()]
	}
	return nil
}

// initial is what the World holds.
func (w *walker) initial(key storageKey) uint256.Int {
	var value uint256.Int
	if a := w.bundle.World.Accounts[key.address]; a != nil {
		word := a.Storage[key.slot.Bytes32()]
		value.SetBytes32(word[:])
	}
	return value
}

// variable names the state variables that a slot belongs to, with their type when
// it is one of a plain value; else the slot.
func (w *walker) variable(s *evm.StorageAccess) (name, kind string) {
	var names []string
	for _, v := range w.variables(s) {
		if v.Slot.Eq(&s.Base) {
			names, kind = append(names, v.Name), v.Type
		}
	}
	derived := !s.Base.Eq(&s.Slot)
	switch {
	case len(names) == 0 && derived:
		return "slot " + s.Base.Hex() + "[…]", ""
	case len(names) == 0:
		return "slot " + shortWord(s.Slot.Hex()), ""
	case derived:
		return strings.Join(names, ", ") + "[…]", ""
	case len(names) > 1:
		return strings.Join(names, ", ") + " (one slot)", "packed"
	}
	return names[0], kind
}

// word shows a word of storage: an account by its name, a number as one.
func (w *walker) word(v *uint256.Int, kind string) string {
	address := common.Address(v.Bytes20())
	if name, known := w.space.NameOf(address); known && v.BitLen() > 64 && v.BitLen() <= 160 {
		return name
	}
	switch {
	case kind == "bool" && v.LtUint64(2):
		return fmt.Sprint(!v.IsZero())
	case kind == "packed", v.BitLen() > 128 && !strings.HasPrefix(kind, "uint"):
		return shortWord(v.Hex())
	}
	return compact(v.Dec())
}

// compact writes a long number that ends with zeros as Solidity can: 40.1e18, as
// amounts of ether and of most tokens are, or 5e10.
func compact(number string) string {
	digits := strings.TrimRight(number, "0")
	zeros := len(number) - len(digits)
	const many = 9 // of a gwei; fewer are counted at a glance
	if zeros < many || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return number
	}
	const unit = 18 // decimals of ether
	if len(number) < unit {
		return fmt.Sprintf("%se%d", digits, zeros)
	}
	whole, fraction := number[:len(number)-unit], strings.TrimRight(number[len(number)-unit:], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return whole + "e18"
}

// log adds an event.
func (w *walker) log(l *evm.Log) {
	if w.stores++; w.stores > maxTreeStores {
		return
	}
	out := &tracedLog{Name: "an anonymous event"}
	w.add(traced{Log: out})
	if len(l.Topics) == 0 {
		out.Args = []tracedArg{{Name: "data", Value: shortWord("0x" + hex.EncodeToString(l.Data))}}
		return
	}
	out.Name = "event " + l.Topics[0].Hex()
	c := contractOf(w.frame)
	if c == nil {
		return
	}
	e, err := c.ABI.EventByID(l.Topics[0])
	if err != nil {
		return
	}
	out.Name = e.RawName
	plain, decoded := evm.FormatArguments(e.Inputs.NonIndexed(), l.Data)
	topics := l.Topics[1:]
	for i := range e.Inputs {
		arg := tracedArg{Name: e.Inputs[i].Name, Value: "?"}
		switch {
		case e.Inputs[i].Indexed && len(topics) > 0:
			arg.Value = topic(e.Inputs[i:i+1], topics[0])
			topics = topics[1:]
		case !e.Inputs[i].Indexed && decoded && len(plain) > 0:
			arg.Value = plain[0]
			plain = plain[1:]
		}
		arg.Value = w.named(arg.Value)
		out.Args = append(out.Args, arg)
	}
}

// topic shows an indexed argument; of one that is no single word an event has the
// hash.
func topic(argument abi.Arguments, word common.Hash) string {
	switch argument[0].Type.T {
	case abi.IntTy, abi.UintTy, abi.BoolTy, abi.AddressTy, abi.FixedBytesTy:
		if texts, ok := evm.FormatArguments(abi.Arguments{{Type: argument[0].Type}}, word[:]); ok {
			return texts[0]
		}
	}
	return "hash " + shortWord(word.Hex())
}

// arguments decodes arguments with their names.
func (t *tracer) arguments(inputs abi.Arguments, data []byte) []tracedArg {
	texts, ok := evm.FormatArguments(inputs, data)
	if !ok {
		return []tracedArg{{Value: fmt.Sprintf("%d bytes", len(data))}}
	}
	var args []tracedArg
	for i, text := range texts {
		args = append(args, tracedArg{inputs[i].Name, t.named(text)})
	}
	return args
}
