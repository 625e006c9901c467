package oracle

import (
	"slices"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		names, has, lacks, notes string
		compares                 bool
		err                      string
	}{
		{names: "", has: "assertion permission-widened behavior", compares: true},
		{names: "assertion", has: "assertion", lacks: "arbitrary-write permission-widened behavior"},
		{names: "permission-widened", has: "permission-widened", lacks: "assertion behavior", compares: true},
		{names: "+tx-origin", has: "tx-origin assertion", compares: true, notes: "tx-origin"},
		{names: "assertion,+tx-origin,+gas-limit", has: "tx-origin gas-limit assertion", lacks: "reentrancy", notes: "tx-origin gas-limit"},
		{names: "gas-limit", has: "gas-limit", lacks: "tx-origin assertion", notes: "gas-limit"},
		{names: "-behavior", has: "assertion permission-widened", lacks: "behavior", compares: true},
		{names: "behavior", has: "behavior", lacks: "assertion", compares: true},
		{names: "-assertion,-permission-widened", has: "arbitrary-write behavior", lacks: "assertion permission-widened", compares: true},
		{names: "-nonsense", err: "nonsense"},
		{names: "assertion,-behavior", err: "assertion, -behavior"},
	} {
		var names []string
		if c.names != "" {
			names = strings.Split(c.names, ",")
		}
		choice, err := Choose(names)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", c.names, err)
		}
		if err != nil {
			continue
		}
		for _, id := range strings.Fields(c.has) {
			if !choice.Has(id) {
				t.Errorf("%s: lacks %s", c.names, id)
			}
		}
		for _, id := range strings.Fields(c.lacks) {
			if choice.Has(id) {
				t.Errorf("%s: has %s", c.names, id)
			}
		}
		var notes []string
		for _, o := range choice.Notes() {
			notes = append(notes, o.ID)
		}
		if strings.Join(notes, " ") != c.notes {
			t.Errorf("%s: notes %q, want %q", c.names, notes, c.notes)
		}
		for _, o := range choice.Of(Known()) {
			if !choice.Has(o.ID) {
				t.Errorf("%s: %s watches", c.names, o.ID)
			}
		}
		if choice.Compares() != c.compares {
			t.Errorf("%s: compares %v", c.names, choice.Compares())
		}
	}
}

// TestWhoWatches: Panic codes, and what audits say, are for those who ask.
func TestWhoWatches(t *testing.T) {
	ids := func(all []*Oracle) (ids []string) {
		for _, o := range all {
			ids = append(ids, o.ID)
		}
		return ids
	}
	plain := ids(All())
	if got := ids(With(nil)); !slices.Equal(got, plain) {
		t.Errorf("without codes: %q", got)
	}
	if got := ids(With([]byte{0x11})); !slices.Equal(got, append(slices.Clone(plain), "panic")) {
		t.Errorf("with a code: %q", got)
	}
	audit := ids(InAudit(nil))
	if want := slices.Concat(plain, []string{"third-party-loss"}, ids(Notes())); !slices.Equal(audit, want) {
		t.Errorf("in an audit: %q", audit)
	}
	if got := ids(InAudit([]byte{0x11})); len(got) != len(audit)+1 || !slices.Contains(got, "panic") {
		t.Errorf("in an audit, with a code: %q", got)
	}
	if got := ids(Known()); !slices.Equal(got, slices.Concat(plain, []string{"panic"}, ids(Notes()))) {
		t.Errorf("known: %q", got)
	}
}
