package lookahead

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// operation is what an opcode does to the stack's height.
type operation struct {
	defined      bool
	pops, pushes uint8
}

// operations are those of the newest fork that go-ethereum has scheduled for
// mainnet, Osaka. Older forks have fewer opcodes: where one of them would halt, the
// analysis continues, which only makes it answer "may reach" more often.
var operations = osaka()

func osaka() *[256]operation {
	set, err := vm.LookupInstructionSet(params.Rules{IsOsaka: true})
	if err != nil {
		panic("lookahead: go-ethereum has no instruction set for Osaka: " + err.Error())
	}
	table := new([256]operation)
	for op, o := range set {
		low, high := o.Stack()
		defined := o.HasCost() || op == int(vm.STOP) || op == int(vm.RETURN) || op == int(vm.REVERT) || op == int(vm.INVALID)
		table[op] = operation{defined, uint8(low), uint8(int(params.StackLimit) + low - high)}
	}
	return table
}

// instruction is a decoded instruction. Where its result is known without the
// state (PUSH, environment), value holds it: a common Value, or one of the program's
// pool.
type instruction struct {
	op    vm.OpCode
	value Value
	pc    uint32
}

// block is a decoded basic block.
type block struct {
	code      []instruction
	start     uint32
	need      int  // stack height without which some instruction underflows
	growth    int  // the most that the height rises above that at entry
	jumpdest  bool // starts with JUMPDEST: jumps may come here
	callSites []uint32
}

// code is a decoded program.
type code struct {
	program  *bytecode.Program
	deciders []decider // by block; nil until findDeciders
	blocks   []block
	calling  []bytecode.BlockID // blocks with callSites
	// open reports whether instances continue after the artifact's last byte: creation
	// code is followed by the constructor's arguments.
	open bool
	pool pool
}

// pool numbers words and sets of words that are not common Values: those of a program's
// instructions, or of its graph's states.
type pool struct {
	words  []set
	number map[set]Value // nil once all are numbered
}

// word is the common Value of a set of words, or its number in the pool.
func (p *pool) word(i set) Value {
	if v, ok := i.unsigned.small(); ok {
		return v
	}
	v, ok := p.number[i]
	if !ok {
		if p.number == nil {
			p.number = map[set]Value{}
		}
		v = pooledBit | Value(len(p.words))
		p.words = append(p.words, i)
		p.number[i] = v
	}
	return v
}

// resolve gives the pool's Values in an interner.
func (p *pool) resolve(v *values) []Value {
	of := make([]Value, len(p.words))
	for i := range p.words {
		of[i] = v.internSet(&p.words[i])
	}
	return of
}

// decode reads a program's blocks. Bytes that differ between instances are Top.
func decode(p *bytecode.Program) *code {
	c := &code{program: p, blocks: make([]block, len(p.Blocks))}
	c.open = p.Code != nil && p.Code.Kind == bytecode.Creation
	count := 0
	p.Instructions(func(uint32) bool { count++; return true })
	all := make([]instruction, 0, count)
	d := decoder{p: p, c: c, environment: environment()}
	p.Instructions(func(pc uint32) bool {
		all = append(all, d.instruction(pc))
		return true
	})
	at := 0
	for i, b := range p.Blocks {
		from := at
		for at < len(all) && all[at].pc < b.End {
			at++
		}
		c.blocks[i] = summarize(all[from:at:at], b.Start)
		if len(c.blocks[i].callSites) > 0 {
			c.calling = append(c.calling, bytecode.BlockID(i))
		}
	}
	return c
}

// summarize measures what a block does to the stack's height.
func summarize(code []instruction, start uint32) block {
	b := block{code: code, start: start, jumpdest: len(code) > 0 && code[0].op == vm.JUMPDEST}
	height := 0
	for _, in := range code {
		o := operations[in.op]
		b.need = max(b.need, int(o.pops)-height)
		height += int(o.pushes) - int(o.pops)
		b.growth = max(b.growth, height)
		switch in.op {
		case vm.CREATE, vm.CREATE2, vm.CALL, vm.CALLCODE, vm.DELEGATECALL, vm.STATICCALL:
			b.callSites = append(b.callSites, in.pc)
		}
	}
	return b
}

type decoder struct {
	p           *bytecode.Program
	c           *code
	environment [256]Value // by opcode
}

func (d *decoder) instruction(pc uint32) instruction {
	op := vm.OpCode(d.p.Bytes[pc])
	in := instruction{op: op, pc: pc}
	switch {
	case d.p.Varies(pc, pc+1):
		in.op = unexplained
	case op == vm.PUSH0:
		in.value = constant(0)
	case bytecode.PushSize(byte(op)) > 0:
		in.value = d.push(pc)
	default:
		in.value = d.environment[op]
	}
	return in
}

// push is the Value of PUSH1 to PUSH32. Data beyond the code's end is zero (yellow paper
// §9.4.1); in creation code it is the constructor's arguments.
func (d *decoder) push(pc uint32) Value {
	length := bytecode.PushSize(d.p.Bytes[pc])
	end := pc + 1 + length
	if d.p.Varies(pc+1, end) || d.c.open && int(end) > len(d.p.Bytes) {
		return Top
	}
	var word uint256.Int
	if data := d.p.Bytes[pc+1 : min(int(end), len(d.p.Bytes))]; length <= 4 {
		for i := range length {
			word[0] <<= 8
			if int(i) < len(data) {
				word[0] |= uint64(data[i])
			}
		}
	} else {
		var padded [32]byte
		copy(padded[32-length:], data)
		word.SetBytes32(padded[:])
	}
	v := d.c.pool.word(single(&word))
	if v&pooledBit == 0 && d.isDestination(word[0]) {
		v |= labelBit
	}
	return v
}

// isDestination reports whether a jump to a place is valid.
func (d *decoder) isDestination(pc uint64) bool {
	_, ok := d.p.StartsAt(pc)
	return ok && vm.OpCode(d.p.Bytes[pc]) == vm.JUMPDEST
}

// environment is what instructions that read the environment push. All of it is unknown,
// also what the code itself decides (its size, hash and places, and the gas that it takes):
// the program is a debug build, and what is said of it has to hold for the release build.
// Addresses are 20 bytes, and lengths, times and gas fit go-ethereum's uint64.
func environment() [256]Value {
	return [256]Value{
		vm.ADDRESS: address, vm.ORIGIN: address, vm.CALLER: address, vm.COINBASE: address,
		vm.CALLDATASIZE: size, vm.CODESIZE: size, vm.PC: size, vm.RETURNDATASIZE: size, vm.EXTCODESIZE: size,
		vm.TIMESTAMP: size, vm.NUMBER: size, vm.GASLIMIT: size, vm.GAS: size, vm.MSIZE: memory,
		vm.CREATE: address, vm.CREATE2: address,
		vm.CALL: boolean, vm.CALLCODE: boolean, vm.DELEGATECALL: boolean, vm.STATICCALL: boolean,
	}
}

// unexplained stands for an instruction that may differ between instances. No fork
// defines this opcode.
const unexplained vm.OpCode = 0x0c

// destination is the block that a jump to the word enters; false when the jump
// halts exceptionally.
func (c *code) destination(word *uint256.Int) (bytecode.BlockID, bool) {
	if !word.IsUint64() {
		return 0, false
	}
	b, ok := c.program.StartsAt(word[0])
	return b, ok && c.blocks[b].jumpdest
}

// beyond reports whether the word is a pc after the artifact's end where an instance may
// still have code.
func (c *code) beyond(word *uint256.Int) bool {
	return c.open && word.IsUint64() && word[0] >= uint64(len(c.program.Bytes)) && word[0] < maxMemory
}

// IsInvalid reports whether an opcode is INVALID or undefined.
func IsInvalid(op byte) bool { return vm.OpCode(op) == vm.INVALID || !operations[op].defined }
