package replay

import (
	"cmp"
	"slices"
)

// coverable is a sequence with the targets that it shows.
type coverable struct {
	calls  int
	name   string // decides among equals
	covers []int  // indices of targets, each once
}

// cover chooses few of the sequences that show all targets that any of them shows, but for those that are
// shown already: greedily the one that adds most, of equals the one with fewest calls. usable reports whether a
// sequence can be chosen; it is asked of those that would be. What the others show as well is left out in the end.
func cover(list []coverable, shown map[int]bool, usable func(int) bool) []int {
	left := map[int]bool{}
	for i := range list {
		for _, t := range list[i].covers {
			left[t] = !shown[t]
		}
	}
	open := make([]int, len(list))
	for i := range open {
		open[i] = i
	}
	var chosen []int
	for {
		adds := func(i int) (n int) {
			for _, t := range list[i].covers {
				if left[t] {
					n++
				}
			}
			return n
		}
		open = slices.DeleteFunc(open, func(i int) bool { return adds(i) == 0 })
		if len(open) == 0 {
			break
		}
		best := slices.MinFunc(open, func(a, b int) int {
			return cmp.Or(cmp.Compare(adds(b), adds(a)), cmp.Compare(list[a].calls, list[b].calls), cmp.Compare(list[a].name, list[b].name))
		})
		open = slices.DeleteFunc(open, func(i int) bool { return i == best })
		if !usable(best) {
			continue
		}
		chosen = append(chosen, best)
		for _, t := range list[best].covers {
			left[t] = false
		}
	}
	return slices.DeleteFunc(chosen, redundant(list, shown, chosen))
}

// redundant reports of the chosen sequences, in their order, whether the others that stay show all that one shows.
func redundant(list []coverable, shown map[int]bool, chosen []int) func(int) bool {
	times := map[int]int{}
	for _, i := range chosen {
		for _, t := range list[i].covers {
			times[t]++
		}
	}
	return func(i int) bool {
		for _, t := range list[i].covers {
			if times[t] == 1 && !shown[t] {
				return false
			}
		}
		for _, t := range list[i].covers {
			times[t]--
		}
		return true
	}
}
