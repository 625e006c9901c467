package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// spans are texts for the instructions of a Table's artifacts, as runs of equal ones.
type spans struct {
	Texts []string `json:"texts"` // each once
	// Runs are by artifact, in the order of their CodeIDs: the first pc of each run, and its text's index; −1: it has none.
	Runs [][][2]int `json:"runs"`
}

// artifacts are the programs of a Table's contracts, in the order of their CodeIDs, which are 1, 2, 3 …
func artifacts(t *bytecode.Table) []*bytecode.Program {
	var list []*bytecode.Program
	for id := bytecode.CodeID(1); ; id++ {
		p := t.Program(id)
		if p == nil || p.Code == nil {
			return list
		}
		list = append(list, p)
	}
}

// spansOf asks for the text of each instruction. What is behind the last one counts: executions that run off the code
// end there.
func spansOf(programs []*bytecode.Program, text func(bytecode.Location) (string, bool)) spans {
	out := spans{Texts: []string{}, Runs: [][][2]int{}}
	index := map[string]int{}
	for _, p := range programs {
		runs := [][2]int{}
		look := func(pc uint32) bool {
			at := -1
			if s, ok := text(bytecode.Location{Code: p.ID, PC: pc}); ok {
				i, known := index[s]
				if !known {
					i = len(out.Texts)
					index[s] = i
					out.Texts = append(out.Texts, s)
				}
				at = i
			}
			if len(runs) == 0 || runs[len(runs)-1][1] != at {
				runs = append(runs, [2]int{int(pc), at})
			}
			return true
		}
		p.Instructions(look)
		look(uint32(len(p.Bytes)))
		out.Runs = append(out.Runs, runs)
	}
	return out
}

// check returns an error unless the runs are those of so many artifacts.
func (s *spans) check(artifacts int) error {
	if len(s.Runs) != artifacts {
		return fmt.Errorf("runs for %d pieces of code, of which there are %d", len(s.Runs), artifacts)
	}
	for i, runs := range s.Runs {
		last := -1
		for _, r := range runs {
			if r[0] <= last || r[0] > math.MaxInt32 {
				return fmt.Errorf("code %d: a run begins at %d, after %d", i+1, r[0], last)
			}
			if r[1] < -1 || r[1] >= len(s.Texts) {
				return fmt.Errorf("code %d: there is no text %d", i+1, r[1])
			}
			last = r[0]
		}
	}
	return nil
}

// at is the text of an instruction; false where it has none, and for code that is not of the table.
func (s *spans) at(l bytecode.Location) (string, bool) {
	if l.Code == bytecode.NoCode || int(l.Code) > len(s.Runs) {
		return "", false
	}
	runs := s.Runs[l.Code-1]
	i, found := slices.BinarySearchFunc(runs, int(l.PC), func(r [2]int, pc int) int { return r[0] - pc })
	if !found {
		i--
	}
	if i < 0 || runs[i][1] < 0 {
		return "", false
	}
	return s.Texts[runs[i][1]], true
}
