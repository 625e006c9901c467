package diffmap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/testing/testdiff"
)

// TestVyperChanges: every added line of a Vyper source is a changed one, once, and
// every place of a deletion is on a line that is there.
func TestVyperChanges(t *testing.T) {
	const base = "# pragma version 0.3.10\n\nx: uint256\ny: uint256\n\n@external\ndef f():\n    self.x = 1\n    self.y = 2\n"
	for _, test := range []struct{ name, head, want string }{
		{"edited", strings.Replace(base, "= 1", "= 3", 1), "8 edited 67-81"},
		{"added", strings.Replace(base, "def f():\n", "def f():\n    # why\n\n    pass\n", 1), "8 added comment; 9 added formatting; 10 added 78-86"},
		{"with CR", strings.Replace(base, "x: uint256", "x: uint128\r", 1), "3 edited 25-36"},
		{"deleted", strings.Replace(base, "y: uint256\n", "", 1), "4 deletion 36-36"},
		{"deleted at the end", strings.TrimSuffix(base, "    self.y = 2\n"), "8 deletion 67-67"},
		{"emptied", "", "1 deletion 0-0"},
	} {
		d, err := unified.Parse(testdiff.Files(t, "V.vy", []byte(base), []byte(test.head)), unified.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		f := d.Files[0]
		f.NewPath = "src/V.vy"
		changes, err := f.Changes([]byte(test.head))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for _, c := range changes {
			text := fmt.Sprintf("%d %s", c.Line, c.Kind)
			for _, s := range c.Spans {
				text += fmt.Sprintf(" %d-%d", s.Start, s.End)
			}
			if c.Comment {
				text += " comment"
			}
			if c.Formatting {
				text += " formatting"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, "; "); text != test.want {
			t.Errorf("%s: %s, want %s", test.name, text, test.want)
		}
		mapping, err := Map(nil, nil, changes, Options{Heads: map[string][]byte{"src/V.vy": []byte(test.head)}})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range mapping.Lines {
			if l.Status != Unmapped && l.Status != NoBytecode || l.Status == Unmapped && !strings.HasPrefix(l.Reason, "Vyper source: ") {
				t.Errorf("%s: line %d is %s: %s", test.name, l.Position.Line, l.Status, l.Reason)
			}
		}
	}
}
