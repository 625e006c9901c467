package interp

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// loop runs the frame's code with some gas, from its first instruction on. It
// returns how the frame ended, what it returned and the gas that is left.
//
// A step either continues with the next one, or returns, or breaks out of the
// switch when the gas that is left does not cover what it costs beyond the
// block's static gas. Nothing has changed then. That gas may be short because the
// head has charged for instructions that are still ahead, so the rest of the
// block is run instruction by instruction: it cannot be paid for, but it is only
// known there which instruction fails. The same is done with a block that gas or
// stack do not suffice for; a block that runs in this way always fails.
//
//nolint:funlen,gocognit // one flat switch: the compiler makes a jump table of it, and keeps what all steps use in registers
func (m *Interpreter) loop(f *frame, gas uint64) (evm.Outcome, []byte, uint64) {
	var (
		code    = f.code
		steps   = code.steps
		stack   = f.stack
		sp      int           // words on the stack
		at      int           // index of the next step
		b       *block        // the current block
		base    uint32        // number of the latest condition before the block
		js      record.Shadow // of what the block's JUMPI tests
		precise bool          // every instruction has a head
	)
	if len(steps) == 0 {
		m.decoder.trace(code, 0)
		steps = code.steps
	}
	for {
		in := &steps[at]
		at++
		switch in.code {
		case stepBlock:
			b = &code.blocks[in.a]
			base = m.rec.Conditions.Next
			if sp < int(b.need) || sp > int(b.room) || gas < uint64(b.gas) {
				outcome := m.arrive(f, b, sp)
				if precise {
					return outcome, nil, 0
				}
				f.Steps--
				code = m.precisely(f.code, b, base, 0)
				steps, at, precise = code.steps, 0, true
				continue
			}
			gas -= uint64(b.gas)
			switch {
			case b.row > 0:
				m.enter(f, code, b.from, int(b.row), int(b.length))
			case b.id >= 0:
				f.Steps++
				m.rec.EnterBlock(f.Active, bytecode.BlockID(b.id))
				f.Steps += int(b.length) - 1
			default:
				f.Steps += int(b.length)
			}
			m.rec.Conditions.Next += uint32(b.conditions)
			if b.first != b.last || b.deciding.kind != symbolNone {
				js = m.shadow(f.Active, code, b, sp, base)
			} else {
				js = 0
			}
			continue
		case stepEnter:
			m.enter(f, code, uint32(in.a), int(in.n), int(in.at))
			continue
		case stepGoto:
			if in.n == 0 {
				at = m.patch(code, at-1)
				steps = code.steps
				continue
			}
			at = int(in.a)
			continue
		case stepSave:
			c := m.rec.Conditions.At(base + 1 + uint32(in.a))
			c.Op = in.n
			copyWord(&c.Left, &stack[(sp-1)&stackMask])
			copyWord(&c.Right, &stack[(sp-2)&stackMask])
			continue
		case stepSaveZero:
			c := m.rec.Conditions.At(base + 1 + uint32(in.a))
			c.Op, c.Right = in.n, uint256.Int{}
			copyWord(&c.Left, &stack[(sp-1)&stackMask])
			continue

		case stepPush:
			stack[sp&stackMask] = uint256.Int{in.a}
			sp++
			continue
		case stepPushWide:
			copyWord(&stack[sp&stackMask], &code.words[in.a])
			sp++
			continue
		case stepPop:
			sp--
			continue
		case stepPopPop:
			sp -= 2
			continue
		case stepDup:
			copyWord(&stack[sp&stackMask], &stack[(sp-int(in.n))&stackMask])
			sp++
			continue
		case stepSwap:
			swapWords(&stack[(sp-1)&stackMask], &stack[(sp-1-int(in.n))&stackMask])
			continue
		case stepSwapPop:
			sp--
			copyWord(&stack[(sp-int(in.n))&stackMask], &stack[sp&stackMask])
			continue
		case stepSwapSwapPop:
			x, y := &stack[(sp-1)&stackMask], &stack[(sp-1-int(in.n))&stackMask]
			swapWords(x, y)
			sp--
			copyWord(&stack[(sp-int(in.a))&stackMask], x)
			continue
		case stepDupDup:
			copyWord(&stack[sp&stackMask], &stack[(sp-int(in.n))&stackMask])
			sp++
			copyWord(&stack[sp&stackMask], &stack[(sp-int(in.a))&stackMask])
			sp++
			continue
		case stepPushDup:
			stack[sp&stackMask] = uint256.Int{in.a}
			sp++
			copyWord(&stack[sp&stackMask], &stack[(sp-int(in.n))&stackMask])
			sp++
			continue
		case stepDupPush:
			copyWord(&stack[sp&stackMask], &stack[(sp-int(in.n))&stackMask])
			stack[(sp+1)&stackMask] = uint256.Int{in.a}
			sp += 2
			continue

		case stepShuffle:
			sp = shuffle(code, stack, sp, in, 0)
			continue
		case stepMove:
			copyWord(&stack[(sp+int(int16(in.a)))&stackMask], &stack[(sp+int(int16(in.a>>16)))&stackMask])
			sp += int(int32(in.a >> 32))
			continue
		case stepShuffleJump:
			x := stack[(sp+int(code.moves[in.a>>32].from))&stackMask]
			sp = shuffle(code, stack, sp, in, 1)
			if x[0] < uint64(len(code.entry)) && x.IsUint64() {
				if known := code.entry[x[0]]; known > 0 {
					at = int(known - 1)
					continue
				}
			}
			next, ok := m.target(code, &x)
			if !ok {
				f.LastPC = in.pc
				return evm.InvalidJump, nil, 0
			}
			at, steps = next, code.steps
			continue
		case stepShuffleGo:
			sp = shuffle(code, stack, sp, in, 1)

		case stepAdd:
			sp--
			y := &stack[(sp-1)&stackMask]
			y.Add(&stack[sp&stackMask], y)
			continue
		case stepPushAdd:
			y := &stack[(sp-1)&stackMask]
			y.AddUint64(y, in.a)
			continue
		case stepMul:
			sp--
			y := &stack[(sp-1)&stackMask]
			y.Mul(&stack[sp&stackMask], y)
			continue
		case stepSub:
			sp--
			y := &stack[(sp-1)&stackMask]
			y.Sub(&stack[sp&stackMask], y)
			continue
		case stepDiv:
			sp--
			y := &stack[(sp-1)&stackMask]
			y.Div(&stack[sp&stackMask], y)
			continue
		case stepSdiv:
			sp--
			y := &stack[(sp-1)&stackMask]
			y.SDiv(&stack[sp&stackMask], y)
			continue
		case stepMod:
			sp--
			y := &stack[(sp-1)&stackMask]
			y.Mod(&stack[sp&stackMask], y)
			continue
		case stepSmod:
			sp--
			y := &stack[(sp-1)&stackMask]
			y.SMod(&stack[sp&stackMask], y)
			continue
		case stepAddmod:
			sp -= 2
			z := &stack[(sp-1)&stackMask]
			z.AddMod(&stack[(sp+1)&stackMask], &stack[sp&stackMask], z)
			continue
		case stepMulmod:
			sp -= 2
			z := &stack[(sp-1)&stackMask]
			z.MulMod(&stack[(sp+1)&stackMask], &stack[sp&stackMask], z)
			continue
		case stepExp:
			y := &stack[(sp-2)&stackMask]
			cost := uint64(y.ByteLen()) * params.ExpByteEIP158
			if gas < cost {
				break
			}
			gas, m.rec.Work = gas-cost, m.rec.Work+cost // a gas takes the time of about one instruction here
			sp--
			y.Exp(&stack[sp&stackMask], y)
			continue
		case stepSignextend:
			sp--
			y := &stack[(sp-1)&stackMask]
			y.ExtendSign(y, &stack[sp&stackMask])
			continue
		case stepLt:
			sp--
			y := &stack[(sp-1)&stackMask]
			setBool(y, stack[sp&stackMask].Lt(y))
			continue
		case stepGt:
			sp--
			y := &stack[(sp-1)&stackMask]
			setBool(y, y.Lt(&stack[sp&stackMask]))
			continue
		case stepSlt:
			sp--
			y := &stack[(sp-1)&stackMask]
			setBool(y, stack[sp&stackMask].Slt(y))
			continue
		case stepSgt:
			sp--
			y := &stack[(sp-1)&stackMask]
			setBool(y, stack[sp&stackMask].Sgt(y))
			continue
		case stepEq:
			sp--
			y := &stack[(sp-1)&stackMask]
			setBool(y, stack[sp&stackMask] == *y)
			continue
		case stepIszero:
			y := &stack[(sp-1)&stackMask]
			setBool(y, y.IsZero())
			continue
		case stepAnd:
			sp--
			y := &stack[(sp-1)&stackMask]
			y.And(&stack[sp&stackMask], y)
			continue
		case stepPushAnd:
			y := &stack[(sp-1)&stackMask]
			*y = uint256.Int{y[0] & in.a}
			continue
		case stepPushAndWide:
			y := &stack[(sp-1)&stackMask]
			y.And(&code.words[in.a], y)
			continue
		case stepOr:
			sp--
			y := &stack[(sp-1)&stackMask]
			y.Or(&stack[sp&stackMask], y)
			continue
		case stepXor:
			sp--
			y := &stack[(sp-1)&stackMask]
			y.Xor(&stack[sp&stackMask], y)
			continue
		case stepNot:
			y := &stack[(sp-1)&stackMask]
			y.Not(y)
			continue
		case stepByte:
			sp--
			stack[(sp-1)&stackMask].Byte(&stack[sp&stackMask])
			continue
		case stepShl:
			sp--
			x, y := &stack[sp&stackMask], &stack[(sp-1)&stackMask]
			if x.LtUint64(256) {
				y.Lsh(y, uint(x[0]))
			} else {
				y.Clear()
			}
			continue
		case stepPushShl:
			y := &stack[(sp-1)&stackMask]
			y.Lsh(y, uint(in.a))
			continue
		case stepShr:
			sp--
			x, y := &stack[sp&stackMask], &stack[(sp-1)&stackMask]
			if x.LtUint64(256) {
				y.Rsh(y, uint(x[0]))
			} else {
				y.Clear()
			}
			continue
		case stepPushShr:
			y := &stack[(sp-1)&stackMask]
			y.Rsh(y, uint(in.a))
			continue
		case stepSar:
			sp--
			x, y := &stack[sp&stackMask], &stack[(sp-1)&stackMask]
			if x.LtUint64(256) {
				y.SRsh(y, uint(x[0]))
			} else {
				y.SRsh(y, 256)
			}
			continue
		case stepClz:
			y := &stack[(sp-1)&stackMask]
			*y = uint256.Int{256 - uint64(y.BitLen())}
			continue

		case stepSwapPopJump:
			copyWord(&stack[(sp-1-int(in.n))&stackMask], &stack[(sp-1)&stackMask])
			fallthrough
		case stepPopJump:
			sp--
			fallthrough
		case stepJump:
			sp--
			x := &stack[sp&stackMask]
			if x[0] < uint64(len(code.entry)) && x.IsUint64() {
				if known := code.entry[x[0]]; known > 0 {
					at = int(known - 1)
					continue
				}
			}
			next, ok := m.target(code, x)
			if !ok {
				f.LastPC = in.pc
				return evm.InvalidJump, nil, 0
			}
			at, steps = next, code.steps
			continue
		case stepPushDupPushJump:
			stack[sp&stackMask] = uint256.Int{in.a & (1<<32 - 1)}
			sp++
			copyWord(&stack[sp&stackMask], &stack[(sp-int(in.n))&stackMask])
			sp++
			fallthrough
		case stepPushJump:
			dest := in.a >> 32
			if dest < uint64(len(code.entry)) {
				if known := code.entry[dest]; known > 0 {
					at = int(known - 1)
					continue
				}
			}
			next, ok := m.constant(code, dest)
			if !ok {
				f.LastPC = in.pc
				return evm.InvalidJump, nil, 0
			}
			at, steps = next, code.steps
			continue
		case stepJumpi:
			sp -= 2
			x, y := &stack[(sp+1)&stackMask], &stack[sp&stackMask]
			m.rec.Branch(f.Active, in.pc, y, js)
			if y.IsZero() {
				continue
			}
			next, ok := m.target(code, x)
			if !ok {
				f.LastPC = in.pc
				return evm.InvalidJump, nil, 0
			}
			at, steps = next, code.steps
			continue
		case stepPushJumpi:
			sp--
			y := &stack[sp&stackMask]
			m.rec.Branch(f.Active, in.pc, y, js)
			if y.IsZero() {
				continue
			}
		case stepCompareJump:
			sp -= 2
			x, y := &stack[(sp+1)&stackMask], &stack[sp&stackMask]
			taken := holds(in.n, x, y)
			if d := m.rec.Decision(f.Active, in.pc, taken); d != nil {
				d.Op, d.Negated = in.n&^jumpNegated, in.n&jumpNegated != 0
				copyWord(&d.Left, x)
				copyWord(&d.Right, y)
			}
			if !taken {
				continue
			}
		case stepSelectJump:
			x, y := uint256.Int{in.a & (1<<32 - 1)}, &stack[(sp-1)&stackMask]
			taken := holds(in.n, &x, y)
			if d := m.rec.Decision(f.Active, in.pc, taken); d != nil {
				d.Op, d.Negated, d.Left = in.n&^jumpNegated, in.n&jumpNegated != 0, x
				copyWord(&d.Right, y)
			}
			if !taken {
				continue
			}
		case stepZeroJump:
			sp--
			y := &stack[sp&stackMask]
			taken := y.IsZero() == (in.n%2 == 1)
			if js != 0 {
				condition := uint256.Int{boolWord(taken)}
				m.rec.Branch(f.Active, in.pc, &condition, js)
			} else if d := m.rec.Decision(f.Active, in.pc, taken); d != nil {
				d.Op, d.Negated, d.Right = byte(vm.ISZERO), in.n%2 == 0, uint256.Int{}
				copyWord(&d.Left, y)
			}
			if !taken {
				continue
			}

		case stepCalldataload:
			y := &stack[(sp-1)&stackMask]
			if o := y[0]; y.IsUint64() && o+32 > o && o+32 <= uint64(len(f.input)) {
				loadWord(y, f.input[o:o+32])
			} else {
				padWord(y, f.input)
			}
			continue
		case stepCaller:
			stack[sp&stackMask].SetBytes20(f.Caller[:])
			sp++
			continue
		case stepCallvalue:
			copyWord(&stack[sp&stackMask], &f.Value)
			sp++
			continue
		case stepCalldatasize:
			stack[sp&stackMask] = uint256.Int{uint64(len(f.input))}
			sp++
			continue
		case stepReturndatasize:
			stack[sp&stackMask] = uint256.Int{uint64(len(f.returned))}
			sp++
			continue
		case stepEnvironment:
			m.environment(f, in.n, &stack[sp&stackMask])
			sp++
			continue
		case stepReplace:
			m.replace(in.n, &stack[(sp-1)&stackMask])
			continue
		case stepGas:
			stack[sp&stackMask] = uint256.Int{gas}
			sp++
			continue

		case stepMload:
			y := &stack[(sp-1)&stackMask]
			if o := y[0]; !y.IsUint64() || o+32 < o || o+32 > uint64(len(f.memory)) {
				cost, ok := f.grow(y, 32, gas)
				if !ok {
					break
				}
				gas -= cost
			}
			loadWord(y, f.memory[y[0]:])
			continue
		case stepPushMload:
			if in.a+32 < in.a || in.a+32 > uint64(len(f.memory)) {
				cost, ok := f.grow(&uint256.Int{in.a}, 32, gas)
				if !ok {
					break
				}
				gas -= cost
			}
			loadWord(&stack[sp&stackMask], f.memory[in.a:])
			sp++
			continue
		case stepMstore:
			x := &stack[(sp-1)&stackMask]
			if o := x[0]; !x.IsUint64() || o+32 < o || o+32 > uint64(len(f.memory)) {
				cost, ok := f.grow(x, 32, gas)
				if !ok {
					break
				}
				gas -= cost
			}
			sp -= 2
			storeWord(f.memory[x[0]:], &stack[sp&stackMask])
			continue
		case stepPushMstore:
			if in.a+32 < in.a || in.a+32 > uint64(len(f.memory)) {
				cost, ok := f.grow(&uint256.Int{in.a}, 32, gas)
				if !ok {
					break
				}
				gas -= cost
			}
			sp--
			storeWord(f.memory[in.a:], &stack[sp&stackMask])
			continue
		case stepMstore8:
			x := &stack[(sp-1)&stackMask]
			cost, ok := f.grow(x, 1, gas)
			if !ok {
				break
			}
			gas -= cost
			sp -= 2
			f.memory[x[0]] = byte(stack[sp&stackMask][0])
			continue
		case stepKeccak:
			left, ok := m.keccak(f, sp, gas)
			if !ok {
				break
			}
			gas = left
			sp--
			continue
		case stepCopy:
			left, outcome, ok := m.copy(f, in.n, sp, gas)
			if !ok {
				break
			}
			if outcome != evm.Success {
				f.LastPC = in.pc
				return outcome, nil, 0
			}
			gas = left
			sp -= 3
			continue
		case stepExtcodecopy:
			left, ok := m.extcodecopy(f, sp, gas)
			if !ok {
				break
			}
			gas = left
			sp -= 4
			continue
		case stepMcopy:
			left, ok := m.mcopy(f, sp, gas)
			if !ok {
				break
			}
			gas = left
			sp -= 3
			continue
		case stepAccount:
			left, ok := m.account(in.n, &stack[(sp-1)&stackMask], gas)
			if !ok {
				break
			}
			gas = left
			continue

		case stepSload:
			left, ok := m.sload(f, in.pc, &stack[(sp-1)&stackMask], gas)
			if !ok {
				break
			}
			gas = left
			continue
		case stepSstore:
			if f.static {
				f.LastPC = in.pc
				return evm.StaticViolation, nil, 0
			}
			sp -= 2
			left, ok := m.sstore(f, in.pc, &stack[(sp+1)&stackMask], &stack[sp&stackMask], gas)
			if !ok {
				f.LastPC = in.pc
				return evm.OutOfGas, nil, 0
			}
			gas = left
			continue
		case stepTload:
			y := &stack[(sp-1)&stackMask]
			*y = m.ledger.transient[transientWord{f.entry, *y}]
			continue
		case stepTstore:
			if f.static {
				f.LastPC = in.pc
				return evm.StaticViolation, nil, 0
			}
			sp -= 2
			m.ledger.setTransient(f.entry, &stack[(sp+1)&stackMask], &stack[sp&stackMask])
			continue
		case stepLog:
			left, outcome, ok := m.log(f, in, sp, gas)
			if !ok {
				break
			}
			if outcome != evm.Success {
				f.LastPC = in.pc
				return outcome, nil, 0
			}
			gas = left
			sp -= 2 + int(in.n)
			continue

		case stepCreate:
			f.LastPC = in.pc
			left, outcome := m.create(f, vm.OpCode(in.n), sp, gas)
			if outcome != evm.Success {
				return outcome, nil, 0
			}
			gas = left
			sp -= 2
			if vm.OpCode(in.n) == vm.CREATE2 {
				sp--
			}
			steps = code.steps
			continue
		case stepCall:
			f.LastPC = in.pc
			left, outcome := m.call(f, vm.OpCode(in.n), sp, gas)
			if outcome != evm.Success {
				return outcome, nil, 0
			}
			gas = left
			sp -= 5
			if op := vm.OpCode(in.n); op == vm.CALL || op == vm.CALLCODE {
				sp--
			}
			steps = code.steps
			continue
		case stepStop:
			f.LastPC = in.pc
			return evm.Success, nil, gas
		case stepReturn, stepRevert:
			f.LastPC = in.pc
			output, left, ok := m.output(f, sp, gas)
			if !ok {
				return evm.OutOfGas, nil, 0
			}
			if in.code == stepRevert {
				return evm.Reverted, output, left
			}
			return evm.Success, output, left
		case stepSelfdestruct:
			f.LastPC = in.pc
			left, outcome := m.selfdestruct(f, &stack[(sp-1)&stackMask], gas)
			return outcome, nil, left
		case stepInvalid:
			f.LastPC = in.pc
			return evm.InvalidOpcode, nil, 0
		}
		switch in.code {
		case stepPushJumpi, stepCompareJump, stepSelectJump, stepZeroJump, stepShuffleGo:
			dest := in.a
			switch in.code {
			case stepSelectJump:
				dest >>= 32
			case stepShuffleGo:
				dest = code.moves[in.a>>32].a
			}
			if dest < uint64(len(code.entry)) {
				if known := code.entry[dest]; known > 0 {
					at = int(known - 1)
					continue
				}
			}
			next, ok := m.constant(code, dest)
			if !ok {
				f.LastPC = in.pc
				return evm.InvalidJump, nil, 0
			}
			at, steps = next, code.steps
		default:
			if precise {
				f.LastPC = in.pc
				return evm.OutOfGas, nil, 0
			}
			gas += m.retract(f, b, in.at)
			code = m.precisely(f.code, b, base, in.at)
			steps, at, precise = code.steps, 0, true
		}
	}
}
