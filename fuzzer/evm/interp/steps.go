package interp

import (
	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
)

// stepCode is the machine's instruction set. n and a are a step's operands; pairs
// of EVM instructions that are one step are named in their order.
type stepCode uint8

const (
	stepBlock    stepCode = iota // head of the block a
	stepEnter                    // n segments from a on; at: instructions in them
	stepGoto                     // n = 1: to the step a; n = 0: to the pc a, which may not be decoded yet
	stepSave                     // remember the two words on top for the comparison or difference a, whose opcode is n
	stepSaveZero                 // remember the word on top for the ISZERO a

	stepStop
	stepInvalid
	stepJump
	stepJumpi
	stepPopJump
	stepSwapPopJump     // n: of the SWAP
	stepPushJump        // a: pc in the upper half
	stepPushDupPushJump // PUSH, DUP, PUSH, JUMP; n: of the DUP; a: pc in the upper half, constant in the lower
	stepPushJumpi       // a: pc
	stepCompareJump     // comparison, ISZEROs, PUSH, JUMPI; n: the comparison's opcode, with jumpNegated; a: pc
	stepSelectJump      // DUP1, PUSH, comparison, ISZEROs, PUSH, JUMPI; n likewise; a: pc in the upper half, constant in the lower
	stepZeroJump        // ISZEROs, PUSH, JUMPI; n: the number of ISZEROs; a: pc
	stepReturn
	stepRevert
	stepSelfdestruct

	stepPush     // a
	stepPushWide // words[a]
	stepPop
	stepDup     // n
	stepSwap    // n
	stepSwapPop // n
	stepPushDup // n: of the DUP; a
	stepDupPush // n: of the DUP; a
	stepPopPop
	stepShuffle     // n: moves; at: how many of them are copies, and in the upper half constants; a: index of the first in the upper half, by how much the stack is higher in the lower
	stepShuffleJump // likewise, and JUMP; in front of the moves is one that names the destination's place
	stepShuffleGo   // likewise; it names the destination
	stepMove        // a row that leaves one copy; a: the places to and from, 16 bits each, and by how much the stack is higher
	stepDupDup      // n and a: of the DUPs
	stepSwapSwapPop // n and a: of the SWAPs

	stepAdd
	stepMul
	stepSub
	stepDiv
	stepSdiv
	stepMod
	stepSmod
	stepAddmod
	stepMulmod
	stepExp
	stepSignextend
	stepLt
	stepGt
	stepSlt
	stepSgt
	stepEq
	stepIszero
	stepAnd
	stepOr
	stepXor
	stepNot
	stepByte
	stepShl
	stepShr
	stepSar
	stepClz

	stepPushAdd     // a
	stepPushAnd     // a
	stepPushAndWide // words[a]
	stepPushShl     // a, below 256
	stepPushShr     // a, below 256
	stepPushMload   // a
	stepPushMstore  // a

	stepKeccak
	stepCalldataload
	stepCaller
	stepCallvalue
	stepCalldatasize
	stepReturndatasize
	stepEnvironment // n: the opcode
	stepReplace     // n: the opcode; it replaces the word on top
	stepAccount     // n: the opcode
	stepCopy        // n: the opcode
	stepExtcodecopy
	stepMcopy
	stepMload
	stepMstore
	stepMstore8
	stepSload
	stepSstore
	stepTload
	stepTstore
	stepGas
	stepLog    // n: topics
	stepCreate // n: the opcode
	stepCall   // n: the opcode
)

// jumpNegated in n of a jump tells that an odd number of ISZEROs stands between
// comparison and jump. Opcodes of comparisons are below it.
const jumpNegated = 0x80

// nowhere is a destination that no code is long enough for.
const nowhere = 1<<32 - 1

// plainSteps are the instructions that are a step without operands.
var plainSteps = map[vm.OpCode]stepCode{
	vm.STOP: stepStop, vm.JUMP: stepJump, vm.JUMPI: stepJumpi, vm.RETURN: stepReturn, vm.REVERT: stepRevert,
	vm.SELFDESTRUCT: stepSelfdestruct, vm.POP: stepPop,
	vm.ADD: stepAdd, vm.MUL: stepMul, vm.SUB: stepSub, vm.DIV: stepDiv, vm.SDIV: stepSdiv, vm.MOD: stepMod, vm.SMOD: stepSmod,
	vm.ADDMOD: stepAddmod, vm.MULMOD: stepMulmod, vm.EXP: stepExp, vm.SIGNEXTEND: stepSignextend,
	vm.LT: stepLt, vm.GT: stepGt, vm.SLT: stepSlt, vm.SGT: stepSgt, vm.EQ: stepEq, vm.ISZERO: stepIszero,
	vm.AND: stepAnd, vm.OR: stepOr, vm.XOR: stepXor, vm.NOT: stepNot, vm.BYTE: stepByte,
	vm.SHL: stepShl, vm.SHR: stepShr, vm.SAR: stepSar, vm.CLZ: stepClz,
	vm.KECCAK256: stepKeccak, vm.CALLDATALOAD: stepCalldataload, vm.CALLER: stepCaller, vm.CALLVALUE: stepCallvalue,
	vm.CALLDATASIZE: stepCalldatasize, vm.RETURNDATASIZE: stepReturndatasize, vm.EXTCODECOPY: stepExtcodecopy, vm.MCOPY: stepMcopy,
	vm.MLOAD: stepMload, vm.MSTORE: stepMstore, vm.MSTORE8: stepMstore8,
	vm.SLOAD: stepSload, vm.SSTORE: stepSstore, vm.TLOAD: stepTload, vm.TSTORE: stepTstore, vm.GAS: stepGas,
}

// groupSteps are those whose step has the opcode as its operand.
var groupSteps = map[vm.OpCode]stepCode{
	vm.ADDRESS: stepEnvironment, vm.ORIGIN: stepEnvironment, vm.GASPRICE: stepEnvironment, vm.COINBASE: stepEnvironment,
	vm.TIMESTAMP: stepEnvironment, vm.NUMBER: stepEnvironment, vm.PREVRANDAO: stepEnvironment, vm.GASLIMIT: stepEnvironment,
	vm.CHAINID: stepEnvironment, vm.SELFBALANCE: stepEnvironment, vm.CODESIZE: stepEnvironment, vm.MSIZE: stepEnvironment, vm.BASEFEE: stepEnvironment, vm.BLOBBASEFEE: stepEnvironment,
	vm.BLOCKHASH: stepReplace, vm.BLOBHASH: stepReplace,
	vm.BALANCE: stepAccount, vm.EXTCODESIZE: stepAccount, vm.EXTCODEHASH: stepAccount,
	vm.CALLDATACOPY: stepCopy, vm.CODECOPY: stepCopy, vm.RETURNDATACOPY: stepCopy,
	vm.CREATE: stepCreate, vm.CREATE2: stepCreate,
	vm.CALL: stepCall, vm.CALLCODE: stepCall, vm.DELEGATECALL: stepCall, vm.STATICCALL: stepCall,
}

// pushSteps are those that a PUSH of at most 64 bits in front is joined with.
var pushSteps = map[vm.OpCode]stepCode{
	vm.ADD: stepPushAdd, vm.AND: stepPushAnd, vm.SHL: stepPushShl, vm.SHR: stepPushShr,
	vm.MLOAD: stepPushMload, vm.MSTORE: stepPushMstore, vm.JUMP: stepPushJump, vm.JUMPI: stepPushJumpi,
}

// stepTable is the step of an opcode, in a form that is quick to look up.
type stepTable struct {
	plain, group, push [256]stepCode // stepBlock: none
}

var stepsOf = func() *stepTable {
	t := new(stepTable)
	for op, s := range plainSteps {
		t.plain[op] = s
	}
	for op, s := range groupSteps {
		t.group[op] = s
	}
	for op, s := range pushSteps {
		t.push[op] = s
	}
	return t
}()

// single writes one instruction as one step.
func (d *decoder) single(c *decoded, r *raw) {
	op := vm.OpCode(r.op)
	s := step{at: r.at, pc: r.pc}
	switch {
	case !d.table[r.op].defined:
		s.code = stepInvalid
	case op == vm.JUMPDEST:
		return // its gas is the head's
	case d.isPush(r.op):
		d.push(c, r)
		return
	case isDup(op):
		s.code, s.n = stepDup, r.op-byte(vm.DUP1)+1
	case isSwap(op):
		s.code, s.n = stepSwap, r.op-byte(vm.SWAP1)+1
	case op >= vm.LOG0 && op <= vm.LOG4:
		s.code, s.n = stepLog, r.op-byte(vm.LOG0)
	case op == vm.PC:
		s.code, s.a = stepPush, uint64(r.pc)
	case stepsOf.group[r.op] != stepBlock:
		s.code, s.n = stepsOf.group[r.op], r.op
	default:
		s.code = stepsOf.plain[r.op]
	}
	c.steps = append(c.steps, s)
}

func (d *decoder) push(c *decoded, r *raw) {
	word := constant(c.bytes, r.pc, r.op)
	if word.IsUint64() {
		c.steps = append(c.steps, step{code: stepPush, pc: r.pc, a: word.Uint64()})
		return
	}
	c.steps = append(c.steps, step{code: stepPushWide, pc: r.pc, a: uint64(len(c.words))})
	c.words = append(c.words, word)
}

// save writes the step that remembers a condition, in front of the instruction
// that makes it.
func (d *decoder) save(c *decoded, r *raw) {
	s := step{code: stepSave, n: r.op, pc: r.pc, a: uint64(r.made)}
	if vm.OpCode(r.op) == vm.ISZERO {
		s.code = stepSaveZero
	}
	c.steps = append(c.steps, s)
}

// join writes the first of the instructions, with those behind it that are one
// step with it, and tells how many it took.
func (d *decoder) join(c *decoded, raws []raw) int {
	r := &raws[0]
	if r.save {
		d.save(c, r)
	}
	if n := d.chain(c, raws); n > 0 {
		return n
	}
	if len(raws) > 1 && !raws[1].save && d.pair(c, r, &raws[1]) {
		return 2
	}
	d.single(c, r)
	return 1
}

// chain writes three or four instructions as one step, if there is one, and tells
// how many it took. None of them makes a condition.
func (d *decoder) chain(c *decoded, raws []raw) int {
	if len(raws) < 3 {
		return 0
	}
	a, b, then := vm.OpCode(raws[0].op), vm.OpCode(raws[1].op), vm.OpCode(raws[2].op)
	s := step{n: raws[0].op - byte(vm.SWAP1) + 1, pc: raws[2].pc}
	switch {
	case isSwap(a) && b == vm.POP && then == vm.JUMP:
		s.code = stepSwapPopJump
	case isSwap(a) && isSwap(b) && then == vm.POP:
		s.code, s.a = stepSwapSwapPop, uint64(b-vm.SWAP1)+1
	case len(raws) >= 4 && d.isPush(raws[0].op) && isDup(b) && d.isPush(raws[2].op) && vm.OpCode(raws[3].op) == vm.JUMP:
		word, dest := constant(c.bytes, raws[0].pc, raws[0].op), constant(c.bytes, raws[2].pc, raws[2].op)
		if !word.LtUint64(1<<32) || !dest.IsUint64() {
			return 0
		}
		s = step{code: stepPushDupPushJump, n: raws[1].op - byte(vm.DUP1) + 1, pc: raws[3].pc, a: destination(c, dest[0])<<32 | word[0]}
		c.steps = append(c.steps, s)
		return 4
	default:
		return 0
	}
	c.steps = append(c.steps, s)
	return 3
}

func isSwap(op vm.OpCode) bool { return op >= vm.SWAP1 && op <= vm.SWAP16 }

func isDup(op vm.OpCode) bool { return op >= vm.DUP1 && op <= vm.DUP16 }

// pair writes two instructions as one step, if there is one.
func (d *decoder) pair(c *decoded, r, next *raw) bool {
	op, then := vm.OpCode(r.op), vm.OpCode(next.op)
	switch {
	case d.isPush(r.op):
		return d.pushPair(c, r, next)
	case isSwap(op) && then == vm.POP:
		c.steps = append(c.steps, step{code: stepSwapPop, n: r.op - byte(vm.SWAP1) + 1, pc: next.pc})
		return true
	case op == vm.POP && then == vm.POP:
		c.steps = append(c.steps, step{code: stepPopPop, pc: next.pc})
		return true
	case op == vm.POP && then == vm.JUMP:
		c.steps = append(c.steps, step{code: stepPopJump, pc: next.pc})
		return true
	case isDup(op) && isDup(then):
		c.steps = append(c.steps, step{code: stepDupDup, n: r.op - byte(vm.DUP1) + 1, pc: next.pc, a: uint64(then-vm.DUP1) + 1})
		return true
	case isDup(op) && d.isPush(next.op):
		if word := constant(c.bytes, next.pc, next.op); word.IsUint64() {
			c.steps = append(c.steps, step{code: stepDupPush, n: r.op - byte(vm.DUP1) + 1, pc: next.pc, a: word.Uint64()})
			return true
		}
	}
	return false
}

// pushPair writes a PUSH and the instruction behind it as one step.
func (d *decoder) pushPair(c *decoded, r, next *raw) bool {
	word, then := constant(c.bytes, r.pc, r.op), vm.OpCode(next.op)
	if !word.IsUint64() {
		if then != vm.AND {
			return false
		}
		c.steps = append(c.steps, step{code: stepPushAndWide, pc: next.pc, a: uint64(len(c.words))})
		c.words = append(c.words, word)
		return true
	}
	s := step{code: stepsOf.push[next.op], pc: next.pc, a: word.Uint64()}
	switch {
	case then == vm.JUMP:
		s.a = destination(c, s.a) << 32
	case then == vm.JUMPI:
		s.a = destination(c, s.a)
	case then == vm.MLOAD || then == vm.MSTORE:
		if next.at != r.at+1 {
			return false // a segment begins in between
		}
		s.at, s.pc = r.at, r.pc // it may run out of gas
	case (then == vm.SHL || then == vm.SHR) && s.a > 255:
		return false
	case isDup(then):
		s.code, s.n = stepPushDup, next.op-byte(vm.DUP1)+1
	case s.code == stepBlock:
		return false
	}
	c.steps = append(c.steps, s)
	return true
}

// destination is a constant jump's pc, or nowhere.
func destination(c *decoded, pc uint64) uint64 {
	if pc >= nowhere {
		return nowhere
	}
	c.reach = max(c.reach, int(pc)+1)
	if !c.isDest(pc) {
		return nowhere
	}
	return pc
}

// tailKind tells how the instructions in front of a conditional jump are joined
// with it.
type tailKind uint8

const (
	tailNone    tailKind = iota
	tailCompare          // stepCompareJump
	tailSelect           // stepSelectJump
	tailZero             // stepZeroJump
)

// tail is the end of a block with a jump to a constant.
type tail struct {
	kind    tailKind
	start   int // index in raws of the first instruction that is part of it
	compare int // of the comparison
	zeros   int // ISZEROs in front of the PUSH
}

// tail finds how the block in raws ends.
func (d *decoder) tail() tail {
	n := len(d.raws)
	if n < 3 || vm.OpCode(d.raws[n-1].op) != vm.JUMPI || !d.isPush(d.raws[n-2].op) {
		return tail{}
	}
	t := tail{start: n - 2}
	for t.start > 0 && vm.OpCode(d.raws[t.start-1].op) == vm.ISZERO {
		t.start--
		t.zeros++
	}
	if t.start > 0 && d.actions[d.raws[t.start-1].op].Action == record.ActCompare {
		t.start--
		t.kind, t.compare = tailCompare, t.start
		if t.start >= 2 && vm.OpCode(d.raws[t.start-2].op) == vm.DUP1 && d.raws[t.start-1].op >= byte(vm.PUSH1) && d.raws[t.start-1].op <= byte(vm.PUSH4) {
			t.kind = tailSelect
			t.start -= 2
		}
		return t
	}
	if t.zeros > 0 && t.zeros < 256 {
		t.kind = tailZero
		return t
	}
	return tail{}
}

// finish writes a joined tail.
func (d *decoder) finish(c *decoded, t tail) {
	n := len(d.raws)
	s := step{pc: d.raws[n-1].pc, a: nowhere}
	if word := constant(c.bytes, d.raws[n-2].pc, d.raws[n-2].op); word.IsUint64() {
		s.a = destination(c, word.Uint64())
	}
	if t.kind == tailZero {
		if d.raws[t.start].save {
			d.save(c, &d.raws[t.start])
		}
		s.code, s.n = stepZeroJump, uint8(t.zeros)
		c.steps = append(c.steps, s)
		return
	}
	s.code, s.n = stepCompareJump, d.raws[t.compare].op
	if t.zeros%2 == 1 {
		s.n |= jumpNegated
	}
	if t.kind == tailSelect {
		s.code = stepSelectJump
		word := constant(c.bytes, d.raws[t.compare-1].pc, d.raws[t.compare-1].op)
		s.a = s.a<<32 | word.Uint64()
	}
	c.steps = append(c.steps, s)
}
