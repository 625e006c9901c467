package exit

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// TestAnnotated: what an error carries is found through all that wraps it, and its text and code
// stay the same.
func TestAnnotated(t *testing.T) {
	inner := FixedBy(At(BadInput("bad"), Place{File: "a.yml", Line: 3}), Fix{Lines: "a: b\n"})
	err := fmt.Errorf("outer: %w", errors.Join(errors.New("other"), inner))
	if got := Places(err); !slices.Equal(got, []Place{{File: "a.yml", Line: 3}}) {
		t.Errorf("places %v", got)
	}
	if got := Fixes(err); !slices.Equal(got, []Fix{{Lines: "a: b\n"}}) {
		t.Errorf("fixes %v", got)
	}
	if Code(err, Failure) != Input || inner.Error() != "bad" {
		t.Errorf("code %d, text %q", Code(err, Failure), inner)
	}
	if At(nil, Place{}) != nil || FixedBy(nil) != nil || Places(nil) != nil {
		t.Error("no error became one")
	}
}
