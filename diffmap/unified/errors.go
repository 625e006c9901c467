package unified

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Printable returns a name of the diff for a message: as it is, or quoted if it
// holds control or other invisible characters, which could forge output.
func Printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// Error says that a diff could not be read or cannot be trusted, where the
// trouble is and what to do about it.
type Error struct {
	Line   int    // 1-based line of the diff; 0 when the trouble has no line
	Msg    string // what is wrong
	Remedy string // what the user can do; may be empty
}

func (e *Error) Error() string {
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
		Printable(e.Path), e.Line, e.Msg)
}
