package world

import (
	"slices"
	"strings"
)

// InCircle begins what is said of a contract that could not be deployed, after the reason, where
// others are in the way.
const InCircle = "; their constructors want each other: "

// explainCircles says of contracts that could not be deployed that their constructors
// want each other: whichever comes first lacks the other.
func (au *auto) explainCircles(failed []*candidate) {
	wants := map[*candidate][]*candidate{}
	for _, f := range failed {
		if f.failure.Tries > 0 { // its constructor was run
			wants[f] = au.wantedBy(f, failed)
		}
	}
	for _, f := range failed {
		circle := circleOf(f, wants)
		if circle == nil {
			continue
		}
		var parts []string
		for i, c := range circle {
			parts = append(parts, c.contract.Name+" wants "+circle[(i+1)%len(circle)].contract.Name)
		}
		f.failure.Reason += InCircle + strings.Join(parts, ", ") +
			"; a test's setUp() that computes an address beforehand can deploy them (--setup)"
	}
}

// wantedBy lists the contracts among those that failed that a constructor asks for, and
// of which nothing else is deployed.
func (au *auto) wantedBy(c *candidate, failed []*candidate) []*candidate {
	var wanted []*candidate
	var walk func(list []parameter)
	walk = func(list []parameter) {
		for i := range list {
			walk(list[i].fields)
			kind := list[i].asksFor()
			if kind == "" {
				continue
			}
			need := au.deps.needOf(kind)
			if au.deps.count(need) > 0 {
				continue
			}
			for _, other := range failed {
				if other != c && need.meets(other.contract) && !slices.Contains(wanted, other) {
					wanted = append(wanted, other)
				}
			}
		}
	}
	walk(constructorParameters(c.contract))
	return wanted
}

// circleOf is a shortest way from a contract to itself; nil: there is none.
func circleOf(from *candidate, wants map[*candidate][]*candidate) []*candidate {
	before := map[*candidate]*candidate{}
	for queue := []*candidate{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range wants[queue[0]] {
			if next == from {
				var circle []*candidate
				for at := queue[0]; at != from; at = before[at] {
					circle = append(circle, at)
				}
				circle = append(circle, from)
				slices.Reverse(circle)
				return circle
			}
			if before[next] == nil {
				before[next] = queue[0]
				queue = append(queue, next)
			}
		}
	}
	return nil
}
