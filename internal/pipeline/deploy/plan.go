package deploy

import (
	"path"
	"slices"
	"strings"

	"github.com/holiman/uint256"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
)

// Plan is everything that a configuration says about the World.
type Plan struct {
	World            world.Plan
	Include, Exclude []string // patterns for INSTANCE.FUNCTION: which functions sequences call; empty: all
	Imported         Imported
}

// Imported is what the configurations of other fuzzers say in addition.
type Imported struct {
	Prefixes  []string     // of properties' names
	MaxValue  *uint256.Int // wei that a call carries; nil: not said
	MaxTime   *uint64      // seconds that pass before a call; nil: not said
	MaxBlocks *uint64      // blocks that pass before a call; nil: not said
	Filters   []FunctionFilter
	All       bool // properties of testers speak of calls of all contracts
}

// FunctionFilter chooses functions by "Contract.function(uint256)".
type FunctionFilter struct {
	Names []string
	Only  bool // these and no others; otherwise all but these
}

// Allows reports whether a function may be called.
func (f *FunctionFilter) Allows(name string) bool { return slices.Contains(f.Names, name) == f.Only }

// unused are the patterns of calls that no function of the World matches.
func (p *Plan) unused(w *evm.World) []string {
	var names []string
	for i := range w.Instances {
		functions, _ := input.Functions(w.Instances[i].Contract)
		for _, f := range functions {
			names = append(names, w.Instances[i].Name+"."+f.Name)
		}
	}
	var unused []string
	for _, pattern := range slices.Concat(p.Include, p.Exclude) {
		if !slices.ContainsFunc(names, func(name string) bool { return matches(pattern, name) }) {
			unused = append(unused, strings.TrimSuffix(pattern, ".*"))
		}
	}
	return unused
}

// matches reports whether a name is like a pattern, which was checked when it was read.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
