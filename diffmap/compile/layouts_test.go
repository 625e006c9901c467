package compile

import (
	"context"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestNoStorageLayouts: what cannot be had is said to be so, and what is there is left
// alone.
func TestNoStorageLayouts(t *testing.T) {
	contract := func(layout string) []*Contract {
		return []*Contract{{Contract: bytecode.Contract{Name: "C", Source: "c.sol"}, StorageLayout: []byte(layout)}}
	}
	for name, test := range map[string]struct {
		o    *Output
		want string
	}{
		"an old compiler": {&Output{Compiler: "0.5.12+commit.7709ece9", Input: []byte(`{}`), Contracts: contract("null")}, "solc 0.5.12 tells no storage layouts, 0.5.13 does"},
		"no input":        {&Output{Compiler: "0.8.30+commit.73712a01", Contracts: contract("")}, "no storage layouts, and no standard-JSON input"},
		"all there":       {&Output{Compiler: "0.8.30+commit.73712a01", Contracts: contract(`{"storage":[],"types":null}`)}, ""},
	} {
		err := test.o.AddStorageLayouts(context.Background(), solc.Options{}, DebugOptions{})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
