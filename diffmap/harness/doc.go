// Package harness writes contracts in Solidity through which code can be called that no
// deployable contract of a build calls: internal functions of libraries, free functions, and
// what abstract contracts have.
//
// A library or a file of free functions gets a contract with an external wrapper for each
// function, an abstract contract a concrete child. The package writes text and compiles
// nothing: what a compiler does not take of the text is given to [Harness.Reject], which writes
// less of it. Names in ASTs are strangers' text: what is not an identifier is left out.
package harness

// Folder is the folder of sources that are written, below which projects have nothing.
const Folder = "sightline-harness"

// Contract is a contract that was written.
type Contract struct {
	Name   string // "FixedPointMathHarness"
	Of     string // what it makes callable: a contract's name, or the path of a source with free functions
	Source string // of Of, its path as compilers have it
	// Wrapped are the functions and modifiers that it exposes, by name, in order.
	Wrapped []string
	// Missing are those that it does not expose.
	Missing []Missing
}

// Missing is a declaration without a harness.
type Missing struct {
	Name   string // of the function, modifier or contract
	Reason string // a sentence's end, without a point
}
