package record

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// Conditions remembers the latest comparisons of a call, so that a JUMPI can
// tell which of them made its condition.
//
// Every stack word has a shadow: 0 for a word that no comparison made, else the
// comparison's number and whether the word is its negation. Shadows follow their
// words through DUP, SWAP and calls of internal functions; ISZERO flips the
// negation. A difference counts as the negation of an equality, since optimizers
// jump on a SUB, XOR or ADD instead of comparing. A word that went through memory
// or other arithmetic has no shadow: it is a value tested for zero.
//
// Numbers count the instructions that may make a condition, whether they did or
// not (an ISZERO of a comparison's truth makes none): what number a block's
// instructions have depends on nothing but where the block began, so that a
// machine can know it when it decodes the block.
type Conditions struct {
	ring [conditionRing]Condition
	Next uint32 // number of the latest, from 1 in each call
}

// conditionRing is how many comparisons a jump may lie behind the one that made
// its condition; beyond, the condition counts as a value tested for zero. A
// condition is mostly used within tens of instructions; an operand of && with a
// loop or an external call in the other operand lies further back.
const conditionRing = 1 << 11

// Condition is a comparison, or an instruction whose result is zero just when
// an equality holds.
type Condition struct {
	Op          byte
	Left, Right uint256.Int
}

// comparison is the condition as [evm.Comparison] describes it.
func (c *Condition) comparison() (op byte, left, right uint256.Int) {
	left, right = c.Left, c.Right
	switch vm.OpCode(c.Op) {
	case vm.ADD: // a + (-k), as optimizers write a - k: the negative one is k
		if left.Sign() < 0 {
			left.Neg(&left)
		} else {
			right.Neg(&right)
		}
		return byte(vm.EQ), left, right
	case vm.SUB, vm.XOR:
		return byte(vm.EQ), left, right
	}
	return c.Op, left, right
}

// Shadow is a comparison's number, shifted by one, and the negation bit.
type Shadow = uint32

func (c *Conditions) reset() { c.Next = 0 }

// Add remembers a comparison and returns the shadow of its truth.
func (c *Conditions) Add(op byte, left, right *uint256.Int) Shadow {
	c.Next++
	slot := c.At(c.Next)
	slot.Op, slot.Left, slot.Right = op, *left, *right
	return c.Next << 1
}

// At is where the condition of a number is remembered.
func (c *Conditions) At(number uint32) *Condition { return &c.ring[number%conditionRing] }

// find is the comparison behind a shadow; nil when there is none or it has been
// overwritten.
func (c *Conditions) find(s Shadow) *Condition {
	number := s >> 1
	if number == 0 || c.Next-number >= conditionRing {
		return nil
	}
	return c.At(number)
}
