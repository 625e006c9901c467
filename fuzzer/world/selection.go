package world

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// DefaultMaxContracts is how many contracts are chosen when [Options] names none
// and sets no number: what calls the changed contract can break it too, but calls
// that are spread over hundreds of contracts reach nothing deep in any. Arbitrary.
const DefaultMaxContracts = 16

// LeftOut is a contract that could have been deployed and was not tried.
type LeftOut struct {
	Contract *bytecode.Contract
	Reason   string // for people
}

// Selection is what of a build is worth deploying.
type Selection struct {
	Wanted  []*bytecode.Contract // the most important first
	LeftOut []LeftOut            // in table order
}

// Select chooses at most limit contracts to deploy, the targets always and before
// all others, in the order of [Role] and the table.
//
// Contracts that targets under test inherit from are left out: targets have what they do, and calls of
// them are calls that do not go to targets.
//
// Among the others only contracts under test are candidates; where there are
// neither targets nor such, as in a library of contracts, mocks are, and so on in
// the order of [Role]. When there are more candidates than limit, those that have
// to do with a target come first, see relatives, and unrelated ones are left out;
// without targets, the first of the table are chosen.
//
// Interfaces, abstract contracts and libraries are in neither list: the first two
// have no code, libraries are deployed with what links to them, for which a
// contract that does is chosen.
func Select(contracts, targets []*bytecode.Contract, limit int) Selection {
	var s Selection
	var others []*bytecode.Contract
	for _, c := range contracts {
		switch {
		case !c.Deployable() || c.Library:
		case slices.Contains(targets, c):
			s.Wanted = append(s.Wanted, c)
		default:
			others = append(others, c)
		}
	}
	for _, library := range targets {
		if !library.Library || slices.ContainsFunc(s.Wanted, func(c *bytecode.Contract) bool { return links(c, library) }) {
			continue
		}
		if using := slices.DeleteFunc(slices.Clone(others), func(c *bytecode.Contract) bool { return !links(c, library) }); len(using) > 0 {
			c := slices.MinFunc(using, func(c, d *bytecode.Contract) int { return cmp.Compare(role(c), role(d)) })
			s.Wanted, others = append(s.Wanted, c), slices.DeleteFunc(others, func(d *bytecode.Contract) bool { return d == c })
		}
	}
	slices.SortStableFunc(s.Wanted, func(c, d *bytecode.Contract) int { return cmp.Compare(role(c), role(d)) })
	heirs := slices.DeleteFunc(slices.Clone(s.Wanted), func(c *bytecode.Contract) bool { return role(c) != UnderTest })
	worst := UnderTest
	if len(s.Wanted) == 0 && len(others) > 0 {
		worst = role(slices.MinFunc(others, func(c, d *bytecode.Contract) int { return cmp.Compare(role(c), role(d)) }))
	}
	candidates := slices.DeleteFunc(slices.Clone(others), func(c *bytecode.Contract) bool { return role(c) > worst || heirOf(c, heirs) != nil })
	if room := max(limit-len(s.Wanted), 0); len(candidates) > room {
		candidates = relatives(candidates, s.Wanted)
		candidates = candidates[:min(room, len(candidates))]
	}
	s.Wanted = append(s.Wanted, candidates...)
	for _, c := range others {
		if slices.Contains(s.Wanted, c) {
			continue
		}
		reason := fmt.Sprintf("left out: at most %d contracts are chosen, and others come first or have more to do with the targets", limit)
		if heir := heirOf(c, heirs); heir != nil {
			reason = fmt.Sprintf("left out as a base: %s inherits from it, and has what changed", heir.Name)
		}
		if role, why := RoleOf(c); role > worst {
			reason = fmt.Sprintf("left out as a %s: %s", role, why)
		}
		s.LeftOut = append(s.LeftOut, LeftOut{c, reason})
	}
	return s
}

// links reports whether a contract's code is linked to a library.
func links(c, library *bytecode.Contract) bool {
	return slices.ContainsFunc(c.Creation.Links, func(l bytecode.Link) bool { return l.Library == library.QualifiedName() })
}

// heirOf is the first of the targets that inherits from a contract; nil: none does.
func heirOf(c *bytecode.Contract, targets []*bytecode.Contract) *bytecode.Contract {
	for _, t := range targets {
		if len(t.Implements) > 0 && slices.Contains(t.Implements[1:], c.Name) {
			return t
		}
	}
	return nil
}

func role(c *bytecode.Contract) Role {
	r, _ := RoleOf(c)
	return r
}

// relatives lists, of the candidates, those that have to do with a target: first
// those that create it or are given it by their constructor, then those whose
// functions take its type; in table order each. Without targets, all of them.
func relatives(candidates, targets []*bytecode.Contract) []*bytecode.Contract {
	if len(targets) == 0 {
		return candidates
	}
	var near, far []*bytecode.Contract
	for _, c := range candidates {
		switch {
		case slices.ContainsFunc(targets, func(t *bytecode.Contract) bool { return creates(c, t) || constructedWith(c, t) }):
			near = append(near, c)
		case slices.ContainsFunc(targets, func(t *bytecode.Contract) bool { return mentions(c, t) }):
			far = append(far, c)
		}
	}
	return append(near, far...)
}

// creates reports whether c holds the creation code of d. Only as much of it is
// looked for as comes before the first place that linking fills in.
func creates(c, d *bytecode.Contract) bool {
	code := d.Creation.Bytes
	if len(d.Creation.Links) > 0 {
		code = code[:min(int(d.Creation.Links[0].Offset), len(code))]
	}
	const least = 32 // shorter pieces are in every contract
	return len(code) >= least && (bytes.Contains(c.Creation.Bytes, code) || c.Runtime != nil && bytes.Contains(c.Runtime.Bytes, code))
}

// constructedWith reports whether c's constructor takes a contract type that d is.
func constructedWith(c, d *bytecode.Contract) bool {
	for i := range c.ABI.Constructor.Inputs {
		if typ := argumentType(c, i); typ != "" && (typ == d.Name || slices.Contains(d.Implements, typ)) {
			return true
		}
	}
	return false
}

// mentions reports whether a function of c has a parameter or result of a contract
// type that d is, as far as the ABI says.
func mentions(c, d *bytecode.Contract) bool {
	for _, name := range append([]string{d.Name}, d.Implements...) {
		if bytes.Contains(c.RawABI, []byte(`"contract `+name+`"`)) {
			return true
		}
	}
	return false
}

// choose lists what the options ask for.
func choose(contracts []*bytecode.Contract, o Options) (Selection, error) {
	if len(contracts) == 0 {
		return Selection{}, errors.New("the build has no contracts: there is nothing to deploy")
	}
	targets, err := namedContracts(contracts, o.Targets)
	if err != nil {
		return Selection{}, err
	}
	if len(o.Only) == 0 {
		return Select(contracts, targets, o.MaxContracts), nil
	}
	only, err := namedContracts(contracts, o.Only)
	if err != nil {
		return Selection{}, err
	}
	wanted := targets
	for _, c := range only {
		if !slices.Contains(targets, c) {
			wanted = append(wanted, c)
		}
	}
	return Selection{Wanted: wanted}, nil
}

// namedContracts lists the contracts with these names, in table order.
func namedContracts(contracts []*bytecode.Contract, names []string) ([]*bytecode.Contract, error) {
	for _, name := range names {
		if !slices.ContainsFunc(contracts, func(c *bytecode.Contract) bool { return named(c, name) }) {
			return nil, fmt.Errorf("the build has no contract named %q", name)
		}
	}
	var selected []*bytecode.Contract
	for _, c := range contracts {
		if slices.ContainsFunc(names, func(name string) bool { return named(c, name) }) {
			selected = append(selected, c)
		}
	}
	return selected, nil
}

func named(c *bytecode.Contract, name string) bool {
	return c.Name == name || c.QualifiedName() == name
}
