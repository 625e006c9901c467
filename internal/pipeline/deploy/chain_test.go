package deploy

import (
	"strings"
	"testing"
)

// TestForksCheck: which chains a test may fork.
func TestForksCheck(t *testing.T) {
	number := func(n uint64) *uint64 { return &n }
	for _, test := range []struct {
		given bool
		name  string
		block *uint64
		want  string
	}{
		{false, "mainnet", nil, ""},
		{false, "ours", number(7), ""},
		{false, "https://node/x", number(7), ""},
		{false, "", number(7), ""},
		{false, "optimism", nil, "optimism is chain 10, but --rpc is chain 1"},
		{false, "theirs", nil, "neither a URL nor an alias"},
		{false, "ours", number(8), "the test forks block 8, but the World is at 7"},
		{true, "ours", number(8), "the test forks block 8, but --block says 7"},
	} {
		f := forks{aliases: []string{"mainnet", "ours", "optimism"}, id: 1, block: 7, given: test.given}
		err := f.check(test.name, test.block)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if differs := test.block != nil && *test.block == 8; differs != (f.wanted == 8) {
			t.Errorf("%s: block %d is wanted", test.name, f.wanted)
		}
	}
}
