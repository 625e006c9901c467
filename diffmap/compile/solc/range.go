package solc

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// Range is the expression of a "pragma solidity": alternatives ("||"), each a
// conjunction of comparisons. It is read and matched as solc does it
// (liblangutil/SemVerHandler.cpp), which differs from npm's rules in corners:
// "^0.0.3" allows every 0.0.x and "0.x" every minor version.
type Range struct {
	text         string
	alternatives [][]comparison
}

// comparison is an operator and a version of which the first levels are given.
type comparison struct {
	operator string // "=", "<", "<=", ">", ">=", "^", "~"
	numbers  [3]int // wildcard for x, X and *
	levels   int    // 1 to 3
}

const wildcard = -1

// maxRange bounds an expression; real ones have about 20 characters.
const maxRange = 1000

// ParseRange reads the expression between "pragma solidity" and ";".
func ParseRange(text string) (Range, error) {
	r := Range{text: strings.Join(strings.Fields(text), " ")}
	if len(text) > maxRange {
		return Range{}, fmt.Errorf("a version range of more than %d characters", maxRange)
	}
	for alternative := range strings.SplitSeq(text, "||") {
		comparisons, err := parseConjunction(alternative)
		if err != nil {
			return Range{}, fmt.Errorf("version range %q: %w", reading.Shorten(r.text), err)
		}
		r.alternatives = append(r.alternatives, comparisons)
	}
	return r, nil
}

// String is the expression as it was given, with single spaces.
func (r Range) String() string { return r.text }

func parseConjunction(text string) ([]comparison, error) {
	p := rangeParser{rest: text}
	var comparisons []comparison
	for p.skipSpace(); p.rest != ""; p.skipSpace() {
		c, err := p.comparison()
		if err != nil {
			return nil, err
		}
		comparisons = append(comparisons, c)
		p.skipSpace()
		if !strings.HasPrefix(p.rest, "-") {
			continue
		}
		// "1.2 - 1.4": a hyphen joins the first two versions only.
		p.rest = p.rest[1:]
		p.skipSpace()
		upper, err := p.comparison()
		if err != nil {
			return nil, err
		}
		if len(comparisons) != 1 || c.operator != "=" || upper.operator != "=" {
			return nil, fmt.Errorf("a hyphen joins two plain versions")
		}
		comparisons[0].operator = ">="
		upper.operator = "<="
		comparisons = append(comparisons, upper)
	}
	if len(comparisons) == 0 {
		return nil, fmt.Errorf("an empty expression")
	}
	return comparisons, nil
}

type rangeParser struct{ rest string }

func (p *rangeParser) skipSpace() { p.rest = strings.TrimLeft(p.rest, " \t\r\n\f\v") }

func (p *rangeParser) comparison() (comparison, error) {
	c := comparison{operator: "="}
	for _, operator := range []string{"<=", ">=", "<", ">", "=", "^", "~"} {
		if strings.HasPrefix(p.rest, operator) {
			c.operator = operator
			p.rest = p.rest[len(operator):]
			break
		}
	}
	p.skipSpace()
	p.rest = strings.TrimPrefix(p.rest, "v")
	for c.levels < 3 {
		n, err := p.level()
		if err != nil {
			return c, err
		}
		c.numbers[c.levels] = n
		c.levels++
		if !strings.HasPrefix(p.rest, ".") {
			break
		}
		p.rest = p.rest[1:]
	}
	return c, nil
}

// level reads a number or a wildcard.
func (p *rangeParser) level() (int, error) {
	if p.rest != "" && strings.ContainsRune("xX*", rune(p.rest[0])) {
		p.rest = p.rest[1:]
		return wildcard, nil
	}
	digits := 0
	for digits < len(p.rest) && p.rest[digits] >= '0' && p.rest[digits] <= '9' {
		digits++
	}
	n, err := strconv.ParseUint(p.rest[:digits], 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%q is not a version", reading.Shorten(p.rest))
	}
	p.rest = p.rest[digits:]
	return int(n), nil
}

// Matches reports whether a compiler of this version takes the sources.
func (r Range) Matches(v Version) bool {
	for _, comparisons := range r.alternatives {
		all := true
		for _, c := range comparisons {
			all = all && c.matches(v)
		}
		if all {
			return true
		}
	}
	return false
}

func (c comparison) matches(v Version) bool {
	switch c.operator {
	case "~":
		upper := comparison{operator: "<=", numbers: c.numbers, levels: min(c.levels, 2)}
		if c.levels < 2 {
			upper.levels = 1
		}
		return comparison{">=", c.numbers, c.levels}.matches(v) && upper.matches(v)
	case "^":
		upper := comparison{operator: "<=", numbers: c.numbers, levels: 1}
		if c.numbers[0] == 0 && c.levels != 1 {
			upper.levels = 2
		}
		return comparison{">=", c.numbers, c.levels}.matches(v) && upper.matches(v)
	}
	order, compared := 0, false
	for i, n := range [3]int{v.Major, v.Minor, v.Patch} {
		if i >= c.levels || order != 0 {
			break
		}
		if c.numbers[i] != wildcard {
			compared = true
			order = n - c.numbers[i]
		}
	}
	if order == 0 && v.Pre != "" && compared {
		order = -1
	}
	switch c.operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	}
	return order == 0
}
