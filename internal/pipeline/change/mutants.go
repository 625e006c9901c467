package change

import (
	"bytes"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/mutant"
	"github.com/sightline-evm/sightline/diffmap/unified"
)

// Planted is a small mistake in a changed line.
type Planted struct {
	mutant.Mutant
	File  string // of the repository
	Text  []byte // of the file, with it
	Patch string // as a unified diff
}

// Plant lists at most so many mistakes that may be planted in lines with targets, so that each beginning of the list is of all kinds and places.
// The statements of c's ASTs must still be there, see [Change.DropStatements].
func (c *Change) Plant(most int) (list []Planted) {
	seen := map[string]bool{}
	for _, o := range c.Outputs {
		spans, files := c.plantable(o)
		for _, m := range mutant.InTurns(mutant.Of(o, spans, mutant.Options{}), most) {
			i := slices.IndexFunc(o.Sources, func(s *compile.Source) bool { return s.Path == m.Source })
			file, was := files[m.Source], o.Sources[i].Text
			text := m.Apply(was)
			if key := file + "\x00" + string(text); !seen[key] {
				seen[key] = true
				list = append(list, Planted{m, file, text, unified.Format(unified.EditedFile(file, was, text))})
			}
		}
	}
	return list[:min(len(list), most)]
}

// plantable are the bytes of an output's sources that are in lines with targets, and their files in the repository.
func (c *Change) plantable(o *compile.Output) (spans map[string][]mutant.Span, files map[string]string) {
	spans, files = map[string][]mutant.Span{}, map[string]string{}
	for i := range c.Mapping.Lines {
		l := &c.Mapping.Lines[i]
		if len(l.Targets) == 0 || c.Aside(l) != "" {
			continue
		}
		s := c.Paths.Source(o, l.Position.File)
		if s == nil || s.Text == nil {
			continue
		}
		if start, end, ok := lineOf(s.Text, l.Position.Line); ok {
			spans[s.Path] = append(spans[s.Path], mutant.Span{Start: start, End: end})
			files[s.Path] = l.Position.File
		}
	}
	return spans, files
}

// lineOf are the bytes of a line, from 1, without its end.
func lineOf(text []byte, line int) (start, end int, ok bool) {
	for ; line > 1; line-- {
		i := bytes.IndexByte(text[start:], '\n')
		if i < 0 {
			return 0, 0, false
		}
		start += i + 1
	}
	if end = bytes.IndexByte(text[start:], '\n'); end < 0 {
		return start, len(text), true
	}
	return start, start + end, true
}
