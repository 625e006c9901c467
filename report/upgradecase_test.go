package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"
)

func exampleUpgrade() *UpgradeCase {
	return &UpgradeCase{World: exampleCase().World, Address: common.Address{1}, Code: []byte{0x5f, 0xfe}, Calls: []UpgradeCall{{
		Name: "Vault.owner()", From: common.Address{2}, To: common.Address{1}, Data: []byte{1, 2, 3, 4},
		Before: UpgradeAnswer{Output: []byte{7}}, After: UpgradeAnswer{Fails: true, Output: []byte{}},
	}}}
}

func TestUpgradeCase(t *testing.T) {
	want := exampleUpgrade()
	data, err := MarshalUpgrade(want)
	if err != nil {
		t.Fatal(err)
	}
	again, err := MarshalUpgrade(exampleUpgrade())
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("equal cases give other bytes (%v)", err)
	}
	got, err := ReadUpgrade(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a case read back differs:\n%s", diff)
	}
	fault, err := MarshalCase(exampleCase())
	if err != nil {
		t.Fatal(err)
	}
	if !IsUpgrade(data) || IsUpgrade(fault) {
		t.Error("cases are taken for each other")
	}
	none, many := exampleUpgrade(), exampleUpgrade()
	none.Calls = nil
	for len(many.Calls) <= maxUpgradeCalls {
		many.Calls = append(many.Calls, many.Calls[0])
	}
	for _, c := range []*UpgradeCase{none, many} {
		data, err := MarshalUpgrade(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadUpgrade(data); err == nil || !strings.Contains(err.Error(), "at least one and at most 64") {
			t.Errorf("%d calls: %v", len(c.Calls), err)
		}
	}
}

func FuzzReadUpgrade(f *testing.F) {
	data, err := MarshalUpgrade(exampleUpgrade())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadUpgrade(data)
		if err != nil {
			return
		}
		if _, err := MarshalUpgrade(c); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}
