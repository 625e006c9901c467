package mutant

import (
	"cmp"
	"slices"
)

// choose takes so many of the mutants as [InTurns] has them first, in the order that they had.
func choose(all []Mutant, most int) []Mutant {
	chosen := turns(all, most)
	slices.Sort(chosen)
	return at(all, chosen)
}

// InTurns orders mutants so that of each beginning of the list, operators, functions and lines have their share, and leaves out
// those after so many.
func InTurns(all []Mutant, most int) []Mutant { return at(all, turns(all, min(most, len(all)))) }

func at(all []Mutant, indices []int) []Mutant {
	mutants := make([]Mutant, len(indices))
	for i, index := range indices {
		mutants[i] = all[index]
	}
	return mutants
}

// turns are the indices of so many of the mutants: operators take turns, and each gives one of the
// function, then of the line, that has the fewest so far. What is left to chance is decided by
// the hashes, which are spread over the text as by lot and the same in each run.
func turns(all []Mutant, most int) (chosen []int) {
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
	return chosen
}
