//go:build !unix

package project

import (
	"context"
	"errors"
)

// rootOwns reports false: this system has no root.
func rootOwns(string) (bool, error) { return false, nil }

// copyFor is never called on systems without root.
func copyFor(context.Context, string, string) error { return errors.ErrUnsupported }

// copyTree is not there on these systems: a project's own tests are not run on edits of its sources.
func copyTree(context.Context, string, string, func(path string) error) error {
	return errors.ErrUnsupported
}
