package compile

import "errors"

// What can be wrong with a build: kinds of [reading.Error].
var (
	ErrNoAST       = errors.New("no AST")
	ErrNoSourceMap = errors.New("no source map")
	ErrStale       = errors.New("sources do not match the build")
	// ErrForeign is of a build whose bytecode is not that of its sources, and ErrUnchecked of
	// one of which that cannot be said.
	ErrForeign   = errors.New("bytecode of other sources")
	ErrUnchecked = errors.New("bytecode that cannot be checked")
	// ErrGaveUp is of sources that are not wrong, and of which a code generator cannot make code.
	ErrGaveUp = errors.New("the code generator has given up")
)
