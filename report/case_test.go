package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

func exampleCase() *Case {
	return &Case{
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

func TestCase(t *testing.T) {
	want := exampleCase()
	data, err := MarshalCase(want)
	if err != nil {
		t.Fatal(err)
	}
	again, err := MarshalCase(exampleCase())
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("equal cases give other bytes (%v)", err)
	}
	got, err := ReadCase(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a case read back differs:\n%s", diff)
	}
}

func FuzzReadCase(f *testing.F) {
	data, err := MarshalCase(exampleCase())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadCase(data)
		if err != nil {
			return
		}
		if _, err := MarshalCase(c); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}

// TestFaultWithCase: a fault's case is written, named, and shown everywhere; where
// calls are withheld, it is not.
func TestFaultWithCase(t *testing.T) {
	cases := Cases{}
	file, err := cases.Add(exampleCase())
	if err != nil {
		t.Fatal(err)
	}
	f, options := Fault{Message: "the machines disagree", File: file}, Options{Cases: cases}
	r := &Report{FailOn: "high", Lines: []Line{{Status: Reached}}, Stats: Stats{Calls: 5}, Faults: []Fault{f}}
	Decide(r)
	dir := t.TempDir()
	if err := Write(dir, r, options); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, f.File))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := ReadCase(data); err != nil || cmp.Diff(exampleCase(), c) != "" {
		t.Errorf("the case that was written is another (%v)", err)
	}
	var terminal bytes.Buffer
	if err := Terminal(&terminal, r, Options{}, false); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"terminal": terminal.String(), "comment": string(Comment(r, Options{})), "summary": string(Summary(r, Options{}))} {
		if !strings.Contains(text, "the machines disagree") || !strings.Contains(text, f.File) {
			t.Errorf("%s does not show the fault and its file:\n%s", name, text)
		}
	}
	if r.Verdict != Error {
		t.Errorf("verdict %v", r.Verdict)
	}
	r.Withhold(nil)
	dir = t.TempDir()
	if err := Write(dir, r, options); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, CaseFolder)); !os.IsNotExist(err) {
		t.Errorf("calls that are withheld are written (%v)", err)
	}
}
