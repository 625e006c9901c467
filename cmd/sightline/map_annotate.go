package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
)

// The marks of `sightline map --annotate`.
const (
	markTarget     = 'T'
	markNoBytecode = '.'
	markUnmapped   = '?'
	markIndirect   = 'I'
)

const markLegend = "T target   I target, changed indirectly   . no bytecode   ? unmapped"

// annotateContext is the number of unchanged lines around a change, as in git's
// diffs.
const annotateContext = 3

// printAnnotated prints the diff of the sources with a mark before each line.
func printAnnotated(out io.Writer, c *change.Change) error {
	if c.Mapping == nil || len(c.Mapping.Lines) == 0 {
		return printMapping(out, c)
	}
	marks := map[string]map[int]rune{}
	for _, l := range c.Mapping.Lines {
		if marks[l.Position.File] == nil {
			marks[l.Position.File] = map[int]rune{}
		}
		marks[l.Position.File][l.Position.Line] = markOf(l)
	}
	w := bufio.NewWriter(out)
	for i := range c.Diff.Files {
		f := &c.Diff.Files[i]
		text, err := c.HeadOf(f)
		if err != nil {
			return err
		}
		if change.IsSource(f.Path()) {
			annotateFile(w, f, text, marks[f.NewPath])
			delete(marks, f.NewPath)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(marks)) { // changed indirectly
		text, err := c.Head(path)
		if err != nil {
			continue // a library's source, known to the build by another name
		}
		annotateFile(w, &unified.File{OldPath: path, NewPath: path}, text, marks[path])
	}
	fmt.Fprintf(w, "%s\n%s\n", markLegend, countMapping(c))
	return w.Flush()
}

func markOf(l diffmap.Line) rune {
	switch {
	case l.Kind == unified.Indirect:
		return markIndirect
	case len(l.Targets) > 0:
		return markTarget
	case l.Status == diffmap.Unmapped:
		return markUnmapped
	}
	return markNoBytecode
}

// annotateFile prints the edits of a file with the lines around them, and the
// marked lines elsewhere.
func annotateFile(w io.Writer, f *unified.File, text []byte, marks map[int]rune) {
	fmt.Fprintln(w, describeFile(f))
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(text) == 0 {
		lines = nil
	}
	shown := map[int]bool{}
	show := func(from, to int) {
		for line := max(1, from); line <= min(to, len(lines)); line++ {
			shown[line] = true
		}
	}
	deleted, added := map[int][]string{}, map[int]bool{} // by the head's line
	for _, e := range f.Edits {
		deleted[e.NewStart] = e.Old
		for i := range e.New {
			added[e.NewStart+i] = true
		}
		show(e.NewStart-annotateContext, e.NewStart+len(e.New)+annotateContext-1)
	}
	for line := range marks {
		show(line, line)
	}
	last := 0
	for line := 1; line <= len(lines)+1; line++ {
		if !shown[line] && deleted[line] == nil {
			continue
		}
		if line != last+1 || last == 0 {
			fmt.Fprintf(w, "@@ line %d @@\n", line)
		}
		last = line
		for _, old := range deleted[line] {
			fmt.Fprintf(w, "  -%s\n", codeText(old))
		}
		if line > len(lines) {
			continue
		}
		mark, sign := ' ', ' '
		if m, ok := marks[line]; ok {
			mark = m
		}
		if added[line] {
			sign = '+'
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%c %c%s", mark, sign, codeText(lines[line-1])), " "))
	}
	fmt.Fprintln(w)
}

// describeFile is the line above a file's diff.
func describeFile(f *unified.File) string {
	switch f.Status {
	case unified.Added, unified.Deleted:
		return fmt.Sprintf("%s (%s)", human.Printable(f.Path()), f.Status)
	case unified.Renamed, unified.Copied:
		return fmt.Sprintf("%s (%s from %s)", human.Printable(f.NewPath), f.Status, human.Printable(f.OldPath))
	}
	return human.Printable(f.Path())
}

// codeText makes a line of code safe to show and keeps its indentation.
func codeText(line string) string {
	code := strings.TrimLeft(line, " \t")
	indent := bytes.ReplaceAll([]byte(line[:len(line)-len(code)]), []byte("\t"), []byte("    "))
	return string(indent[:min(len(indent), human.MaxShown)]) + human.Printable(strings.TrimSuffix(code, "\r"))
}
