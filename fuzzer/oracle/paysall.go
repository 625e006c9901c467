package oracle

import (
	"bytes"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// examinePaysAll is the part of [DosFailedCall] that needs no attacker: one statement pays several accounts that storage names, one
// after the other, and the call fails as a whole if one of them does not take it. Accounts that the caller names are left out, since
// he can leave out who refuses.
func examinePaysAll(s *Scene, report func(Observation)) {
	t := s.trace()
	if t == nil {
		return
	}
	type statement struct {
		frame int
		pc    uint32
	}
	paid := map[statement]common.Address{}
	reported := map[statement]bool{}
	for i := range t.Calls {
		c := &t.Calls[i]
		f, at, ok := s.judged(c.At)
		if !ok || c.Kind != evm.KindCall || c.Callee < 0 || !c.Success || !c.Address.Any(evm.FromStorage) || c.Address.Any(evm.FromCalldata) {
			continue
		}
		callee := &s.Exec.Frames[c.Callee]
		if len(callee.Input) > 0 || c.SuccessUse.Kind != evm.UseBranch || c.SuccessUse.Frame != c.Frame || !failsBehind(f.Program, c.SuccessUse.PC) {
			continue
		}
		key := statement{c.Frame, c.PC}
		first, before := paid[key]
		if !before {
			paid[key] = callee.Self
			continue
		}
		if first == callee.Self || reported[key] {
			continue
		}
		reported[key] = true
		report(Observation{Call: f.Call, Location: at, Contract: contractOf(f),
			Message: fmt.Sprintf("%s pays several accounts, and fails as a whole if one of them refuses", functionOf(f))})
	}
}

// errorSelector is that of Error(string), which a require with a reason makes.
var errorSelector = attacker.Selector("Error(string)")

// failsBehind reports whether the code behind a conditional jump that is not taken does nothing but revert, as far as it is plain: an
// error of the contract's own is not.
func failsBehind(p *bytecode.Program, jump uint32) bool {
	if int(jump) >= len(p.Bytes) || vm.OpCode(p.Bytes[jump]) != vm.JUMPI {
		return false
	}
	for at := jump + 1; int(at) < len(p.Bytes); at += 1 + bytecode.PushSize(p.Bytes[at]) {
		switch op := vm.OpCode(p.Bytes[at]); {
		case op == vm.REVERT || op == vm.INVALID || bytes.HasPrefix(pushed(p, at), errorSelector[:]):
			return true
		case endsStraightLine(op):
			return false
		}
	}
	return false
}
