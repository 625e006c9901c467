package evm_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// distorted is a machine that changes what the reference says.
type distorted struct {
	*gethvm.Reference
	execution func(*evm.Execution) // of a copy; nil: nothing
	state     func(*evm.World)
	err       error
	runs      int
}

func (d *distorted) Run(seq evm.Sequence) (*evm.Execution, error) {
	d.runs++
	if d.err != nil {
		return nil, d.err
	}
	exec, err := d.Reference.Run(seq)
	if err != nil || d.execution == nil {
		return exec, err
	}
	exec = exec.Clone()
	d.execution(exec)
	return exec, nil
}

func (d *distorted) Export() *evm.World {
	w := d.Reference.Export()
	if d.state != nil {
		d.state(w)
	}
	return w
}

// Two contracts: one stores its input, the other does nothing.
var (
	storer = common.Address{0xc0, 1}
	idler  = common.Address{0xc0, 2}
)

// counted is a reference that counts what it runs.
type counted struct {
	*gethvm.Reference
	calls int
	last  *evm.Execution
}

func (c *counted) Run(seq evm.Sequence) (*evm.Execution, error) {
	c.calls += len(seq)
	exec, err := c.Reference.Run(seq)
	c.last = exec
	return exec, err
}

func newDistorted(t *testing.T) (*distorted, *counted, *evm.Checked) {
	t.Helper()
	w := &evm.World{Block: evm.DefaultBlock(), Accounts: map[common.Address]*evm.Account{
		evmtest.RandomSender: {Balance: *uint256.NewInt(1000)},
		storer:               {Nonce: 1, Code: asm.New().Push(0).Op(vm.CALLDATALOAD).Push(0).Op(vm.SSTORE).Bytes()},
		idler:                {Nonce: 1, Code: asm.New().Push(1).Op(vm.POP).Bytes()},
	}}
	table := bytecode.NewTable(nil)
	machine := func() *gethvm.Reference {
		r, err := gethvm.New(w, table)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	d := &distorted{Reference: machine()}
	c := &counted{Reference: machine()}
	return d, c, evm.NewChecked(d, c)
}

func callOf(to common.Address, n byte) evm.Call {
	return evm.Call{From: evmtest.RandomSender, To: to, Data: common.Hash{31: n}.Bytes()}
}

// TestCheckedSamples: one call in a thousand is compared, whatever the length of
// the sequences, and at the same calls every time.
func TestCheckedSamples(t *testing.T) {
	run := func() (total, compared int) {
		d, reference, c := newDistorted(t)
		rng := rand.New(rand.NewPCG(1, 1))
		for range 20_000 {
			seq := evm.Sequence{}
			for range 1 + rng.IntN(8) {
				seq = append(seq, callOf(idler, 0))
			}
			if _, err := c.Run(seq); err != nil {
				t.Fatal(err)
			}
			total += len(seq)
		}
		if n := len(c.Mismatches()); d.runs != 20_000 || n != 0 {
			t.Fatalf("%d runs, %d mismatches", d.runs, n)
		}
		return total, reference.calls
	}
	total, compared := run()
	if share := float64(compared) / float64(total); share < 0.0008 || share > 0.0012 {
		t.Errorf("%d of %d calls are compared", compared, total)
	}
	if again, too := run(); again != total || too != compared {
		t.Errorf("%d of %d calls are compared the second time", too, again)
	}
}

// TestCheckedFinds: whatever is wrong is a mismatch, once; then the code that ran is
// the reference's business, and other code is not.
func TestCheckedFinds(t *testing.T) {
	for name, test := range map[string]struct {
		distort func(*distorted)
		want    string
	}{
		"output": {func(d *distorted) {
			d.execution = func(e *evm.Execution) { e.Calls[0].Output = append(e.Calls[0].Output, 1) }
		}, "Calls[0].Output is"},
		"gas":     {func(d *distorted) { d.execution = func(e *evm.Execution) { e.Calls[0].GasUsed++ } }, "Calls[0].GasUsed is"},
		"state":   {func(d *distorted) { d.state = func(w *evm.World) { w.Accounts[storer] = &evm.Account{Nonce: 1} } }, "state of 0x"},
		"failure": {func(d *distorted) { d.err = errors.New("a panic") }, "a panic"},
	} {
		t.Run(name, func(t *testing.T) {
			d, reference, c := newDistorted(t)
			seq := evm.Sequence{callOf(storer, 5)}
			test.distort(d)
			exec, err := c.Run(seq)
			if err != nil {
				t.Fatal(err)
			}
			if d.err == nil { // otherwise it is seen at once
				if exec, err = c.Verify(seq, exec); err != nil {
					t.Fatal(err)
				}
			}
			want, err := reference.Run(seq)
			if err != nil {
				t.Fatal(err)
			}
			if diff := evm.Differ(exec, want); diff != nil {
				t.Errorf("the fast machine was believed: %s", diff)
			}
			found := c.Mismatches()
			if len(found) != 1 || !strings.Contains(found[0].Difference, test.want) || len(found[0].Sequence) != 1 {
				t.Fatalf("mismatches %+v, want one of %q", found, test.want)
			}
			if got := c.Export().Accounts[storer].Storage[common.Hash{}]; got != (common.Hash{31: 5}) {
				t.Errorf("the state afterwards is not the reference's: %x", got)
			}
			d.err = nil
			for n := range byte(20) {
				if exec, err = c.Run(evm.Sequence{callOf(storer, n)}); err != nil || exec != reference.last {
					t.Fatalf("distrusted code is run on the fast machine (%v)", err)
				}
				if exec, err = c.Run(evm.Sequence{callOf(idler, n)}); err != nil || exec == reference.last {
					t.Fatalf("other code is run on the reference (%v)", err)
				}
			}
			if again := c.Mismatches(); len(again) != 0 {
				t.Errorf("the same mismatch again: %+v", again)
			}
		})
	}
}

// TestCheckedGivesUp: a machine that is wrong everywhere is not asked any more.
func TestCheckedGivesUp(t *testing.T) {
	d, _, c := newDistorted(t)
	d.err = errors.New("out of order")
	for n := range 3 * evm.MaxMismatches {
		if _, err := c.Run(evm.Sequence{callOf(storer, byte(n))}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.Mismatches()); n != evm.MaxMismatches || d.runs != evm.MaxMismatches {
		t.Errorf("%d mismatches in %d runs, want %d", n, d.runs, evm.MaxMismatches)
	}
}

// TestVerifyHasABudget: beside what is given to begin with, a hundredth of the calls.
func TestVerifyHasABudget(t *testing.T) {
	_, reference, c := newDistorted(t)
	verified := uint64(0)
	seq := evm.Sequence{callOf(idler, 0), callOf(idler, 1)}
	for range 50_000 {
		exec, err := c.Run(seq)
		if err != nil {
			t.Fatal(err)
		}
		before := reference.calls
		if _, err := c.Verify(seq, exec); err != nil {
			t.Fatal(err)
		}
		verified += uint64(reference.calls - before)
	}
	if want := uint64(evm.VerifyAllowance + 100_000/evm.VerifyShare); verified < want-2 || verified > want {
		t.Errorf("%d calls verified, want %d", verified, want)
	}
}
