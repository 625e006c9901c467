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
