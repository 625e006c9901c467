package fuzzer

import (
	"context"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

func TestCameNearer(t *testing.T) {
	branch := func(pc uint32, left, right uint64) input.Branch {
		return input.Branch{Comparison: evm.Comparison{PC: pc, Op: opEQ, Left: *uint256.NewInt(left), Right: *uint256.NewInt(right)}}
	}
	before := []input.Branch{branch(3, 10, 20), branch(7, 1, 2)}
	for _, test := range []struct {
		name string
		now  input.Branch
		want bool
	}{
		{"nearer", branch(3, 11, 20), true},
		{"as near", branch(3, 10, 20), false},
		{"further off", branch(3, 9, 20), false},
		{"further off, on the other side", branch(3, 90, 20), true},
		{"another branch", branch(9, 19, 20), false},
	} {
		if got := cameNearer(&test.now, before); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// solver is a worker for one source, with all the calls it wants, that asks no properties.
func solver(t *testing.T, source string) (*worker, *project) {
	t.Helper()
	p := open(t, source)
	return solverIn(t, p), p
}

// solverAttacking is a solver in a World with the attacker's contract.
func solverAttacking(t *testing.T, source string) (*worker, *project) {
	t.Helper()
	p := open(t, source)
	p.world = world.WithOutsider(p.world, p.table.Contracts())
	var err error
	if p.space, err = input.NewSpace(p.world, input.SpaceOptions{}); err != nil {
		t.Fatal(err)
	}
	return solverIn(t, p), p
}

// ranIn is the execution of a sequence by a worker.
func ranIn(t *testing.T, w *worker, seq input.Sequence, b *batch) *evm.Execution {
	t.Helper()
	exec, ok := w.run(context.Background(), seq, b)
	if !ok {
		t.Fatal("not run")
	}
	return exec
}

func solverIn(t *testing.T, p *project) *worker {
	t.Helper()
	machine, err := p.newMachine()
	if err != nil {
		t.Fatal(err)
	}
	c := &Campaign{Config: p.config(1, 0), maxSeqLen: maxSeqLen}
	c.Now = frozen
	w := c.newWorker(0, machine, nil, nil, nil)
	w.rand, w.properties = testRand(1), nil
	return w
}

// TestPredictionSolves: from one seed, one task takes the other
// side of a guard whose operands are computed, by following leads to their end;
// without prediction it would have to guess one of 2^64 values.
func TestPredictionSolves(t *testing.T) {
	for source, start := range map[string]string{
		"planted/computed.sol":     "user1 Computed.enter(uint64) args (5)",
		"planted/earlier-word.sol": "user1 EarlierWord.setY(uint256) args (5); user1 EarlierWord.check()",
	} {
		w, p := solver(t, source)
		b := w.work(context.Background(), task{
			seed: seedOf(parse(t, p.space, start)), energy: 64, calls: 500,
		})
		found := 0
		for i := range b.discoveries {
			found += len(b.discoveries[i].seen)
		}
		if found != 1 || b.fault != nil {
			t.Errorf("%s: %d findings in %d executions, fault %v", source, found, b.executions, b.fault)
		}
	}
}

// TestLeadsAreBounded: leads cost no energy, so something else must end them.
func TestLeadsAreBounded(t *testing.T) {
	w, p := solver(t, "planted/computed.sol")
	for _, energy := range []Energy{1, 8, 64} {
		b := w.work(context.Background(), task{
			seed: seedOf(parse(t, p.space, "user1 Computed.enter(uint64) args (5)")), energy: energy, calls: 100_000,
		})
		if most := 1 + int(energy) + max(minLeads, leadsPerEnergy*int(energy)); len(b.paths) > most {
			t.Errorf("energy %d: %d executions, at most %d", energy, len(b.paths), most)
		}
	}
}

// TestDiscoveriesKeepTheirInput: a worker shares nothing of what it reports,
// although mutants are made in memory that is used again.
func TestDiscoveriesKeepTheirInput(t *testing.T) {
	w, p := solver(t, "planted/properties.sol")
	b := w.work(context.Background(), task{
		seed: seedOf(parse(t, p.space, "user1 Properties.mint(uint256) args (5)")), energy: 500, calls: 100_000,
	})
	if len(b.discoveries) < 3 {
		t.Fatalf("%d discoveries", len(b.discoveries))
	}
	written, known := newStores(false), map[bytecode.PathID]bool{}
	for i := range b.discoveries {
		d := &b.discoveries[i]
		exec, err := w.machine.Run(p.space.Encode(d.sequence, nil))
		if err != nil {
			t.Fatal(err)
		}
		pid := exec.PathID()
		if way := written.add(exec, false); way != 0 && known[pid] {
			pid = pid.With(bytecode.PathID{}, way)
		}
		known[exec.PathID()] = true
		if pid != d.pid {
			t.Errorf("discovery %d: its sequence takes another path: %s", i, format(p.space, d.sequence))
		}
	}
}
