// Package exit has the program's exit codes, and errors that carry one. With them, every
// layer above the libraries says whether the user's input or the project to be fuzzed caused
// an error.
package exit

import (
	"errors"
	"fmt"
)

// The exit codes.
const (
	Pass     = 0   // pass, or nothing to do
	Fail     = 1   // the gate failed, or a claim does not hold
	Input    = 2   // bad input or configuration
	Failure  = 3   // could not fuzz
	Canceled = 130 // 128 + SIGINT, as in shells
)

// coded is an error with the exit code that it ends the program with.
type coded struct {
	code int
	err  error
}

func (e *coded) Error() string { return e.err.Error() }
func (e *coded) Unwrap() error { return e.err }

// BadInput returns an error caused by the user's input: exit code [Input].
func BadInput(format string, args ...any) error {
	return &coded{Input, fmt.Errorf(format, args...)}
}

// CannotFuzz returns an error that means that nothing could be fuzzed: exit code [Failure].
func CannotFuzz(format string, args ...any) error {
	return &coded{Failure, fmt.Errorf(format, args...)}
}

// Code returns the exit code that an error carries, or otherwise if it carries none.
func Code(err error, otherwise int) int {
	var c *coded
	if errors.As(err, &c) {
		return c.code
	}
	return otherwise
}
