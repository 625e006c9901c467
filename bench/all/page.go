package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// The place of a part in the page: what stands between its marks was printed by the comparison, and is replaced as a whole.
const (
	opening = "<!-- bench/all: %s -->\n"
	closing = "<!-- end -->\n"
)

// writePage puts the tables of this state into docs/benchmarks.md, and returns how many there are.
func (s *state) writePage(chosen []part) (int, error) {
	file := filepath.Join(s.root, "docs", "benchmarks.md")
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	page, written := string(text), 0
	for _, p := range chosen {
		r, err := s.read(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return 0, err
		}
		if page, err = replace(page, p, shown(p, r)); err != nil {
			return 0, err
		}
		written++
	}
	return written, os.WriteFile(file, []byte(page), 0o644) //nolint:gosec // a page of the repository
}

// headings are the titles of tables, which the page shows in bold: a section has several.
var headings = regexp.MustCompile(`(?m)^### (.*)$`)

// shown is what the page has of a part.
func shown(p part, r *record) string {
	text := headings.ReplaceAllString(r.Result.Markdown(), "**$1**")
	if p.shows == figures {
		text = ""
	}
	return fmt.Sprintf("%sCommit %s, %s; seed %d: %s.\n", text, r.Commit, (time.Duration(r.Seconds) * time.Second).Round(time.Minute), r.Result.Seed, r.Result.Figures())
}

// replace puts text into a part's place.
func replace(page string, p part, text string) (string, error) {
	mark := fmt.Sprintf(opening, p.name)
	before, rest, ok := strings.Cut(page, mark)
	if !ok {
		return "", fmt.Errorf("docs/benchmarks.md has no place for %s: %s", p.name, strings.TrimSpace(mark))
	}
	_, after, ok := strings.Cut(rest, closing)
	if !ok {
		return "", fmt.Errorf("docs/benchmarks.md: the place of %s has no end: %s", p.name, strings.TrimSpace(closing))
	}
	return before + mark + "\n" + text + "\n" + closing + after, nil
}
