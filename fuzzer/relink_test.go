package fuzzer

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestRelink: where a call names by its hash what a later one does, a mutant of the later one gets its own hash in the place of the seed's, and does what the seed's did.
func TestRelink(t *testing.T) {
	hash := func(words ...uint64) string {
		var data []byte
		for _, w := range words {
			data = append(data, common.LeftPadBytes([]byte{byte(w)}, wordBytes)...)
		}
		return fmt.Sprintf("%#x", crypto.Keccak256(data))
	}
	number := func(words ...uint64) string { return new(big.Int).SetBytes(common.FromHex(hash(words...))).String() }
	for name, test := range map[string]struct {
		seed, mutant, want string // want: none where the mutant has nothing to be linked with
	}{
		"committed": {
			"user1 Promises.commit(bytes32) args (" + hash(2, 3) + "); user1 Promises.keep(uint256,uint256) args (2, 3)",
			"user1 Promises.commit(bytes32) args (" + hash(2, 3) + "); user1 Promises.keep(uint256,uint256) args (2, 9)",
			"user1 Promises.commit(bytes32) args (" + hash(2, 9) + "); user1 Promises.keep(uint256,uint256) args (2, 9)",
		},
		"scheduled": {
			"user1 Promises.schedule(uint256,uint256) args (" + number(4) + ", 5); user1 Promises.execute(uint256) args (4)",
			"user1 Promises.schedule(uint256,uint256) args (" + number(4) + ", 5); user1 Promises.execute(uint256) args (6)",
			"user1 Promises.schedule(uint256,uint256) args (" + number(6) + ", 5); user1 Promises.execute(uint256) args (6)",
		},
		"a root": {
			"user1 Promises.setRoot(uint256,bytes32) args (1, " + hash(4) + "); user1 Promises.claim(uint256,uint256) args (1, 4)",
			"user1 Promises.setRoot(uint256,bytes32) args (1, " + hash(4) + "); user1 Promises.claim(uint256,uint256) args (1, 6)",
			"user1 Promises.setRoot(uint256,bytes32) args (1, " + hash(6) + "); user1 Promises.claim(uint256,uint256) args (1, 6)",
		},
		"a root that was not right": {
			"user1 Promises.setRoot(uint256,bytes32) args (1, " + hash(7) + "); user1 Promises.claim(uint256,uint256) args (1, 4)",
			"user1 Promises.setRoot(uint256,bytes32) args (1, " + hash(7) + "); user1 Promises.claim(uint256,uint256) args (1, 6)",
			"user1 Promises.setRoot(uint256,bytes32) args (1, " + hash(6) + "); user1 Promises.claim(uint256,uint256) args (1, 6)",
		},
		"scheduled first by another key": {
			"user1 Promises.scheduleFor(uint256,uint256) args (" + number(4) + ", 5); user1 Promises.executeFor(uint256,uint256) args (4, 5)",
			"user1 Promises.scheduleFor(uint256,uint256) args (" + number(4) + ", 5); user1 Promises.executeFor(uint256,uint256) args (6, 5)",
			"user1 Promises.scheduleFor(uint256,uint256) args (" + number(6) + ", 5); user1 Promises.executeFor(uint256,uint256) args (6, 5)",
		},
		"the same": {
			"user1 Promises.commit(bytes32) args (" + hash(2, 3) + "); user1 Promises.keep(uint256,uint256) args (2, 3)",
			"user2 Promises.commit(bytes32) args (" + hash(2, 3) + "); user1 Promises.keep(uint256,uint256) args (2, 3)",
			"",
		},
		"another hash": {
			"user1 Promises.commit(bytes32) args (" + hash(2, 3) + "); user1 Promises.keep(uint256,uint256) args (2, 3)",
			"user1 Promises.commit(bytes32) args (" + hash(8) + "); user1 Promises.keep(uint256,uint256) args (2, 9)",
			"",
		},
		"fewer calls": {
			"user1 Promises.commit(bytes32) args (" + hash(2, 3) + "); user1 Promises.keep(uint256,uint256) args (2, 3)",
			"user1 Promises.commit(bytes32) args (" + hash(2, 3) + ")",
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := solverAttacking(t, "units/promises.sol")
			run := func(seq input.Sequence) *evm.Execution { return ranIn(t, w, seq, &batch{task: task{calls: 100}}) }
			seed, mutant := parse(t, p.space, test.seed), parse(t, p.space, test.mutant)
			w.noteLinks(seed, run(seed))
			again, ok := w.relink(mutant, run(mutant))
			got := ""
			if ok {
				got = format(p.space, again)
				if exec := run(again); exec.Calls[len(again)-1].Outcome != evm.Success {
					t.Errorf("the mutant with its own hash fails: %s", exec.Calls[len(again)-1].Reason())
				}
			}
			if got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}
