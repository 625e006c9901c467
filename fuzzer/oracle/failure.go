package oracle

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// EndOf is the statement in which a frame ended, as far as code that statements share allows: the conditional
// jump that led there, or the last instruction where it took no decision. Code must have run in the frame.
func EndOf(f *evm.Frame) bytecode.Location { return decision(f) }

// FailedCheck is the check of the compiler that frame i made and that failed, other than an assert:
// "arithmetic overflows or underflows (Panic 0x11)". Empty: none did.
func FailedCheck(exec *evm.Execution, i int) string {
	f := &exec.Frames[i]
	if f.Program == nil {
		return ""
	}
	switch f.Outcome {
	case evm.Reverted:
		if code, ok := panicCode(f.Output); ok && code != panicAssertCode && checkNames[code] != "" && ownPanic(exec, i) {
			return checkNames[code] + panicSuffix(code)
		}
	case evm.InvalidOpcode:
		if opAt(f) == opInvalid && isCheck(f.Program, f.LastPC) {
			return "a check of the compiler fails (INVALID)"
		}
	}
	return ""
}
