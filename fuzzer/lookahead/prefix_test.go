package lookahead

import (
	"math"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestPathsThatCannotBe: a path on which the stack underflows, whose jump leads elsewhere, or which goes on where the frame ends is not
// understood.
func TestPathsThatCannotBe(t *testing.T) {
	const far = 0x50 // no place
	op := func(ops ...any) (code []byte) {
		for _, o := range ops {
			switch o := o.(type) {
			case vm.OpCode:
				code = append(code, byte(o))
			case int:
				code = append(code, byte(vm.PUSH1), byte(o))
			}
		}
		return code
	}
	for name, c := range map[string]struct {
		code []byte
		path bytecode.Path
		want bool
	}{
		"the first block":                   {op(vm.JUMPDEST), bytecode.Path{0}, true},
		"another block":                     {op(vm.STOP, vm.JUMPDEST), bytecode.Path{1}, false},
		"the next block":                    {op(vm.JUMPDEST, vm.JUMPDEST), bytecode.Path{0, 1}, true},
		"the next but one":                  {op(vm.JUMPDEST, vm.JUMPDEST, vm.JUMPDEST), bytecode.Path{0, 2}, false},
		"the block itself":                  {op(vm.JUMPDEST, vm.JUMPDEST), bytecode.Path{0, 0}, false},
		"an underflow":                      {op(vm.ADD, vm.JUMPDEST), bytecode.Path{0, 1}, false},
		"an underflow in the last block":    {op(vm.JUMPDEST, vm.JUMPDEST, vm.ADD), bytecode.Path{0, 1}, true},
		"behind a STOP":                     {op(vm.STOP, vm.JUMPDEST), bytecode.Path{0, 1}, false},
		"a jump":                            {op(4, vm.JUMP, vm.JUMPDEST, vm.JUMPDEST), bytecode.Path{0, 2}, true},
		"a jump elsewhere":                  {op(4, vm.JUMP, vm.JUMPDEST, vm.JUMPDEST), bytecode.Path{0, 1}, false},
		"a jump to an unknown place":        {op(vm.CALLVALUE, vm.JUMP, vm.JUMPDEST), bytecode.Path{0, 1}, true},
		"a jump to no JUMPDEST":             {op(vm.CALLVALUE, vm.JUMP, vm.ADD, vm.JUMPDEST), bytecode.Path{0, 1}, false},
		"a branch that is taken":            {op(1, 6, vm.JUMPI, vm.STOP, vm.JUMPDEST), bytecode.Path{0, 2}, true},
		"a branch that is taken, not taken": {op(1, 6, vm.JUMPI, vm.STOP, vm.JUMPDEST), bytecode.Path{0, 1}, false},
		"a branch that is not taken":        {op(0, 6, vm.JUMPI, vm.STOP, vm.JUMPDEST), bytecode.Path{0, 1}, true},
		"a branch that is not taken, taken": {op(0, 6, vm.JUMPI, vm.STOP, vm.JUMPDEST), bytecode.Path{0, 2}, false},
		"a branch to no place":              {op(vm.CALLVALUE, far, vm.JUMPI, vm.JUMPDEST, vm.JUMPDEST), bytecode.Path{0, 2}, false},
		"a branch to no place, not taken":   {op(vm.CALLVALUE, far, vm.JUMPI, vm.JUMPDEST, vm.JUMPDEST), bytecode.Path{0, 1}, true},
		"a branch to the next block":        {op(1, 5, vm.JUMPI, vm.JUMPDEST), bytecode.Path{0, 1}, true},
		"or on to it":                       {op(0, 5, vm.JUMPI, vm.JUMPDEST), bytecode.Path{0, 1}, true},
		"both sides in turn": { // the value is zero, and then it is not
			op(vm.CALLVALUE, vm.DUP1, 7, vm.JUMPI, vm.STOP, vm.STOP, vm.JUMPDEST, 12, vm.JUMPI, vm.STOP, vm.JUMPDEST), bytecode.Path{0, 3, 5}, true},
		"a side that the first excludes": {op(vm.CALLVALUE, vm.DUP1, 7, vm.JUMPI, vm.STOP, vm.STOP, vm.JUMPDEST, 12, vm.JUMPI, vm.STOP, vm.JUMPDEST), bytecode.Path{0, 3, 4}, false},
	} {
		v := newIntervals()
		p := newPrefix(v)
		decoded := decode(bytecode.NewTable(nil).Unknown(c.code))
		pool := decoded.pool.resolve(v)
		for range 2 { // what was asked before does not matter
			p.begin(decoded, pool, false)
			ok := true
			for _, b := range c.path {
				p.extend(b)
				_, ok = p.postcondition()
			}
			if ok != c.want {
				t.Errorf("%s: understood %t", name, ok)
			}
			p.begin(decoded, pool, false)
			p.resume(c.path)
			if _, ok := p.postcondition(); ok != c.want {
				t.Errorf("%s, at once: understood %t", name, ok)
			}
		}
	}
}

// TestFirstEntries: a path enters a block for the first time once, whatever earlier paths entered, also where their numbers wrap around.
func TestFirstEntries(t *testing.T) {
	p := newPrefix(newIntervals())
	decoded := decode(bytecode.NewTable(nil).Unknown([]byte{byte(vm.JUMPDEST), byte(vm.JUMPDEST), byte(vm.JUMPDEST)}))
	p.begin(decoded, nil, false)
	p.extend(2) // as path 1
	p.current = math.MaxUint32 - 1
	for range 4 {
		p.begin(decoded, nil, false)
		p.resume(bytecode.Path{0})
		for i, want := range []bool{false, true, false, true, false} {
			b := bytecode.BlockID([]int{0, 1, 1, 2, 2}[i])
			if first := p.extend(b); first != want {
				t.Errorf("path %d enters block %d first: %t", p.current, b, first)
			}
		}
	}
}
