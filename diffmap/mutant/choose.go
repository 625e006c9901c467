package mutant

import (
	"cmp"
	"slices"
)

// choose takes so many of the mutants: operators take turns, and each gives one of the
// function, then of the line, that has the fewest so far. What is left to chance is decided by
// the hashes, which are spread over the text as by lot and the same in each run.
func choose(all []Mutant, most int) []Mutant {
	type place struct {
		source, contract, function string
		line                       int
	}
	function := func(m *Mutant) place { return place{m.Source, m.Contract, m.Function, 0} }
	line := func(m *Mutant) place { return place{source: m.Source, line: m.Line} }
	waiting := map[Operator][]int{}
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID()
		waiting[all[i].Operator] = append(waiting[all[i].Operator], i)
	}
	taken := map[place]int{}
	var chosen []int
	for len(chosen) < most {
		before := len(chosen)
		for _, o := range table {
			list := waiting[o.name]
			if len(list) == 0 || len(chosen) == most {
				continue
			}
			best := slices.MinFunc(list, func(a, b int) int {
				return cmp.Or(cmp.Compare(taken[function(&all[a])], taken[function(&all[b])]), cmp.Compare(taken[line(&all[a])], taken[line(&all[b])]),
					cmp.Compare(ids[a], ids[b]))
			})
			waiting[o.name] = slices.DeleteFunc(list, func(i int) bool { return i == best })
			chosen = append(chosen, best)
			taken[function(&all[best])]++
			taken[line(&all[best])]++
		}
		if len(chosen) == before {
			break
		}
	}
	slices.Sort(chosen)
	mutants := make([]Mutant, len(chosen))
	for i, at := range chosen {
		mutants[i] = all[at]
	}
	return mutants
}
