package pipeline

import (
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
	"github.com/sightline-evm/sightline/report"
)

// This file looks one call ahead: what is stored where the campaign came closest may be on its
// way to something else, since paths are the same with any owner, and one input stands for each.

// withCaller is what a comparison of a frame compares its caller with; false: it does not, or
// they are the same.
func withCaller(f *evm.Frame, c *evm.Comparison) (other uint256.Int, ok bool) {
	caller := new(uint256.Int).SetBytes(f.Caller[:])
	switch {
	case c.Op != byte(vm.EQ) || c.Left == c.Right:
		return other, false
	case c.Right == *caller:
		return c.Left, true
	}
	return c.Right, c.Left == *caller
}

// successor is an account that would have to call, once a call has stored it where none was.
func (v *view) successor() ([]report.Want, []report.Remedy) {
	f := &v.exec.Frames[v.frame]
	other, compared := withCaller(f, v.comparison)
	if !compared || !other.IsZero() || v.relation != "==" {
		return nil, nil
	}
	a := v.readLast(&other)
	at := bytecode.Location{Code: f.Program.ID, PC: v.comparison.PC}
	account, writer, after, ok := v.stored(a, at)
	if !ok {
		return nil, nil
	}
	text, _ := v.head.Positions.TextAt(at)
	w := report.Want{Kind: report.WantsSender, Account: account.Hex(), Writers: v.writersOf(a).list,
		Detail: fmt.Sprintf("a call by %s, which %s stores in %s, which is not a sender of the World", v.accountName(account), writer, v.variable(a).name)}
	add := v.addSender(v.newName(otherName(conditionText(text))), account)
	return []report.Want{w}, []report.Remedy{withAfter(add, after, writer)}
}

// withAfter adds to a remedy the step of the set-up that calls what stores an account.
func withAfter(r report.Remedy, after, writer string) report.Remedy {
	if after != "" {
		r.Text += ", once " + writer + " was called"
		r.YAML = "{" + r.YAML + ", " + after + "}" // one line
	}
	return r
}

// stored is the account that a function stores where msg.sender is compared with what was read,
// and that is not a sender: the last call is made again after those that the campaign stored
// something with. after are steps of the set-up that do; empty: none are known.
func (v *view) stored(read *evm.StorageAccess, at bytecode.Location) (account common.Address, writer, after string, ok bool) {
	if read == nil || !v.isAddress(read) {
		return account, "", "", false
	}
	self := v.exec.Frames[v.frame].Self
	last := v.head.Space.Encode(v.seq[len(v.seq)-1:], nil)
	for _, w := range v.writersOf(read).list {
		if !w.Succeeded {
			continue
		}
		_, function, _ := strings.Cut(w.Function, ".")
		for _, call := range v.callsOf(self, function) {
			if call.exec.Calls[len(call.exec.Calls)-1].Outcome != evm.Success || !changes(call.exec, read) {
				continue
			}
			stranger, found := v.strangerAfter(call.seq, last, at)
			if !found {
				continue
			}
			if after = v.steps(v.needed(call.seq, last, at, stranger)); after != "" {
				return stranger, w.Function, after, true
			}
			if !ok { // unless others can be said
				account, writer, ok = stranger, w.Function, true
			}
		}
	}
	return account, writer, "", ok
}

// needed are the calls without which msg.sender would not be compared with an account; nil: they
// have to come at certain times.
func (v *view) needed(before input.Sequence, last evm.Sequence, at bytecode.Location, account common.Address) input.Sequence {
	before = before.Clone()
	for i := range before {
		before[i].TimeAdvance, before[i].BlockAdvance = 0, 0
	}
	does := func(seq input.Sequence) bool {
		got, ok := v.strangerAfter(seq, last, at)
		return ok && got == account
	}
	if direct := v.direct(before); does(direct) {
		before = direct
	}
	if !does(before) {
		return nil
	}
	for i := 0; i < len(before); {
		if shorter := slices.Delete(before.Clone(), i, i+1); does(shorter) {
			before = shorter
		} else {
			i++
		}
	}
	return before
}

// direct are calls without the attackers' contract: what it calls, and is called for, the first sender does.
func (v *view) direct(seq input.Sequence) (direct input.Sequence) {
	space := v.head.Space
	exec, err := v.judge.Run(space.Encode(seq, nil))
	if err != nil {
		return nil
	}
	for i, call := range seq.Clone() {
		sender := space.Senders[call.Sender]
		if !sender.IsContract() {
			direct = append(direct, call)
			continue
		}
		for at := exec.Calls[i].Frames[0]; at < exec.Calls[i].Frames[1]; at++ {
			f := &exec.Frames[at]
			if f.Kind != evm.KindCall || f.Parent < 0 || exec.Frames[f.Parent].CodeAddress != sender.Address {
				continue
			}
			if inner, err := space.Read(&evm.Call{From: space.Senders[0].Address, To: f.Self, Data: f.Input, Value: f.Value}); err == nil {
				direct = append(direct, inner)
			}
		}
		call.Sender, call.Script = 0, nil
		direct = append(direct, call)
	}
	return direct
}

// steps are the steps of a set-up that make calls; empty: there are too many, their arguments are lists and the
// like, or the attackers' contract makes one, which no set-up has.
func (v *view) steps(seq input.Sequence) string {
	const most = 3 // calls; arbitrary
	if len(seq) == 0 || len(seq) > most {
		return ""
	}
	var list []string
	for i, call := range v.head.Space.Encode(seq, nil) {
		if v.head.Space.Senders[seq[i].Sender].IsContract() {
			return ""
		}
		n := slices.IndexFunc(v.head.World.Instances, func(in evm.Instance) bool { return in.Address == call.To })
		if n < 0 || v.head.World.Instances[n].Contract == nil || len(call.Data) < 4 || !call.Value.IsZero() {
			return ""
		}
		in := &v.head.World.Instances[n]
		m, err := in.Contract.ABI.MethodById(call.Data[:4])
		if err != nil {
			return ""
		}
		values, err := m.Inputs.Unpack(call.Data[4:])
		if err != nil {
			return ""
		}
		text := "call: " + in.Name + "." + m.RawName
		var arguments []string
		for k, value := range values {
			switch m.Inputs[k].Type.T {
			case abi.AddressTy:
				arguments = append(arguments, fmt.Sprintf("%q", fmt.Sprint(value)))
			case abi.BoolTy, abi.IntTy, abi.UintTy:
				arguments = append(arguments, fmt.Sprint(value))
			default:
				return ""
			}
		}
		if len(arguments) > 0 {
			text += ", arguments: [" + strings.Join(arguments, ", ") + "]"
		}
		if sender := v.head.Space.Senders[seq[i].Sender].Name; sender != "deployer" {
			text += ", from: " + sender
		}
		list = append(list, "{"+text+"}")
	}
	return "after: [" + strings.Join(list, ", ") + "]"
}

// strangerAfter is the stranger of a call that is made after others.
func (v *view) strangerAfter(before input.Sequence, last evm.Sequence, at bytecode.Location) (common.Address, bool) {
	exec, err := v.judge.Run(append(v.head.Space.Encode(before, nil), last...))
	if err != nil {
		return common.Address{}, false
	}
	return v.stranger(exec, at)
}

// stranger is the account with which msg.sender is compared at a place in the last call of an
// execution, and that is not a sender.
func (v *view) stranger(exec *evm.Execution, at bytecode.Location) (common.Address, bool) {
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Program == nil || f.Program.ID != at.Code {
			continue
		}
		for k := range f.Comparisons {
			other, compared := withCaller(f, &f.Comparisons[k])
			if !compared || f.Comparisons[k].PC != at.PC || other.IsZero() || other.BitLen() > addressBits {
				continue
			}
			account := common.Address(other.Bytes20())
			if !slices.ContainsFunc(v.head.World.Senders, func(s evm.Sender) bool { return s.Address == account }) {
				return account, true
			}
		}
	}
	return common.Address{}, false
}

// depends is another value of what the function has read from storage, where the operands are
// constants: which of them is compared depends on it.
func (v *view) depends() ([]report.Want, []report.Remedy) {
	f := &v.exec.Frames[v.frame]
	if !v.left.known || !v.left.taint.Clean() || !v.right.taint.Clean() {
		return nil, nil
	}
	const shown = 3 // variables
	var names []string
	var try []report.Remedy
	for i := len(f.Storage) - 1; i >= 0 && len(names) < shown; i-- {
		a := &f.Storage[i]
		name := v.variable(a).name
		if a.Write || slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		if len(try) == 0 {
			try = v.remediesFor(a, v.writersOf(a).list, nil)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	return []report.Want{{Kind: report.WantsState, Detail: "another outcome of this condition, which may depend on " + strings.Join(names, ", ")}}, try
}
