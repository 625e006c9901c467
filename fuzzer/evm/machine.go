// Package evm is the machine: it runs a [Sequence] on a [World] and yields an
// [Execution]. Nothing above it and its parts sees EVM state.
//
// It says what a machine takes and gives, and compares machines ([Differ], [Checked]).
// The machines themselves are two packages that import nothing of each other, so that
// they cannot have code for the state in common: a fault in such code would never
// show as a difference between them.
//
//	interp   our interpreter, which campaigns run on
//	gethvm   go-ethereum's interpreter, whose answer counts
//
// Anything that both need and that is not state is in internal packages below this one:
// record makes an Execution of what a machine tells it, cheats brings cheatcodes to a
// machine, source reads the World, and forks has the rules of each fork.
package evm

// Machine runs sequences from one World. A Machine is used by one goroutine.
type Machine interface {
	// Run executes the sequence from the World. The Execution is valid until the
	// next Run. What the contract does, reverts and faults included, is in the
	// Execution; an error means that the machine itself failed.
	Run(Sequence) (*Execution, error)
}
