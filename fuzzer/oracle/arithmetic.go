package oracle

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Arithmetic sees results that are not what arithmetic says, and that matter (SWC-101; harvey §6, mufuzz §III): an
// addition, subtraction, multiplication or power goes beyond a word, or a result is cut to a smaller type, nothing notices (see [evm.Wrap]), and
// what comes of it is kept for an account, or is an amount of wei that is sent.
//
// That is for code of compilers before 0.8. Since then arithmetic is checked unless it says unchecked, or is assembly: there
// wrapping is mostly meant, and what it breaks is for other oracles to say, but for the balance of a token without a base that is more than
// the supply. Only an audit says a word of it, and of results that are
// kept elsewhere (low), or that ether which comes with the call is held against (medium): a price that wraps. These are said of older
// code that a change adds, too, where an argument of the call does it. A number that looks
// like a negative one ([evm.MaybeSigned]) is none where a transaction passes it to a function that takes no numbers with a sign.
//
// Known false positives: counters and accumulators that are meant to wrap and are kept for an account; an
// explicit conversion to a smaller type that is meant to cut.
var Arithmetic = &Oracle{
	ID:       "arithmetic",
	Title:    "A result overflows, and is kept or sent",
	SWC:      "101",
	CWE:      "682",
	Severity: High,
	Doc: "An operation of code before Solidity 0.8 gives a result that is not the sum, difference, product or number that it stands for, since it does not fit; nothing in the call notices; and the result, or what is computed of it, " +
		"is kept for an account (an element of a mapping by address), or sent as ether. " +
		"In an audit, and of contracts that a change adds, also: a balance of a token wraps in unchecked code, and is more than the supply; and, where an argument of the call does it, in code before 0.8 (low): it is kept elsewhere.",
	Remedy:  "Check the operands before (require), use SafeMath or a compiler of 0.8 or later; convert to smaller types with SafeCast. If the result is meant to wrap, say so with a waiver.",
	Examine: examineArithmetic,
}

func examineArithmetic(s *Scene, report func(Observation)) {
	s.examineBalances(report)
	if !s.Audit && !s.runsUnchecked() || !s.leavesSomething() {
		return
	}
	t := s.trace()
	if t == nil {
		return
	}
	for i := range t.Wraps {
		w := &t.Wraps[i]
		f, at, ok := s.judged(w.At)
		if !ok || w.Checked || w.Lost || w.Doubt != evm.NoDoubt && (w.Doubt != evm.MaybeSigned || !s.isWithoutSign(w, f)) {
			continue
		}
		severity, where := s.arrives(w)
		if severity < Medium && asksForWei(t, i) {
			severity, where = Medium, "is what has to be paid"
		}
		switch {
		case severity == Note:
			continue
		case severity > Low && s.checksArithmetic(f.Program):
			severity = Low
		}
		if severity < High && !s.Audit && !(s.standsAlone(contractOf(f)) && !s.checksArithmetic(f.Program) && isOfArguments(w)) {
			continue
		}
		report(Observation{Call: f.Call, Location: at, Contract: contractOf(f), Severity: severity,
			Message: fmt.Sprintf("%s in %s goes beyond its type, and %s", operation(w.Op), functionOf(f), where)})
	}
}

// examineBalances is the part of [Arithmetic] for code of 0.8 and later: a token that is looked at alone says then that an account has
// more than half of all numbers, which is more than its supply. Who has less than what is taken has that much after an unchecked difference; and a
// balance that is counted in other units, as rebasing tokens do, is not what the token answers.
func (s *Scene) examineBalances(report func(Observation)) {
	for i := range s.Exec.Frames {
		f := &s.Exec.Frames[i]
		if !s.isProjects(f) || !lasts(s.Exec, i) || !s.standsAlone(contractOf(f)) || !s.checksArithmetic(f.Program) || !slices.Contains(s.tokens(), f.Self) {
			continue
		}
		for j := range f.Storage {
			access := &f.Storage[j]
			if !access.Write || access.Keys.Count != 1 || access.Value.BitLen() < wordBits || !isAccountKey(&access.Keys.Words[0]) {
				continue
			}
			at := bytecode.Location{Code: f.Program.ID, PC: access.PC}
			if was := s.wordBefore(access); was[0] < 1<<7 && s.Attempt(at, [4]byte{}) && s.exceedsSupply(f.Call, access) {
				report(Observation{Call: f.Call, Location: at, Contract: contractOf(f),
					Message: fmt.Sprintf("a balance of %s goes beyond its type in %s: it is more than the supply", nameOf(f), functionOf(f))})
				return
			}
		}
	}
}

// exceedsSupply reports whether what a token keeps for an account is what it answers as its balance after a call, and its supply is less than half
// of all numbers.
func (s *Scene) exceedsSupply(call int, access *evm.StorageAccess) bool {
	calls := s.Calls()[: call+1 : call+1]
	has, ok := s.ask(calls, access.Address, word(balanceOf, access.Keys.Words[0].Bytes20()))
	if !ok || has != access.Value {
		return false
	}
	supply, ok := s.ask(calls, access.Address, totalSupply[:])
	return ok && supply.BitLen() < wordBits
}

// runsUnchecked reports whether a frame to judge runs a program of a compiler that does not check arithmetic by itself.
// Without one, only an audit says a word, and following values takes ten times as long as the execution.
func (s *Scene) runsUnchecked() bool {
	for i := range s.Exec.Frames {
		if f := &s.Exec.Frames[i]; s.isProjects(f) && !s.checksArithmetic(f.Program) && lasts(s.Exec, i) {
			return true
		}
	}
	return false
}

// leavesSomething reports whether the execution keeps or sends anything: views do not, nor what fails.
func (s *Scene) leavesSomething() bool {
	for i := range s.Exec.Frames {
		f := &s.Exec.Frames[i]
		if (f.Parent >= 0 && !f.Value.IsZero() || slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool { return a.Write })) && lasts(s.Exec, i) {
			return true
		}
	}
	return false
}

// isWithoutSign reports whether the operands of an operation that look like negative numbers are what transactions passed
// to functions that take no number with a sign. Without this, a sum with a small number would never count: it takes one that looks negative to go beyond a word.
func (s *Scene) isWithoutSign(w *evm.Wrap, f *evm.Frame) bool {
	for _, operand := range []struct {
		value *uint256.Int
		taint evm.Taint
	}{{&w.Left, w.LeftTaint}, {&w.Right, w.RightTaint}} {
		if !operand.value.Lt(maybeNegative) && (!operand.taint.Any(evm.FromCalldata) || !s.isPassedWithoutSign(operand.value, f)) {
			return false
		}
	}
	return true
}

// isPassedWithoutSign reports whether a word is an argument of a call up to the one that a frame is of, and no argument of a
// number with a sign.
func (s *Scene) isPassedWithoutSign(value *uint256.Int, f *evm.Frame) (found bool) {
	word := value.Bytes32()
	for i := range s.Exec.Calls[:f.Call+1] {
		root := &s.Exec.Frames[s.Exec.Calls[i].Frames[0]]
		if !bytes.Contains(root.Input, word[:]) {
			continue
		}
		method := methodOf(root)
		if method == nil {
			method = methodOf(f) // of the contract behind a proxy
		}
		if method == nil || slices.ContainsFunc(method.Inputs, func(a abi.Argument) bool { return mayHaveSign(&a.Type) }) {
			return false
		}
		found = true
	}
	return found
}

// methodOf is the function that a frame was called for; nil: none that its contract's ABI has.
func methodOf(f *evm.Frame) *abi.Method {
	if f.Program == nil || f.Program.Contract == nil {
		return nil
	}
	id := selectorOf(f)
	method, err := f.Program.Contract.ABI.MethodById(id[:])
	if err != nil {
		return nil
	}
	return method
}

// maybeNegative is where [evm.MaybeSigned] begins.
var maybeNegative = new(uint256.Int).Lsh(new(uint256.Int).Not(new(uint256.Int)), 128)

// mayHaveSign reports whether a value of a type may hold numbers with a sign: bytes may hold anything.
func mayHaveSign(t *abi.Type) bool {
	switch t.T {
	case abi.UintTy, abi.BoolTy, abi.AddressTy, abi.StringTy:
		return false
	case abi.SliceTy, abi.ArrayTy:
		return mayHaveSign(t.Elem)
	case abi.TupleTy:
		return slices.ContainsFunc(t.TupleElems, mayHaveSign)
	}
	return true
}

// arrives says where a wrapped result comes to. Note: nowhere that counts.
func (s *Scene) arrives(w *evm.Wrap) (severity Severity, where string) {
	for _, sink := range w.Sinks {
		f, _, ok := s.judged(sink.At)
		if !ok {
			continue
		}
		switch sink.Kind {
		case evm.SinkCallValue:
			return High, "is the ether that is sent"
		case evm.SinkStore:
			if sink.Access < 0 || sink.Access >= len(f.Storage) {
				continue
			}
			if s.isByAccount(&f.Storage[sink.Access]) {
				return High, "is kept for an account"
			}
			severity, where = Low, "is kept"
		}
	}
	return severity, where
}

// asksForWei reports whether a branch holds a wrapped result against the wei that came with the call.
func asksForWei(t *evm.Trace, wrap int) bool {
	for i := range t.Branches {
		b := &t.Branches[i]
		if b.LeftTaint.Carries(evm.OfWrapped, wrap) && b.RightTaint.Any(evm.FromCallValue) || b.RightTaint.Carries(evm.OfWrapped, wrap) && b.LeftTaint.Any(evm.FromCallValue) {
			return true
		}
	}
	return false
}

// isOfArguments reports whether a sum, difference or product goes beyond a word by an argument of the call. Counters and
// accumulators mostly wrap by what is in storage, and what is cut is often meant to be.
func isOfArguments(w *evm.Wrap) bool {
	switch vm.OpCode(w.Op) {
	case vm.ADD, vm.SUB, vm.MUL:
		return w.LeftTaint.Any(evm.FromCalldata) || w.RightTaint.Any(evm.FromCalldata)
	}
	return false
}

// operation names an instruction of arithmetic.
func operation(op byte) string {
	switch vm.OpCode(op) {
	case vm.ADD:
		return "a sum"
	case vm.SUB:
		return "a difference"
	case vm.MUL:
		return "a product"
	case vm.EXP, vm.SHL:
		return "a power"
	case vm.SDIV:
		return "a quotient"
	}
	return "a number that is cut"
}
