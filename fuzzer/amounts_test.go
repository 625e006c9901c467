package fuzzer

import (
	"context"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestAmounts: a number that a call moves is an amount, one that it does not is none, and one that is another of the call's, or what it pays, tells nothing.
func TestAmounts(t *testing.T) {
	for name, test := range map[string]struct {
		sequence string
		arg      int
		want     int
	}{
		"paid in tokens":      {"user1 Shop.buy(uint256,uint256) args (3, 7)", 1, 1},
		"which":               {"user1 Shop.buy(uint256,uint256) args (3, 7)", 0, -1},
		"both alike":          {"user1 Shop.buy(uint256,uint256) args (7, 7)", 1, 0},
		"nothing":             {"user1 Shop.buy(uint256,uint256) args (3, 0)", 1, 0},
		"paid in ether":       {"user1 Shop.fill() value 9; user1 Shop.take(uint256) args (5)", 0, 1},
		"what the call pays":  {"user1 Shop.keep(uint256) args (5) value 5", 0, 0},
		"what fails":          {"user1 Shop.take(uint256) args (5)", 0, 0},
		"seen twice":          {"user1 Shop.buy(uint256,uint256) args (3, 7); user1 Shop.buy(uint256,uint256) args (4, 8)", 1, 2},
		"in an array":         {"user1 Shop.each(uint256[]) args ([3, 7])", 0, 1},
		"an empty array":      {"user1 Shop.each(uint256[]) args ([])", 0, 0},
		"a token's own":       {"deployer Coin.transfer(address,uint256) args (user1, 9)", 1, 1},
		"a token's nothing":   {"deployer Coin.transfer(address,uint256) args (user1, 0)", 1, 0},
		"of another function": {"user1 Shop.fill() value 9; user1 Shop.take(uint256) args (5); user1 Shop.keep(uint256) args (5)", 0, -1},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := solverAttacking(t, "units/lacking.sol")
			seq := parse(t, p.space, test.sequence)
			exec, ok := w.run(context.Background(), seq, &batch{task: task{calls: 100}})
			if !ok {
				t.Fatal("not run")
			}
			m := amounts{}
			m.watch(p.space, seq, exec)
			last := lastOf(seq)
			if got := m[argument{input.Callable{Instance: last.Instance, Function: last.Function}, test.arg}]; got != test.want {
				t.Errorf("seen to be an amount %d times, want %d", got, test.want)
			}
			if m.has(&seq[len(seq)-1], test.arg) != (test.want > 0) {
				t.Error("it is not what was seen")
			}
		})
	}
}
