package solc

import "errors"

// What can be wrong with a compiler: kinds of [reading.Error].
var (
	ErrNoCompiler = errors.New("no suitable compiler")
	ErrCompile    = errors.New("the sources do not compile")
)
