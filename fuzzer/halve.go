package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// This file makes attacks ask for half. Attacks name the stake wherever a number is asked for, and most of what a contract lends, or lets an account take out, is part of
// what it has been given for that.

// maxHalved bounds the attacks that ask for half. Arbitrary: a protocol has some dozens of functions.
const maxHalved = 64

// halving is a function of which half was asked for, behind another one or none.
type halving struct {
	function, before *input.Function
}

// watchRefusal goes on from an attack whose last call was refused: it asks for half, of what the call itself pays or the attacker's contract has paid before.
func (a *attacks) watchRefusal(seq input.Sequence, exec *evm.Execution) {
	last := len(seq) - 1
	if exec.Calls[last].Outcome != evm.Reverted || seq[last].Script != nil || len(a.halved) >= maxHalved {
		return
	}
	from, _, ok := a.space.Attack(seq)
	if !ok || from > maxBefore || a.space.Length(seq[from:]) > maxAttackCalls || from == last && seq[last].Value.IsZero() {
		return
	}
	by := halving{function: seq[last].Function}
	if last > from {
		by.before = seq[last-1].Function
	}
	if half, ok := input.Halved(seq); ok && !a.halved[by] && !a.fallsShort(exec) { // what cannot be paid is more often nothing than less
		a.halved[by] = true
		a.resumed = append(a.resumed, half)
	}
}
