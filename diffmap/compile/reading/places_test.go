package reading

import (
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/internal/exit"
)

// TestPlacesIn: the places of compilers' messages, and nothing that a source in them says.
func TestPlacesIn(t *testing.T) {
	for said, want := range map[string][]exit.Place{
		"DeclarationError: Undeclared identifier.\n --> src/A.sol:6:17:\n  |\n6 |         x = y + z; // --> src/B.sol:1:1:\n  |                 ^\n": {{File: "src/A.sol", Line: 6, Column: 17, Text: "DeclarationError: Undeclared identifier."}},
		"Warning: Unused local variable.\n  --> src/A.sol:6:17:\n":                                                                                   nil,
		"src/A.sol:6:17: TypeError: no\n        x = y;\n":                                                                                            {{File: "src/A.sol", Line: 6, Column: 17, Text: "TypeError: no"}},
		"Error (7576): Undeclared identifier.\n --> src/A b.sol:6:17:\n":                                                                             {{File: "src/A b.sol", Line: 6, Column: 17, Text: "Error (7576): Undeclared identifier."}},
		"Error: x\n --> src/A.sol:99999999999:1:\n":                                                                                                  nil,
		"nothing": nil,
	} {
		if got := PlacesIn(said); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", said, got, want)
		}
	}
}
