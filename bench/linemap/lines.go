package main

import (
	"maps"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// line is what both sides say of a line of sources.
type line struct {
	file   string
	number int
	text   string
	reason string // that it has no code
	known  bool   // to us: code of a contract that ran holds it
	ours   bool   // executed
	forge  int    // how often executed; −1: not known to forge
	// What the marks say: whether one of a token of the line was passed, and whether
	// all have one.
	passed, marked bool
}

// lines joins what both sides say, by file and line, of the deployments and the
// first n sequences.
func (s *deployment) lines(sources map[string]string, theirs hits, n int) []line {
	var list []line
	for _, l := range s.mapping.Lines {
		at := l.Position
		out := line{file: at.File, number: at.Line, text: lineText(sources[at.File], at.Line), forge: -1, reason: l.Reason}
		for _, i := range l.Targets {
			t := &s.mapping.Targets[i]
			if !s.live(t.Contract) {
				continue
			}
			out.known = true
			out.ours = out.ours || slices.ContainsFunc(s.apart[:n+1], func(entered blocks) bool { return s.reached(entered, t) })
		}
		if count, known := theirs[at.File][at.Line]; known {
			out.forge = count
		}
		list = append(list, out)
	}
	return list
}

// decide fills in what the marks of the planted build say of lines, in the
// deployments and the first n sequences.
func (p *planting) decide(lines []line, planted *deployment, n int) {
	passed := map[uint32]bool{}
	for i := range n + 1 {
		for _, marks := range planted.passed(i) {
			maps.Copy(passed, marks)
		}
	}
	tokens := map[string]map[int][]solidity.Token{}
	for name, text := range p.texts {
		tokens[name] = tokensByLine(text)
	}
	for i := range lines {
		l := &lines[i]
		saw, blank, _ := look(p.marksOf(l.file, tokens[l.file][l.number]), passed)
		l.passed, l.marked = saw, !blank
	}
}

// verdict is what the marks say of lines that we call reached, and of those that
// we do not, contract by contract.
type verdict struct {
	judged  int // lines called reached with a mark for one of their tokens
	unknown int // without
	runs    int // how often a line was judged: deployments and sequences, one by one
	// falsely are lines called reached in deployments, or in a sequence, none of
	// whose marks was passed there.
	falsely []bytecode.Target
	// missed are lines with the start of a statement whose mark was passed, not
	// called reached there.
	missed []bytecode.Target
}

// judge holds the lines that a build calls reached, contract by contract and
// sequence by sequence, against the marks of the planted one. skip names the
// sequences that went another way there.
func (p *planting) judge(s, planted *deployment, skip func(sequence int) bool) verdict {
	tokens := map[string]map[int][]solidity.Token{}
	for name, text := range p.texts {
		tokens[name] = tokensByLine(text)
	}
	targets := s.mapping.Targets
	marks := make([][]tokenMark, len(targets))
	for i, t := range targets {
		marks[i] = p.marksOf(t.Position.File, tokens[t.Position.File][t.Position.Line])
	}
	var v verdict
	what := make([]struct{ judged, unknown, falsely, missed bool }, len(targets))
	for i := range s.apart {
		if i > 0 && skip(i-1) {
			continue
		}
		passed := planted.passed(i)
		for k := range targets {
			saw, blank, starts := look(marks[k], passed[targets[k].Contract])
			reached := s.reached(s.apart[i], &targets[k])
			w := &what[k]
			switch {
			case reached && (saw || !blank):
				v.runs++
				w.judged = true
				w.falsely = w.falsely || !saw
			case reached:
				w.unknown = true
			case starts:
				w.missed = true
			}
		}
	}
	for k, w := range what {
		switch {
		case w.judged:
			v.judged++
		case w.unknown:
			v.unknown++
		}
		if w.falsely {
			v.falsely = append(v.falsely, targets[k])
		}
		if w.missed {
			v.missed = append(v.missed, targets[k])
		}
	}
	return v
}

// passed are the marks that were passed in the deployments (0) or a sequence
// (from 1), by contract.
func (s *deployment) passed(i int) map[string]map[uint32]bool {
	passed := map[string]map[uint32]bool{}
	for l, mark := range s.marks {
		if !s.ran(s.apart[i], l) {
			continue
		}
		name := s.Table.Program(l.Code).Contract.QualifiedName()
		if passed[name] == nil {
			passed[name] = map[uint32]bool{}
		}
		passed[name][mark] = true
	}
	return passed
}

// tokenMark is the mark that a token of a line counts for.
type tokenMark struct {
	mark   uint32 // 0: none
	starts bool   // the token is the first of what the mark stands for
}

// marksOf finds the marks of tokens: each counts for the innermost region that
// holds it.
func (p *planting) marksOf(file string, tokens []solidity.Token) []tokenMark {
	var marks []tokenMark
	for _, token := range tokens {
		best := region{}
		for _, r := range p.regions[file] {
			if r.start <= token.Start && token.End <= r.end && (best.end == 0 || r.end-r.start < best.end-best.start) {
				best = r
			}
		}
		marks = append(marks, tokenMark{best.mark, best.start == token.Start})
	}
	return marks
}

// look tells of a line whether the mark of any of its tokens was passed (saw),
// whether any has none (blank), and whether what starts on the line is among
// those passed.
func look(marks []tokenMark, passed map[uint32]bool) (saw, blank, starts bool) {
	for _, m := range marks {
		switch {
		case m.mark == 0:
			blank = true
		case passed[m.mark]:
			saw = true
			starts = starts || m.starts
		}
	}
	return saw, blank, starts
}

// tokensByLine lists the tokens that start on each line, structure and comments
// apart.
func tokensByLine(text []byte) map[int][]solidity.Token {
	byLine := map[int][]solidity.Token{}
	number, at := 1, 0
	for _, t := range solidity.Tokenize(text) {
		for ; at < t.Start; at++ {
			if text[at] == '\n' {
				number++
			}
		}
		if t.Kind != solidity.Comment && (t.End-t.Start > 1 || !slices.Contains([]byte("(){}[];,.:"), text[t.Start])) {
			byLine[number] = append(byLine[number], t)
		}
	}
	return byLine
}
