package fuzzer

import (
	"context"
	"testing"
)

// TestStores: a call whose path is known is new when it writes in another way: zero where there was zero, a number, zero
// where there was a number. Calls that fail write nothing.
func TestStores(t *testing.T) {
	w, p := solver(t, "planted/fee.sol")
	b := batch{task: task{calls: 10_000}}
	for _, test := range []struct {
		calls string
		isNew bool
	}{
		{"deployer Fee.setFee(uint256) args (0)", true},
		{"deployer Fee.setFee(uint256) args (0)", false},
		{"deployer Fee.setFee(uint256) args (5)", true}, // the same path
		{"deployer Fee.setFee(uint256) args (3)", false},
		{"deployer Fee.setFee(uint256) args (5); deployer Fee.setFee(uint256) args (0)", false}, // nothing was read before
		{"deployer Fee.setFee(uint256) args (1001)", true},                                      // another path
		{"deployer Fee.mint(address,uint256) args (user1, 0)", true},
		{"deployer Fee.mint(address,uint256) args (user1, 9)", true},
		{"deployer Fee.mint(address,uint256) args (user1, 9); deployer Fee.mint(address,uint256) args (user1, 0)", false},
		{"deployer Fee.mint(address,uint256) args (user1, 9); user1 Fee.transfer(address,uint256) args (user2, 0)", true},
		{"deployer Fee.mint(address,uint256) args (user1, 9); user1 Fee.transfer(address,uint256) args (user2, 9)", true},
		{"deployer Fee.mint(address,uint256) args (user1, 9); user1 Fee.transfer(address,uint256) args (user2, 5)", true}, // some is left
		{"deployer Fee.mint(address,uint256) args (user1, 8); user1 Fee.transfer(address,uint256) args (user2, 4)", false},
	} {
		_, isNew, ok := w.try(context.Background(), parse(t, p.space, test.calls), &b)
		if !ok || isNew != test.isNew {
			t.Errorf("%s: new: %t, want %t", test.calls, isNew, test.isNew)
		}
	}
}
