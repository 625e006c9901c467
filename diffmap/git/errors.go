package git

import "errors"

// ErrNothingToCompare is wrapped by the [Error] of [Repository.DefaultBase] when the
// working tree equals its own base.
var ErrNothingToCompare = errors.New("there is nothing to compare")

// Error says that a git call failed, or that the repository does not hold
// what was asked of it.
type Error struct {
	Op     string // what was tried, in words: "find the base revision"
	Msg    string // what went wrong
	Remedy string // what the user can do; may be empty
	Err    error  // the cause, if there is one to unwrap
}

func (e *Error) Error() string {
	s := "cannot " + e.Op + ": " + e.Msg
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
