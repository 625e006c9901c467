package exit

import "errors"

// This file has what an error may carry besides its text and code: the places in the user's
// files that it is about, and what would mend it.

// Place is a place in a file of the user's.
type Place struct {
	File         string // as the error's maker knows it, with slashes
	Line, Column int    // from 1; 0: unknown
	Text         string // what is wrong there, one line; empty: as the error says
}

// Mend is lines of YAML that would mend an error.
type Mend struct {
	File  string // that they belong to; empty: the workflow
	Lines string
}

// At adds places to an error.
func At(err error, places ...Place) error {
	if err == nil {
		return nil
	}
	return &annotated{err: err, places: places}
}

// MendedBy adds to an error what would mend it.
func MendedBy(err error, mends ...Mend) error {
	if err == nil {
		return nil
	}
	return &annotated{err: err, mends: mends}
}

// annotated is an error with more than its text.
type annotated struct {
	err    error
	places []Place
	mends  []Mend
}

func (a *annotated) Error() string        { return a.err.Error() }
func (a *annotated) Unwrap() error        { return a.err }
func (a *annotated) ErrorPlaces() []Place { return a.places }
func (a *annotated) ErrorMends() []Mend   { return a.mends }

// Places are those of an error and of all that it wraps.
func Places(err error) []Place {
	var list []Place
	walk(err, func(err error) {
		if with, ok := err.(interface{ ErrorPlaces() []Place }); ok {
			list = append(list, with.ErrorPlaces()...)
		}
	})
	return list
}

// Mends are what would mend an error, and all that it wraps.
func Mends(err error) []Mend {
	var list []Mend
	walk(err, func(err error) {
		if with, ok := err.(interface{ ErrorMends() []Mend }); ok {
			list = append(list, with.ErrorMends()...)
		}
	})
	return list
}

// walk shows an error and all that it wraps to look, the outer ones first.
func walk(err error, look func(error)) {
	if err == nil {
		return
	}
	look(err)
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range several.Unwrap() {
			walk(e, look)
		}
		return
	}
	walk(errors.Unwrap(err), look)
}
