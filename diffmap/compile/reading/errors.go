// Package reading is how everything of a build is read: within limits, since strangers
// wrote it, and with errors that say where something is wrong, what it is and what to do
// about it.
package reading

import (
	"errors"
	"strings"

	"github.com/sightline-evm/sightline/internal/exit"
)

// What can be wrong with anything that is read. An [*Error] wraps a kind, one of these
// or of the packages above, so that a caller can tell them apart with errors.Is.
var (
	ErrSyntax      = errors.New("not valid JSON")
	ErrFormat      = errors.New("not a compiler's output")
	ErrTooLarge    = errors.New("too large")
	ErrNoContracts = errors.New("no contracts")
)

// Error says where something is wrong, what it is and what to do about it.
type Error struct {
	Origin  string // the file, or the compiler that answered
	Place   string // inside it: "line 3", "contract A"; may be empty
	Problem string
	Remedy  string // may be empty
	Excerpt string // of what a program wrote, in lines of its own; may be empty
	Kind    error  // what a caller can tell apart, such as ErrTooLarge
	Cause   error  // what was underneath; may be nil

	Places   []exit.Place // in sources that it is about
	Workflow string       // lines of YAML that would fix it; may be empty
}

// ErrorPlaces are the places in sources, see [exit.Places].
func (e *Error) ErrorPlaces() []exit.Place { return e.Places }

// ErrorFixes are the lines of the workflow, see [exit.Fixes].
func (e *Error) ErrorFixes() []exit.Fix {
	if e.Workflow == "" {
		return nil
	}
	return []exit.Fix{{Lines: e.Workflow}}
}

// Error is "origin: place: problem; remedy", and the excerpt below.
func (e *Error) Error() string {
	var parts []string
	for _, part := range []string{e.Origin, e.Place, e.Problem} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	message := strings.Join(parts, ": ")
	if e.Remedy != "" {
		message += "; " + e.Remedy
	}
	if e.Excerpt != "" {
		message += "\n" + e.Excerpt
	}
	return message
}

// Unwrap lets errors.Is find the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// At fills in the origin of an error that does not have one yet.
func At(origin string, err error) error {
	var e *Error
	if errors.As(err, &e) && e.Origin == "" {
		e.Origin = origin
	}
	return err
}
