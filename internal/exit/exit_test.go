package exit_test

import (
	"errors"
	"io"
	"testing"

	"github.com/sightline-evm/sightline/internal/exit"
)

// An error's code is kept when others are joined to it or wrapped around it.
func TestCode(t *testing.T) {
	err := errors.Join(nil, exit.CannotFuzz("no compiler: %w", io.EOF))
	if exit.Code(err, exit.Pass) != exit.Failure {
		t.Errorf("%v has no exit code %d", err, exit.Failure)
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("%v does not hold its cause", err)
	}
}
