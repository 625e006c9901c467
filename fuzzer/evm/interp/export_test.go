package interp

import "github.com/ethereum/go-ethereum/core/vm"

// Misread makes interpreters that decode from now on take one instruction for
// another where it stands alone (not as part of a joined step), until it is taken
// back.
func Misread(op, as vm.OpCode) (takeBack func()) {
	right := stepsOf.plain[op]
	stepsOf.plain[op] = stepsOf.plain[as]
	return func() { stepsOf.plain[op] = right }
}
