package input

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// evaluate sets x to what a term computes; false when it is not arithmetic.
func evaluate(t *term, terms []term, x *uint256.Int) bool {
	a, b := &terms[t.args[0]].value, &terms[t.args[1]].value
	switch t.op {
	case vm.ADD:
		x.Add(a, b)
	case vm.MUL:
		x.Mul(a, b)
	case vm.SUB:
		x.Sub(a, b)
	case vm.DIV:
		x.Div(a, b)
	case vm.SDIV:
		x.SDiv(a, b)
	case vm.MOD:
		x.Mod(a, b)
	case vm.SMOD:
		x.SMod(a, b)
	case vm.ADDMOD:
		x.AddMod(a, b, &terms[t.args[2]].value)
	case vm.MULMOD:
		x.MulMod(a, b, &terms[t.args[2]].value)
	case vm.EXP:
		x.Exp(a, b)
	case vm.SIGNEXTEND:
		x.ExtendSign(b, a)
	case vm.BYTE:
		copied := *b
		x.Set(copied.Byte(a))
	default:
		return evaluateBits(t.op, a, b, x)
	}
	return true
}

// evaluateBits is evaluate for comparisons and for what works on bits.
func evaluateBits(op vm.OpCode, a, b, x *uint256.Int) bool {
	switch op {
	case vm.LT:
		setTruth(x, a.Lt(b))
	case vm.GT:
		setTruth(x, a.Gt(b))
	case vm.SLT:
		setTruth(x, a.Slt(b))
	case vm.SGT:
		setTruth(x, a.Sgt(b))
	case vm.EQ:
		setTruth(x, a.Eq(b))
	case vm.ISZERO:
		setTruth(x, a.IsZero())
	case vm.AND:
		x.And(a, b)
	case vm.OR:
		x.Or(a, b)
	case vm.XOR:
		x.Xor(a, b)
	case vm.NOT:
		x.Not(a)
	case vm.SHL:
		x.Lsh(b, shift(a))
	case vm.SHR:
		x.Rsh(b, shift(a))
	case vm.SAR:
		x.SRsh(b, shift(a))
	default:
		return false
	}
	return true
}

// shift is by how much a word is shifted: 256 and beyond are alike.
func shift(x *uint256.Int) uint {
	if x.LtUint64(256) {
		return uint(x.Uint64())
	}
	return 256
}

func setTruth(x *uint256.Int, truth bool) {
	x.Clear()
	if truth {
		x.SetOne()
	}
}

// arity is how many words an instruction takes from the stack and puts there (yellow
// paper, appendix H.2, and the EIPs since); PUSH, DUP and SWAP apart.
func arity(op vm.OpCode) (pops, pushes int) {
	switch op {
	case vm.STOP, vm.JUMPDEST, vm.INVALID:
		return 0, 0
	case vm.ADDMOD, vm.MULMOD, vm.CREATE:
		return 3, 1
	case vm.ISZERO, vm.NOT, vm.CLZ, vm.BALANCE, vm.CALLDATALOAD, vm.EXTCODESIZE, vm.EXTCODEHASH, vm.BLOCKHASH, vm.BLOBHASH, vm.MLOAD, vm.SLOAD, vm.TLOAD:
		return 1, 1
	case vm.CALLDATACOPY, vm.CODECOPY, vm.RETURNDATACOPY, vm.MCOPY, vm.LOG1:
		return 3, 0
	case vm.EXTCODECOPY, vm.LOG2:
		return 4, 0
	case vm.POP, vm.JUMP, vm.SELFDESTRUCT:
		return 1, 0
	case vm.MSTORE, vm.MSTORE8, vm.SSTORE, vm.TSTORE, vm.JUMPI, vm.RETURN, vm.REVERT, vm.LOG0:
		return 2, 0
	case vm.LOG3:
		return 5, 0
	case vm.LOG4:
		return 6, 0
	case vm.CREATE2:
		return 4, 1
	case vm.CALL, vm.CALLCODE:
		return 7, 1
	case vm.DELEGATECALL, vm.STATICCALL:
		return 6, 1
	}
	if op >= vm.ADD && op <= vm.KECCAK256 {
		return 2, 1
	}
	return 0, 1
}
