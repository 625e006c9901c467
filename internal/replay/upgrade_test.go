package replay

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"
)

func exampleUpgrade() *Upgrade {
	return &Upgrade{World: exampleFault().World, Address: common.Address{1}, Code: []byte{0x5f, 0xfe}, Calls: []UpgradeCall{{
		Name: "Vault.owner()", From: common.Address{2}, To: common.Address{1}, Data: []byte{1, 2, 3, 4},
		Before: UpgradeAnswer{Output: []byte{7}}, After: UpgradeAnswer{Fails: true, Output: []byte{}},
	}}}
}

func TestUpgrade(t *testing.T) {
	want := exampleUpgrade()
	data, err := want.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := exampleUpgrade().Marshal()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("equal upgrades give different bytes (%v)", err)
	}
	got, err := ReadUpgrade(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("an upgrade read back differs:\n%s", diff)
	}
	fault, err := exampleFault().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if !IsUpgrade(data) || IsFault(data) || IsUpgrade(fault) || !IsFault(fault) {
		t.Error("faults and upgrades are confused")
	}
	none, many := exampleUpgrade(), exampleUpgrade()
	none.Calls = nil
	for len(many.Calls) <= maxUpgradeCalls {
		many.Calls = append(many.Calls, many.Calls[0])
	}
	for _, c := range []*Upgrade{none, many} {
		data, err := c.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadUpgrade(data); err == nil || !strings.Contains(err.Error(), "not 1 to 64") {
			t.Errorf("%d calls: %v", len(c.Calls), err)
		}
	}
}

func FuzzReadUpgrade(f *testing.F) {
	data, err := exampleUpgrade().Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadUpgrade(data)
		if err != nil {
			return
		}
		if _, err := c.Marshal(); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}
