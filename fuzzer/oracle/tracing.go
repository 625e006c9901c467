package oracle

import (
	"bytes"
	"math/big"
	"reflect"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// trace follows the values of the execution; nil: it is not worth that, or it is not possible.
func (s *Scene) trace() *evm.Trace {
	if s.Trace == nil || !s.New {
		return nil
	}
	return s.Trace()
}

// judged is the frame of an event, if it is one to judge: code of the project's, whose effects last.
func (s *Scene) judged(at evm.At) (*evm.Frame, bytecode.Location, bool) {
	if at.Frame < 0 || at.Frame >= len(s.Exec.Frames) {
		return nil, bytecode.Location{}, false
	}
	f := &s.Exec.Frames[at.Frame]
	if !s.isProjects(f) || !lasts(s.Exec, at.Frame) {
		return nil, bytecode.Location{}, false
	}
	return f, bytecode.Location{Code: f.Program.ID, PC: at.PC}, true
}

// noted is the frame of an event that a note may be about: one to judge, or of a constructor that a call runs.
func (s *Scene) noted(at evm.At) (*evm.Frame, bytecode.Location, bool) {
	if f, place, ok := s.judged(at); ok {
		return f, place, true
	}
	if at.Frame < 0 || at.Frame >= len(s.Exec.Frames) || !lasts(s.Exec, at.Frame) {
		return nil, bytecode.Location{}, false
	}
	f := &s.Exec.Frames[at.Frame]
	if f.Parent >= 0 || f.Program == nil || f.Program.Contract == nil || f.Program.Contract.Generated || f.Program.Code == nil || f.Program.Code.Kind != bytecode.Creation {
		return nil, bytecode.Location{}, false
	}
	return f, bytecode.Location{Code: f.Program.ID, PC: at.PC}, true
}

// decided is the frame of a branch that a note may be about: none that the compiler wrote by itself, such as the checks of
// arithmetic since 0.8.
func (s *Scene) decided(b *evm.TracedBranch) (*evm.Frame, bytecode.Location, bool) {
	f, at, ok := s.noted(b.At)
	return f, at, ok && !f.Program.Code.IsShared(b.PC)
}

// againstZero reports whether a branch compares a word with zero, as the code says it.
func againstZero(b *evm.TracedBranch) bool {
	switch vm.OpCode(b.Op) {
	case vm.ISZERO:
		return true
	case vm.EQ, vm.LT, vm.GT:
		return b.LeftTaint.Clean() && b.Left.IsZero() || b.RightTaint.Clean() && b.Right.IsZero()
	}
	return false
}

// isByAccount reports whether an access is to what is kept by account: an element of a mapping whose key is an account that takes part in
// the calls or that their arguments name, and no number among these.
func (s *Scene) isByAccount(access *evm.StorageAccess) bool {
	for i := range access.Keys.Count {
		if key := &access.Keys.Words[i]; isAccountKey(key) && s.takesPartOrIsNamed(key.Bytes20()) {
			return true
		}
	}
	return false
}

// isAccountKey reports whether a key of a mapping looks like an account: a number of 129 to 160 bits, as all but one
// in four billion addresses are.
func isAccountKey(key *uint256.Int) bool { return key.BitLen() > 128 && key.BitLen() <= 160 }

// takesPartOrIsNamed reports whether an account is one of the World, calls or is called, or is an address among the arguments of calls, but not a number:
// ids may be as large, and campaigns give addresses to what takes numbers.
func (s *Scene) takesPartOrIsNamed(account common.Address) bool {
	known := s.World.Accounts[account] != nil || slices.ContainsFunc(s.World.Senders, func(sender evm.Sender) bool { return sender.Address == account })
	for i := range s.Exec.Frames {
		f := &s.Exec.Frames[i]
		known = known || f.Caller == account || f.Self == account
		if f.Parent >= 0 || f.Program == nil || f.Program.Contract == nil || len(f.Input) < 4 {
			continue
		}
		m, err := f.Program.Contract.ABI.MethodById(f.Input[:4])
		if err != nil {
			continue
		}
		values, err := m.Inputs.Unpack(f.Input[4:])
		if err != nil {
			continue
		}
		address, number := occurs(reflect.ValueOf(values), account)
		if known = known || address; number {
			return false
		}
	}
	return known
}

// occurs reports whether an account is an address in a value, and whether it is a number there.
func occurs(v reflect.Value, account common.Address) (address, number bool) {
	if !v.IsValid() {
		return false, false
	}
	switch x := v.Interface().(type) {
	case common.Address:
		return x == account, false
	case *big.Int:
		return false, x != nil && x.Cmp(account.Big()) == 0
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return occurs(v.Elem(), account)
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return false, false
		}
		for i := range v.Len() {
			a, n := occurs(v.Index(i), account)
			address, number = address || a, number || n
		}
	case reflect.Struct:
		for i := range v.NumField() {
			a, n := occurs(v.Field(i), account)
			address, number = address || a, number || n
		}
	}
	return address, number
}

// checksArithmetic reports whether a program is of a compiler that checks arithmetic by itself: it knows Panic.
func (s *Scene) checksArithmetic(p *bytecode.Program) bool {
	checks, known := s.Checking[p]
	if !known {
		checks = bytes.Contains(p.Bytes, panicSelector)
		if s.Checking != nil {
			s.Checking[p] = checks
		}
	}
	return checks
}
