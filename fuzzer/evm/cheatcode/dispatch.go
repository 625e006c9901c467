package cheatcode

import (
	"errors"
	"fmt"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"

	"github.com/sightline-evm/sightline/internal/abi"
)

// context is a call of a cheatcode.
type context struct {
	Host
	*State
	edge  *Edge
	by    common.Address // whose frame calls
	depth int            // of that frame
	fn    *cheat
}

// cheat is a cheatcode, ready to be called.
type cheat struct {
	*function
	name              string
	arguments, result []abi.Type
}

// raw is a failure that returns these bytes and no text.
type raw []byte

func (r raw) Error() string { return string(r) }

// index finds cheatcodes by selector. The table is our own: a signature in it that
// cannot be read is a broken invariant.
var index = sync.OnceValue(func() map[[4]byte]*cheat {
	cheats := make(map[[4]byte]*cheat, len(table))
	for i := range table {
		f := &table[i]
		c := &cheat{function: f, name: f.Name()}
		var err, resultErr error
		c.arguments, err = abi.Parse(f.Signature[len(c.name):])
		if f.Returns != "" {
			c.result, resultErr = abi.Parse("(" + f.Returns + ")")
		}
		if err := errors.Join(err, resultErr); err != nil {
			panic(fmt.Sprintf("cheatcode: %s: %v", f.Signature, err))
		}
		selector := [4]byte(crypto.Keccak256([]byte(f.Signature)))
		if cheats[selector] != nil {
			panic("cheatcode: " + f.Signature + " is twice in the table")
		}
		cheats[selector] = c
	}
	return cheats
})

// byteGas is what a byte of arguments costs, and textGas that of a text with JSON or
// TOML. The slowest work per byte is parsing JSON or TOML and encoding it, about 1,300
// ns, and otherwise about 40 ns; ordinary instructions take as long for their gas.
const (
	byteGas = 1
	textGas = 32
)

// Gas is the cost of a call of a cheatcode. Foundry's are free, which would let a call take
// longer than its gas allows.
func Gas(input []byte) uint64 {
	gas := uint64(len(input)) * byteGas
	if len(input) < 4 {
		return gas
	}
	c := index()[[4]byte(input)]
	switch {
	case c == nil:
	case c.curve:
		gas += params.EcrecoverGas // as much work
	case c.text:
		gas *= textGas / byteGas
	}
	return gas
}

// Run calls a cheatcode for a frame: by is the account it acts for, depth its depth.
// The output is returned to the caller; with ok false, it is the reason of the failure.
func Run(h Host, s *State, edge *Edge, by common.Address, depth int, input []byte) (output []byte, ok bool) {
	if edge == nil {
		edge = &Edge{}
	}
	if depth < 0 {
		return failure("cheatcodes are called by contracts, not by transactions"), false
	}
	if len(input) < 4 {
		return failure("the call of a cheatcode has no selector"), false
	}
	fn := index()[[4]byte(input)]
	if fn == nil {
		return failure(fmt.Sprintf("unknown cheatcode 0x%x: Sightline does not know it; it may be newer than Foundry 1.7", input[:4])), false
	}
	if fn.Status == refused || fn.run == nil && fn.Status != accepted {
		return failure(fmt.Sprintf("vm.%s: %s", fn.name, fn.Note)), false
	}
	c := &context{Host: h, State: s, edge: edge, by: by, depth: depth, fn: fn}
	results, err := c.call(input[4:])
	if err != nil {
		if s.Revert != nil && s.Revert.by == nil {
			s.Revert.by = &Address // as in Foundry, where it counts as who reverted first
		}
		var bare raw
		if errors.As(err, &bare) {
			return bare, false
		}
		var text bareText
		if errors.As(err, &text) {
			return failure(string(text)), false
		}
		return failure(fmt.Sprintf("vm.%s: %s", fn.name, err)), false
	}
	return abi.Append(nil, fn.result, results), true
}

// call decodes the arguments and runs the cheatcode.
func (c *context) call(input []byte) ([]abi.Value, error) {
	arguments, err := decode(c.fn.arguments, input)
	if err != nil {
		return nil, err
	}
	if c.fn.run == nil { // accepted
		return abi.Zeros(c.fn.result), nil
	}
	return c.fn.run(c, arguments)
}
