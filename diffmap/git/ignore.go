package git

import (
	"fmt"
	"path"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/unified"
)

// Ignore is a list of patterns for paths in the repository, as gitignore(5) has
// them: "*", "?" and "[…]" within a name, "**" for any folders, a "/" at the
// start or inside ties the pattern to the repository's root, one at the end means
// a folder, and "!" in front takes back what an earlier pattern matched. What
// matches a folder matches all below it.
type Ignore struct {
	patterns []ignorePattern
}

type ignorePattern struct {
	text    string   // as given
	names   []string // of its path, "**" among them
	folder  bool
	negated bool
}

// maxIgnorePatterns bounds the patterns and the names in one; arbitrary.
const maxIgnorePatterns = 1000

// NewIgnore reads patterns; the error says which one is wrong.
func NewIgnore(patterns []string) (*Ignore, error) {
	if len(patterns) > maxIgnorePatterns {
		return nil, fmt.Errorf("%d patterns; at most %d are read", len(patterns), maxIgnorePatterns)
	}
	ignore := &Ignore{}
	for _, text := range patterns {
		p := ignorePattern{text: text}
		rest, negated := strings.CutPrefix(text, "!")
		p.negated = negated
		rest, p.folder = strings.CutSuffix(rest, "/")
		tied := strings.Contains(rest, "/")
		rest = strings.TrimPrefix(rest, "/")
		p.names = strings.Split(rest, "/")
		if !tied {
			p.names = append([]string{"**"}, p.names...)
		}
		if rest == "" || len(p.names) > maxIgnorePatterns {
			return nil, fmt.Errorf("%q is not a pattern of paths; write for example test/ or contracts/**/*Mock.sol", text)
		}
		for _, name := range p.names {
			if _, err := path.Match(name, ""); err != nil || name == "" || name == "." || name == ".." {
				return nil, fmt.Errorf("%q is not a pattern of paths; write for example test/ or contracts/**/*Mock.sol", text)
			}
		}
		ignore.patterns = append(ignore.patterns, p)
	}
	return ignore, nil
}

// Match finds the last pattern that matches a file's path; negated tells that it
// takes the file back.
func (g *Ignore) Match(file string) (pattern string, negated, ok bool) {
	names := strings.Split(unified.CleanPath(file), "/")
	for i := len(g.patterns) - 1; i >= 0; i-- {
		p := &g.patterns[i]
		for n := 1; n <= len(names); n++ {
			if (n < len(names) || !p.folder) && matchNames(p.names, names[:n]) {
				return p.text, p.negated, true
			}
		}
	}
	return "", false, false
}

// matchNames reports whether a path, as its names, is what a pattern describes. It
// goes back to the last "**" only, which finds a match if there is one.
func matchNames(pattern, names []string) bool {
	p, n, star, mark := 0, 0, -1, 0
	for n < len(names) {
		if p < len(pattern) && pattern[p] == "**" {
			star, mark = p, n
			p++
			continue
		}
		if p < len(pattern) {
			if ok, _ := path.Match(pattern[p], names[n]); ok {
				p, n = p+1, n+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		mark++
		p, n = star+1, mark
	}
	for p < len(pattern) && pattern[p] == "**" && p > 0 {
		p++
	}
	return p == len(pattern)
}
