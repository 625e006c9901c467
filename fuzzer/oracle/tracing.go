package oracle

import (
	"bytes"

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

// isAccountKey reports whether a key of a mapping looks like an account: a number of 129 to 160 bits, as all but one
// in four billion addresses are.
func isAccountKey(key *uint256.Int) bool { return key.BitLen() > 128 && key.BitLen() <= 160 }

// isByAccount reports whether an access is to what is kept by account.
func isByAccount(access *evm.StorageAccess) bool {
	for i := range access.Keys.Count {
		if isAccountKey(&access.Keys.Words[i]) {
			return true
		}
	}
	return false
}

// checksArithmetic reports whether a program is of a compiler that checks arithmetic by itself: it knows Panic.
func checksArithmetic(p *bytecode.Program) bool { return bytes.Contains(p.Bytes, panicSelector) }
