package diffmap

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// printable returns a name of the diff for a message: as it is, or quoted if it
// holds control or other invisible characters, which could forge output.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// DiffError says that a diff could not be read or cannot be trusted, where the
// trouble is and what to do about it.
type DiffError struct {
	Line   int    // 1-based line of the diff; 0 when the trouble has no line
	Msg    string // what is wrong
	Remedy string // what the user can do; may be empty
}

func (e *DiffError) Error() string {
	s := "the diff could not be read: "
	if e.Line > 0 {
		s += fmt.Sprintf("line %d: ", e.Line)
	}
	s += e.Msg
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// MismatchError says that a source file is not the head version that the diff
// describes.
type MismatchError struct {
	Path string // path of the file in the head tree
	Line int    // 1-based line of the head file at which the two disagree
	Msg  string // what was expected there
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("the sources don't match the diff: %s:%d: %s; make the diff and the build from the same tree",
		printable(e.Path), e.Line, e.Msg)
}

// ErrNothingToCompare is wrapped by the [GitError] of [Git.DefaultBase] when the
// working tree equals its own base.
var ErrNothingToCompare = errors.New("there is nothing to compare")

// GitError says that a git call failed, or that the repository does not hold
// what was asked of it.
type GitError struct {
	Op     string // what was tried, in words: "find the base revision"
	Msg    string // what went wrong
	Remedy string // what the user can do; may be empty
	Err    error  // the cause, if there is one to unwrap
}

func (e *GitError) Error() string {
	s := "cannot " + e.Op + ": " + e.Msg
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// Unwrap returns the cause.
func (e *GitError) Unwrap() error { return e.Err }
