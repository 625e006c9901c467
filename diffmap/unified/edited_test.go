package unified

import (
	"strings"
	"testing"
)

// TestEditedFile: a file whose text becomes another is what a diff of the two says, and reads backwards to what it was.
func TestEditedFile(t *testing.T) {
	texts := []string{"", "a\n", "a", "a\nb\nc\n", "a\nx\nc\n", "a\nc\n", "b\nc\n", "a\nb\n", "a\nb\nc", "a\nb\nb\nb\nc\n", "a\nb\nb\nc\n", "a\r\nb\r\n", "a\r\nc\r\n"}
	for _, was := range texts {
		for _, is := range texts {
			f := EditedFile("src/A.sol", []byte(was), []byte(is))
			back, err := f.OldText([]byte(is))
			if err != nil || string(back) != was {
				t.Errorf("%q to %q: reads backwards as %q, %v", was, is, back, err)
			}
			if strings.HasSuffix(was, "\n") != strings.HasSuffix(is, "\n") || !strings.HasSuffix(was, "\n") || was == is {
				continue // the text says nothing of a missing end of line, and a diff without edits is none
			}
			d, err := Parse([]byte(Format(f)), Limits{})
			if err != nil || len(d.Files) != 1 {
				t.Errorf("%q to %q: %v\n%s", was, is, err, Format(f))
				continue
			}
			if back, err := d.Files[0].OldText([]byte(is)); err != nil || string(back) != was {
				t.Errorf("%q to %q: the text reads backwards as %q, %v\n%s", was, is, back, err, Format(f))
			}
		}
	}
}
