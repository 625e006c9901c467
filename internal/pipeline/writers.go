package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// This file says which functions write what decides at a barrier, and who may call them.

// storedIn is the read from storage that yielded an operand, the last one; nil: none did.
func (v *view) storedIn(s *side) *evm.StorageAccess {
	if s.known && !s.taint.Any(evm.FromStorage) {
		return nil
	}
	return v.readLast(&s.value)
}

// readLast is the last read of the frame that yielded a value, or a word that holds it.
func (v *view) readLast(value *uint256.Int) *evm.StorageAccess {
	f := &v.exec.Frames[v.frame]
	for i := len(f.Storage) - 1; i >= 0; i-- {
		if a := &f.Storage[i]; !a.Write && a.Value == *value {
			return a
		}
	}
	for i := len(f.Storage) - 1; i >= 0; i-- {
		if a := &f.Storage[i]; !a.Write && holds(a, value) {
			return a
		}
	}
	return nil
}

// holds reports whether a value is a part of the word that was read, at a byte's limit.
func holds(a *evm.StorageAccess, value *uint256.Int) bool {
	if a.Value == *value {
		return true
	}
	width := max(uint(value.BitLen()), 1)
	mask := new(uint256.Int).Lsh(uint256.NewInt(1), (width+7)/8*8)
	mask.SubUint64(mask, 1)
	for shift := uint(0); shift < 256; shift += 8 {
		part := new(uint256.Int).Rsh(&a.Value, shift)
		if part.And(part, mask).Eq(value) {
			return true
		}
	}
	return false
}

// stateVariable is a variable in storage.
type stateVariable struct {
	name string // with keys, as far as they are known: "isKeeper[msg.sender]"
	root string // without
	kind string // its type; empty: not known
}

// variable is the variable that was read.
func (v *view) variable(a *evm.StorageAccess) stateVariable {
	f := &v.exec.Frames[v.frame]
	const longest = 60 // bytes of an expression; arbitrary
	text := ""
	if f.Program != nil {
		text, _ = v.head.Positions.TextAt(bytecode.Location{Code: f.Program.ID, PC: a.PC})
	}
	found := stateVariable{}
	for _, known := range v.layoutOf(f) {
		if known.Slot != a.Base || found.root != "" && !strings.Contains(text, known.Name) {
			continue
		}
		if found.root == "" || !strings.Contains(text, found.root) {
			found = stateVariable{known.Name, known.Name, known.Type}
		}
	}
	root := rootOf(text)
	declared, _, isDeclared := strings.Cut(text, "=")
	if words := strings.Fields(declared); isDeclared && len(words) > 1 || root == "" || strings.HasPrefix(text, "mapping") || len(words) > 1 && words[0] == root && !strings.ContainsAny(text, "[(.") {
		root = "" // a getter, of a variable's declaration
		if len(words) > 1 {
			root = words[len(words)-1]
		}
		text = root
	}
	switch {
	case found.root == "" && root == "":
		return stateVariable{name: "slot " + a.Base.Hex()}
	case found.root == "":
		found = stateVariable{root, root, ""}
	}
	caller := new(uint256.Int).SetBytes(f.Caller[:])
	switch {
	case root == found.root && len(text) <= longest && text != root:
		found.name = text
	case slices.Contains(a.Keys.Words[:a.Keys.Count], *caller):
		found.name += "[msg.sender]"
	case a.Base != a.Slot:
		found.name += "[…]"
	}
	return found
}

// layoutOf are the state variables of the contract that a frame runs.
func (v *view) layoutOf(f *evm.Frame) []replay.Variable {
	all := v.stateVariables()
	if f.Program == nil || f.Program.Contract == nil {
		return nil
	}
	return all[f.Program.Contract.QualifiedName()]
}

// isAddress reports whether what was read is a variable for an account or a contract.
func (v *view) isAddress(a *evm.StorageAccess) bool {
	kind := v.variable(a).kind
	return kind == "" || kind == "address" || strings.HasPrefix(kind, "contract ") || kind == "address payable"
}

// codeWrites are the places of a program that write storage.
type codeWrites struct {
	all      []codeWrite
	complete bool                         // nothing else writes
	callers  map[string][]string          // of functions, by name
	at       map[string]bytecode.Location // an instruction of a function
}

type codeWrite struct {
	root     string // of what is assigned to, in the source
	function string
}

// written is who writes a variable.
type written struct {
	list     []report.Writer
	complete bool // nothing else does
}

// rootOf is the name with which an expression that is assigned to begins: "names" of
// "names[count++] = name"; empty where there is none.
func rootOf(text string) string {
	text = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "delete "), "++"), "--")
	return firstName(text)
}

// firstName is the name with which a text begins.
func firstName(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool {
		return !(r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	})
	if end >= 0 {
		text = text[:end]
	}
	return text
}

// writesOf finds what a program writes, by the source of its instructions.
func (v *view) writesOf(p *bytecode.Program) *codeWrites {
	if w := v.describer.frontier.writes[p.ID]; w != nil {
		return w
	}
	w := &codeWrites{complete: true, callers: map[string][]string{}, at: map[string]bytecode.Location{}}
	v.describer.frontier.writes[p.ID] = w
	names := map[string]bool{}
	for _, known := range v.layouts[p.Contract.QualifiedName()] {
		names[known.Name] = true
	}
	end := uint32(0)
	for _, b := range p.Blocks {
		end = max(end, b.End)
	}
	for pc := uint32(0); pc < end; pc++ {
		op := vm.OpCode(p.Bytes[pc])
		l := bytecode.Location{Code: p.ID, PC: pc}
		if op.IsPush() {
			pc += uint32(op - vm.PUSH0)
			continue
		}
		if op != vm.SSTORE && op != vm.JUMP && op != vm.DELEGATECALL && op != vm.CALLCODE || !v.head.Positions.IsInstruction(l) {
			continue
		}
		function, _ := v.head.Positions.FunctionAt(l)
		if _, known := w.at[function]; !known {
			w.at[function] = l
		}
		text, _ := v.head.Positions.TextAt(l)
		switch op {
		case vm.SSTORE:
			root := rootOf(text)
			w.complete = w.complete && root != "" && (names[root] || len(names) == 0 && root != function)
			if write := (codeWrite{root, function}); !slices.Contains(w.all, write) {
				w.all = append(w.all, write)
			}
		case vm.JUMP:
			called, _, ok := strings.Cut(text, "(")
			called = called[strings.LastIndexByte(called, '.')+1:]
			if ok && called != "" && firstName(called) == called && called != function && !slices.Contains(w.callers[called], function) {
				w.callers[called] = append(w.callers[called], function)
			}
		default:
			w.complete = false
		}
	}
	return w
}

// maxWriters bounds the functions that are named. Arbitrary.
const maxWriters = 4

// writersOf are the functions that write what was read.
func (v *view) writersOf(a *evm.StorageAccess) written {
	f := &v.exec.Frames[v.frame]
	if f.Program == nil || f.Program.Contract == nil || f.Program.Code == nil || f.Program.Code.Kind != bytecode.Runtime {
		return written{}
	}
	v.layoutOf(f)
	w := v.writesOf(f.Program)
	root := v.variable(a).root
	result := written{complete: w.complete && f.Self == f.CodeAddress && root != ""}
	var seen, todo []string
	for _, write := range w.all {
		if write.root == root && !slices.Contains(todo, write.function) {
			todo = append(todo, write.function)
		}
	}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if slices.Contains(seen, name) {
			continue
		}
		seen = append(seen, name)
		callable := false
		for _, m := range f.Program.Contract.ABI.Methods { // one of them
			callable = callable || m.RawName == name
		}
		if callable && len(result.list) < maxWriters {
			result.list = append(result.list, v.writer(f, name, w.at[name], a))
		}
		todo = append(todo, w.callers[name]...)
	}
	if len(seen) > 0 {
		result.complete = false
	}
	return result
}

// writer says of a function that writes what was read whether it does, and who may call it.
func (v *view) writer(f *evm.Frame, name string, at bytecode.Location, a *evm.StorageAccess) report.Writer {
	w := report.Writer{Function: v.shortAddress(f.Self) + "." + name}
	if p, ok := v.head.Positions.DeclarationAt(at); ok {
		w.File, w.Line = p.File, p.Line
	}
	for _, call := range v.callsOf(f.Self, name) {
		exec := call.exec
		result := &exec.Calls[len(exec.Calls)-1]
		if result.Outcome == evm.Success {
			if w.Succeeded = changes(exec, a); w.Succeeded {
				w.Fails = ""
				break
			}
			continue
		}
		w.Fails = cmp.Or(w.Fails, v.head.Space.NameAddresses(result.Reason()))
	}
	return w
}

// changes reports whether the last call of an execution writes the variable that was read
// elsewhere, or the same element of it, another value.
func changes(exec *evm.Execution, read *evm.StorageAccess) bool {
	last := exec.Calls[len(exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		for j := range exec.Frames[i].Storage {
			if a := &exec.Frames[i].Storage[j]; a.Write && a.Address == read.Address && a.Base == read.Base && a.Value != read.Value {
				return true
			}
		}
	}
	return false
}

// maxCallsOf bounds the inputs of the suite that are run again to see what a function does.
const maxCallsOf = 12

// suiteCall is an input of the suite that calls a certain function in the end, and its execution.
type suiteCall struct {
	seq  input.Sequence
	exec *evm.Execution
}

// callsOf are inputs that call a function of an account in the end.
func (v *view) callsOf(self common.Address, function string) []suiteCall {
	var list []suiteCall
	for _, calls := range v.result.Suite {
		if len(calls) == 0 {
			continue
		}
		last := calls.Last()
		if last.Function.Name != function || last.Instance >= len(v.head.Space.Instances) || v.head.Space.Instances[last.Instance].Address != self {
			continue
		}
		seq := calls.Unpack()
		exec, err := v.judge.Run(v.head.Space.Encode(seq, nil))
		if err != nil {
			continue
		}
		if list = append(list, suiteCall{seq, exec.Clone()}); len(list) == maxCallsOf {
			break
		}
	}
	return list
}

// allowed is who may call a function.
type allowed struct {
	account       common.Address
	name          string // that the code has for it
	writer, after string // what stores it, and a step of the set-up for that; empty: nothing has to, or it is not known
}

// mayCall is who would have to call a function of an account, as far as its failures tell: an
// account that msg.sender is compared with, or with which it is once a call has stored it, and
// that is not a sender.
func (v *view) mayCall(self common.Address, function string) (may allowed, ok bool) {
	for _, call := range v.callsOf(self, function) {
		exec := call.exec
		if exec.Calls[len(exec.Calls)-1].Outcome == evm.Success {
			continue
		}
		frame := exec.Calls[len(exec.Calls)-1].Frames[0]
		f := &exec.Frames[frame]
		if f.Program == nil || len(f.Comparisons) == 0 {
			continue
		}
		for k := range f.Comparisons {
			other, compared := withCaller(f, &f.Comparisons[k])
			if !compared || other.BitLen() > addressBits {
				continue
			}
			at := bytecode.Location{Code: f.Program.ID, PC: f.Comparisons[k].PC}
			may.account = other.Bytes20()
			if other.IsZero() {
				inner := &view{describer: v.describer, exec: exec, seq: call.seq, frame: frame}
				if may.account, may.writer, may.after, ok = inner.stored(inner.readLast(&other), at); !ok {
					continue
				}
			}
			text, _ := v.head.Positions.TextAt(at)
			may.name = otherName(conditionText(text))
			return may, true
		}
	}
	return allowed{}, false
}

// remediesFor are what helps to have storage written: senders who may call the functions that
// do, and calls of them. argument is what is to be passed for an account; nil: none is known.
func (v *view) remediesFor(a *evm.StorageAccess, writers []report.Writer, argument *common.Address) []report.Remedy {
	var try []report.Remedy
	self := v.exec.Frames[v.frame].Self
	written := slices.ContainsFunc(writers, func(w report.Writer) bool { return w.Succeeded })
	for _, w := range writers {
		if written && !w.Succeeded {
			continue // another one does
		}
		_, function, _ := strings.Cut(w.Function, ".")
		may, wanted := v.mayCall(self, function)
		account := may.account
		isSender := slices.ContainsFunc(v.head.World.Senders, func(s evm.Sender) bool { return s.Address == account })
		if wanted && !isSender && !w.Succeeded {
			r := v.addSender(v.newName(may.name), account)
			r.Text += fmt.Sprintf(": it may call %s", w.Function)
			r = withAfter(r, may.after, may.writer)
			if !slices.ContainsFunc(try, func(o report.Remedy) bool { return o.YAML == r.YAML }) {
				try = append(try, r)
			}
		}
		from := ""
		switch {
		case wanted && !w.Succeeded:
			from = account.Hex()
			if isSender {
				from = v.accountName(account)
			}
		case !w.Succeeded && w.Fails != "":
			continue // who may is not known
		}
		if argument == nil {
			continue
		}
		if r, ok := v.callAfter(a, self, function, *argument, from); ok && r.Tried {
			try = append(try, r)
		}
	}
	return try
}

// callAfter is the remedy that calls a function once everything is deployed; false where its
// arguments are not known, or the call does not help.
func (v *view) callAfter(a *evm.StorageAccess, self common.Address, function string, account common.Address, from string) (report.Remedy, bool) {
	i := slices.IndexFunc(v.head.World.Instances, func(in evm.Instance) bool { return in.Address == self })
	if i < 0 || v.head.World.Instances[i].Contract == nil {
		return report.Remedy{}, false
	}
	in := &v.head.World.Instances[i]
	var method *abi.Method
	for _, m := range in.Contract.ABI.Methods {
		if m.RawName == function && (method == nil || m.Sig < method.Sig) {
			method = &m
		}
	}
	if method == nil || len(method.Inputs) == 0 {
		return report.Remedy{}, false
	}
	var words []any
	var texts []string
	keys := slices.Clone(a.Keys.Words[:a.Keys.Count])
	keys = slices.DeleteFunc(keys, func(k uint256.Int) bool { return k.Bytes20() == account && k.BitLen() <= addressBits })
	for _, p := range method.Inputs {
		switch kind := p.Type.String(); {
		case kind == "address":
			words, texts = append(words, account), append(texts, v.accountName(account))
		case kind == "bool":
			words, texts = append(words, true), append(texts, "true")
		case kind == "bytes32" && len(keys) > 0:
			words, texts = append(words, keys[len(keys)-1].Bytes32()), append(texts, fmt.Sprintf("%q", keys[len(keys)-1].Hex()))
		default:
			return report.Remedy{}, false
		}
	}
	packed, err := method.Inputs.Pack(words...)
	if err != nil {
		return report.Remedy{}, false
	}
	sender := common.HexToAddress(from)
	switch j := slices.IndexFunc(v.head.World.Senders, func(s evm.Sender) bool { return s.Name == cmp.Or(from, "deployer") }); {
	case j >= 0:
		sender = v.head.World.Senders[j].Address
	case from == "":
		return report.Remedy{}, false
	}
	call := evm.Call{From: sender, To: self, Data: slices.Concat(method.ID, packed)}
	exec, err := v.judge.Run(append(evm.Sequence{call}, v.head.Space.Encode(v.seq, nil)...))
	if err != nil || exec.Calls[0].Outcome != evm.Success {
		return report.Remedy{}, false
	}
	_, stops := sameStop(exec, v.stop)
	text := fmt.Sprintf("call: %s.%s, arguments: [%s]", in.Name, function, strings.Join(texts, ", "))
	if from != "" {
		text += fmt.Sprintf(", from: %q", from)
	}
	return report.Remedy{Text: "call it once everything is deployed", YAML: "after: [{" + text + "}]", Tried: !stops}, true
}
