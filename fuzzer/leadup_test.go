package fuzzer

import (
	"context"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestLeadUp: a transfer of nothing shows neither that a fee is set nor that tokens are minted, and with both put before it, its numbers
// and theirs are found together.
func TestLeadUp(t *testing.T) {
	w, p := solver(t, "planted/fee.sol")
	b := batch{task: task{calls: 10_000}}
	for _, text := range []string{"deployer Fee.setFee(uint256) args (0)", "deployer Fee.mint(address,uint256) args (user2, 0)"} {
		seq := parse(t, p.space, text)
		exec, _, ok := w.try(context.Background(), seq, &b)
		if !ok {
			t.Fatal(b.fault)
		}
		for _, key := range footprint(exec).writes {
			w.solving.writers.add(writerOf{key: key, calls: input.Pack(seq, nil)})
		}
	}
	seq := parse(t, p.space, "user1 Fee.transfer(address,uint256) args (user2, 0)")
	exec, _, ok := w.try(context.Background(), seq, &b)
	if !ok {
		t.Fatal(b.fault)
	}
	path := w.newPathfinder(context.Background(), &b)
	path.rebase(path.point(seq, exec))
	path.read(path.base, exec)
	path.onward()
	broken := 0
	for i := range b.discoveries {
		broken += len(b.discoveries[i].seen)
	}
	if broken == 0 || b.executions > 200 {
		t.Errorf("%d assertions are broken in %d executions", broken, b.executions)
	}
}

// TestWritersKnown: one sequence is kept for each function that writes a variable, and a bounded number of them.
func TestWritersKnown(t *testing.T) {
	_, p := solver(t, "planted/fee.sol")
	known := writersKnown{}
	for _, text := range []string{
		"deployer Fee.setFee(uint256) args (1)", "deployer Fee.setFee(uint256) args (2)", "deployer Fee.mint(address,uint256) args (user1, 1)",
	} {
		for _, key := range []slotKey{7, 8} {
			known.add(writerOf{key: key, calls: input.Pack(parse(t, p.space, text), nil)})
		}
	}
	for _, key := range []slotKey{7, 8} {
		if n := len(known[key]); n != 2 || known[key][0].calls.Unpack()[0].Args[0].Word.Uint64() != 1 {
			t.Errorf("of %d, %d sequences are known, want each function's first", key, n)
		}
	}
}
