package compile

import "errors"

// What can be wrong with a build: kinds of [reading.Error].
var (
	ErrNoAST       = errors.New("no AST")
	ErrNoSourceMap = errors.New("no source map")
	ErrStale       = errors.New("sources do not match the build")
)
