package replay

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"
	"github.com/sightline-evm/sightline/fuzzer/evm"
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

// TestRunUpgrade: an upgrade holds if every call answers as it says, and differently after the
// upgrade.
func TestRunUpgrade(t *testing.T) {
	returns := func(n byte) []byte { return []byte{0x60, n, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3} } // PUSH1 n, MSTORE at 0, RETURN 32 bytes
	word := func(n byte) []byte { return common.LeftPadBytes([]byte{n}, 32) }
	upgrade := func(after byte, call UpgradeCall) *Upgrade {
		at := common.Address{19: 0xaa}
		call.To = at
		return &Upgrade{Address: at, Code: returns(after), Calls: []UpgradeCall{call},
			World: &evm.World{Fork: "osaka", Block: evm.DefaultBlock(), Accounts: map[common.Address]*evm.Account{at: {Code: returns(1)}}}}
	}
	said := UpgradeCall{Name: "a.x()", Before: UpgradeAnswer{Output: word(1)}, After: UpgradeAnswer{Output: word(2)}}
	same := UpgradeCall{Before: UpgradeAnswer{Output: word(1)}, After: UpgradeAnswer{Output: word(1)}}
	for name, c := range map[string]struct {
		upgrade *Upgrade
		holds   bool
	}{
		"as said":            {upgrade(2, said), true},
		"another answer":     {upgrade(3, said), false},
		"no difference":      {upgrade(1, same), false},
		"the difference now": {upgrade(2, same), false},
	} {
		data, err := c.upgrade.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		holds, err := replayUpgrade(&out, "u.json", data, false)
		if err != nil || holds != c.holds || showsClash(data) != c.holds {
			t.Errorf("%s: %v, %v:\n%s", name, holds, err, out.String())
		}
	}
	lost := upgrade(2, said)
	lost.Address = common.Address{1}
	if _, err := lost.Run(); err == nil || !strings.Contains(err.Error(), "no contract at") {
		t.Errorf("an upgrade of nothing: %v", err)
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
