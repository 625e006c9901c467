package fuzzer

import (
	"context"
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// TestAsWanted: who the sender was compared with makes the call; where that is none of the World's, an earlier call names the sender instead.
func TestAsWanted(t *testing.T) {
	w, p := solver(t, "units/handover.sol")
	for name, test := range map[string]struct{ sequence, want string }{
		"the owner":          {"user1 Handover.offer(address) args (user2)", "deployer Handover.offer(address) args (user2)"},
		"who was named":      {"deployer Handover.offer(address) args (user2); user1 Handover.accept()", "deployer Handover.offer(address) args (user2); user2 Handover.accept()"},
		"who is to be named": {"deployer Handover.offer(address) args (Handover); user1 Handover.accept()", "deployer Handover.offer(address) args (user1); user1 Handover.accept()"},
		"nobody":             {"user1 Handover.accept()", ""},
		"who calls already":  {"deployer Handover.offer(address) args (user2)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			seq := parse(t, p.space, test.sequence)
			exec, ok := w.run(context.Background(), seq, &batch{task: task{calls: 100}})
			if !ok {
				t.Fatal("not run")
			}
			next, ok := w.asWanted(seq, input.AppendBranches(nil, exec))
			if ok != (test.want != "") {
				t.Fatalf("%v", ok)
			}
			if ok && format(p.space, next) != format(p.space, parse(t, p.space, test.want)) {
				t.Errorf("%s, want %s", format(p.space, next), test.want)
			}
		})
	}
}

// TestCallAsWanted: solving from a call that only its owner may make has him make it, and whoever he names accept.
func TestCallAsWanted(t *testing.T) {
	w, p := solver(t, "units/handover.sol")
	b := w.work(context.Background(), task{
		seed: seedOf(parse(t, p.space, "user1 Handover.offer(address) args (0x0000000000000000000000000000000000000000)")), source: fromSolving, energy: 1, calls: 100, seqLen: maxSeqLen,
	})
	var found []string
	for _, d := range b.discoveries {
		if d.changes {
			found = append(found, lastOf(d.sequence).Function.Name)
		}
	}
	if !slices.Contains(found, "accept") {
		t.Errorf("%d calls: %q changed something", b.calls, found)
	}
}
