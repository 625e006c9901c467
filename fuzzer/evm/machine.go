// Package evm is the machine: it runs a [Sequence] on a [World] and yields an
// [Execution]. It is the only package that sees EVM state.
package evm

// Machine runs sequences from one World. A Machine is used by one goroutine.
type Machine interface {
	// Run executes the sequence from the World. The Execution is valid until the
	// next Run. What the contract does, reverts and faults included, is in the
	// Execution; an error means that the machine itself failed.
	Run(Sequence) (*Execution, error)
}
