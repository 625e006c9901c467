package exit

import "errors"

// This file has what an error may carry besides its text and code: the places in the user's
// files that it is about, and what would fix it.

// Place is a place in a file of the user's.
type Place struct {
	File         string // as the error's maker knows it, with slashes
	Line, Column int    // from 1; 0: unknown
	Text         string // what is wrong there, one line; empty: as the error says
}

// Fix is lines of YAML that would fix an error.
type Fix struct {
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

// FixedBy adds to an error what would fix it.
func FixedBy(err error, fixes ...Fix) error {
	if err == nil {
		return nil
	}
	return &annotated{err: err, fixes: fixes}
}

// annotated is an error with more than its text.
type annotated struct {
	err    error
	places []Place
	fixes  []Fix
}

func (a *annotated) Error() string        { return a.err.Error() }
func (a *annotated) Unwrap() error        { return a.err }
func (a *annotated) ErrorPlaces() []Place { return a.places }
func (a *annotated) ErrorFixes() []Fix    { return a.fixes }

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

// Fixes are what would fix an error, and all that it wraps.
func Fixes(err error) []Fix {
	var list []Fix
	walk(err, func(err error) {
		if with, ok := err.(interface{ ErrorFixes() []Fix }); ok {
			list = append(list, with.ErrorFixes()...)
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
