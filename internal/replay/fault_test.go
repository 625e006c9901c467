package replay

import (
	"bytes"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

func exampleFault() *Fault {
	return &Fault{
		World: &evm.World{
			Fork: "osaka", Block: evm.DefaultBlock(),
			Accounts: map[common.Address]*evm.Account{{1}: {Balance: *uint256.NewInt(7), Nonce: 1, Code: []byte{0}, Storage: map[common.Hash]common.Hash{{1}: {2}}}},
		},
		Sequence: evm.Sequence{
			{From: common.Address{2}, To: common.Address{1}, Data: []byte{1, 2}, Value: *uint256.NewInt(3), Gas: 4, TimeAdvance: 5, BlockAdvance: 6,
				Overwrites: []evm.Overwrite{{Address: common.Address{1}, Slot: *uint256.NewInt(8), Value: *uint256.NewInt(9)}}},
			{From: common.Address{2}, Create: true, Address: common.Address{3}, Data: []byte{0}},
		},
		Lifted: true, Difference: "Frames[0].GasUsed is 1 and 2",
	}
}

func TestFault(t *testing.T) {
	want := exampleFault()
	data, err := want.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := exampleFault().Marshal()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("equal faults give different bytes (%v)", err)
	}
	got, err := ReadFault(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a fault read back differs:\n%s", diff)
	}
}

// TestDisagreement: the machines agree about the example, whatever its file says.
func TestDisagreement(t *testing.T) {
	f := exampleFault()
	f.Sequence = f.Sequence[:1]
	f.Sequence[0].Gas = 0
	if d, err := f.Disagreement(); err != nil || d != "" {
		t.Errorf("they disagree: %q, %v", d, err)
	}
}

func FuzzReadFault(f *testing.F) {
	data, err := exampleFault().Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		fault, err := ReadFault(data)
		if err != nil {
			return
		}
		if _, err := fault.Marshal(); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}
