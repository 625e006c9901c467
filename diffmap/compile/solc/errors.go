package solc

import "errors"

// What can be wrong with a compiler: kinds of [reading.Error].
var (
	ErrNoCompiler = errors.New("no suitable compiler")
	ErrCompile    = errors.New("the sources do not compile")
	// ErrTrapped is of a compiler's WebAssembly that has given up on an input, and an ErrCompile.
	ErrTrapped = errors.New("the compiler's WebAssembly has given up")
)
