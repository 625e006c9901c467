package oracle

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		names, has, lacks string
		compares          bool
		err               string
	}{
		{names: "", has: "assertion permission-widened behavior", compares: true},
		{names: "assertion", has: "assertion", lacks: "arbitrary-write permission-widened behavior"},
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
		if choice.Compares() != c.compares {
			t.Errorf("%s: compares %v", c.names, choice.Compares())
		}
	}
}
