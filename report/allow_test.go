package report

import (
	"strings"
	"testing"
	"time"
)

// TestPermission: what a waiver can allow, and what is said of the rest.
func TestPermission(t *testing.T) {
	for text, want := range map[string]permission{
		"Vault.harvest by anyone":                                       {"Vault", "harvest", ""},
		"src/Vault.sol:Vault.harvest by anyone":                         {"src/Vault.sol:Vault", "harvest", ""},
		"a/src/V.t.sol:V@0.6.12.f((uint256,address)[],bytes) by anyone": {"a/src/V.t.sol:V@0.6.12", "f", "((uint256,address)[],bytes)"},
		"V.$_9() by anyone":                                             {"V", "$_9", "()"},
	} {
		if got, err := parsePermission(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"Vault.harvest":                    "want a function and `by anyone`",
		"Vault.harvest by keeper":          "want a function and `by anyone`",
		"harvest by anyone":                "want the contract and the function",
		"Vault. by anyone":                 "want the contract and the function",
		"Vault.harvest or sweep by anyone": "want the contract and the function",
		" by anyone":                       "want the contract and the function",
	} {
		if _, err := parsePermission(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for name, says := range map[string]Waiver{"an id": {ID: "SL-1"}, "a fingerprint": {Fingerprint: "36"}, "a contract": {Contract: "src/A.sol:A"}, "nothing": {}} {
		says.Allow, says.Reason, says.Owner, says.Expires = "Vault.harvest by anyone", "r", "o", "2030-01-01"
		if err := says.Check(); (err == nil) != (name == "nothing") || err != nil && !strings.Contains(err.Error(), "allow is enough") {
			t.Errorf("with %s: %v", name, err)
		}
	}
}

// TestAllow: a permission accepts the findings that are about who can call the function, and no others.
func TestAllow(t *testing.T) {
	const called = "src/Vault.sol:Vault.harvest(uint256)"
	for name, test := range map[string]struct {
		allow, oracle, called string
		strangers, waived     bool
	}{
		"name":            {"Vault.harvest", "permission-widened", called, false, true},
		"guard":           {"Vault.harvest", "guard-lost", called, false, true},
		"in full":         {called, "permission-widened", called, true, true},
		"strangers":       {"Vault.harvest(uint256)", "permission-widened", called, true, false},
		"loss":            {called, "third-party-loss", called, false, false},
		"source":          {"src/Other.sol:Vault.harvest", "permission-widened", called, false, false},
		"part of a name":  {"ault.harvest", "permission-widened", called, false, false},
		"no call":         {"Vault.harvest", "permission-widened", "", false, false},
		"other arguments": {"Vault.harvest()", "permission-widened", called, false, false},
	} {
		r := &Report{Findings: []Finding{{ID: "SL-1", Oracle: test.oracle, Called: test.called}, {Oracle: "assertion", Called: called}}}
		Waive(r, []Waiver{{Allow: test.allow + " by anyone", Expires: "2030-01-01"}}, time.Date(2029, 1, 1, 0, 0, 0, 0, time.UTC), test.strangers)
		unused := 0
		r.UnusedPermissions(func(*Waiver, string, string) { unused++ })
		if got := r.Findings[0].Waived != nil; got != test.waived || r.Findings[1].Waived != nil || (unused == 0) != test.waived || test.strangers && !test.waived != (len(r.Warnings) == 1) {
			t.Errorf("%s: waived %t, unused %d, warnings %q", name, got, unused, r.Warnings)
		}
	}
}

// TestUnusedPermissions: a permission that accepts nothing is unused, unless it has ended or is none.
func TestUnusedPermissions(t *testing.T) {
	for name, c := range map[string]struct {
		waiver Waiver
		want   string
	}{
		"unused": {Waiver{Allow: "A.f(uint256) by anyone"}, "A f(uint256)"},
		"used":   {Waiver{Allow: "A.g by anyone"}, ""},
		"ended":  {Waiver{Allow: "A.f by anyone", Expired: true}, ""},
		"none":   {Waiver{Allow: "A.f by keepers"}, ""},
		"an id":  {Waiver{ID: "SL-1"}, ""},
	} {
		r := &Report{Waivers: []Waiver{c.waiver}, Findings: []Finding{{}, {Waived: &Waiver{Allow: "A.g by anyone"}}}}
		got := ""
		r.UnusedPermissions(func(_ *Waiver, contract, function string) { got += contract + " " + function })
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
