package evm

import (
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// conditions remembers the latest comparisons of a call, so that a JUMPI can
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
type conditions struct {
	ring [conditionRing]condition
	next uint32 // number of the latest, from 1 in each call
}

// conditionRing is how many comparisons a jump may lie behind the one that made
// its condition; beyond, the condition counts as a value tested for zero. A
// condition is mostly used within tens of instructions; an operand of && with a
// loop or an external call in the other operand lies further back.
const conditionRing = 1 << 11

// condition is a comparison, or an instruction whose result is zero just when
// an equality holds.
type condition struct {
	op          byte
	left, right uint256.Int
}

// comparison is the condition as [Comparison] describes it.
func (c *condition) comparison() (op byte, left, right uint256.Int) {
	left, right = c.left, c.right
	switch vm.OpCode(c.op) {
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
	return c.op, left, right
}

// shadow is a comparison's number, shifted by one, and the negation bit.
type shadow = uint32

func (c *conditions) reset() { c.next = 0 }

// add remembers a comparison and returns the shadow of its truth.
func (c *conditions) add(op byte, left, right *uint256.Int) shadow {
	c.next++
	slot := c.at(c.next)
	slot.op, slot.left, slot.right = op, *left, *right
	return c.next << 1
}

// at is where the condition of a number is remembered.
func (c *conditions) at(number uint32) *condition { return &c.ring[number%conditionRing] }

// find is the comparison behind a shadow; nil when there is none or it has been
// overwritten.
func (c *conditions) find(s shadow) *condition {
	number := s >> 1
	if number == 0 || c.next-number >= conditionRing {
		return nil
	}
	return c.at(number)
}
