package fuzzer

import (
	"context"
	"slices"
	"testing"
)

// TestInhabit: each address of a call that failed, where no contract is, becomes one of the World and the attacker's, in all calls that name the
// same tuple.
func TestInhabit(t *testing.T) {
	w, p := solverAttacking(t, "planted/markets.sol")
	const allow = "deployer Markets.allowRate(address) args (user1); deployer Markets.allowLimit(uint256) args (5); "
	for name, test := range map[string]struct {
		sequence string
		want     []string
	}{
		"both calls": {
			allow + "user1 Markets.open((address,address,uint256)) args ((user2, user1, 5)); user1 Markets.supply((address,address,uint256),uint256) args ((user2, user1, 5), 0)",
			[]string{
				allow + "user1 Markets.open((address,address,uint256)) args ((TestToken, user1, 5)); user1 Markets.supply((address,address,uint256),uint256) args ((TestToken, user1, 5), 0)",
				allow + "user1 Markets.open((address,address,uint256)) args ((attackerContract, user1, 5)); user1 Markets.supply((address,address,uint256),uint256) args ((attackerContract, user1, 5), 0)",
				allow + "user1 Markets.open((address,address,uint256)) args ((user2, Markets, 5)); user1 Markets.supply((address,address,uint256),uint256) args ((user2, Markets, 5), 0)",
				allow + "user1 Markets.open((address,address,uint256)) args ((user2, attackerContract, 5)); user1 Markets.supply((address,address,uint256),uint256) args ((user2, attackerContract, 5), 0)",
			},
		},
		"a contract already": {
			"user1 Markets.open((address,address,uint256)) args ((Markets, attackerContract, 5))", nil,
		},
		"no failure": {
			"deployer Markets.allowRate(address) args (user1)", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			clear(w.tried.hashes)
			seq := parse(t, p.space, test.sequence)
			exec, ok := w.run(context.Background(), seq, &batch{task: task{calls: 100}})
			if !ok {
				t.Fatal("not run")
			}
			s := &step{tools: &w.tools, lead: lead{sequence: seq}, exec: exec}
			w.operands.inhabit(s)
			var got, want []string
			for _, next := range s.leads {
				got = append(got, format(p.space, next.sequence))
			}
			for _, text := range test.want {
				want = append(want, format(p.space, parse(t, p.space, text)))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
