package change

import (
	"context"
	"os"
	"regexp"
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Oversized is a contract that ships and that no chain accepts.
type Oversized struct {
	Contract *compile.Contract
	At       bytecode.Position // of its declaration
	Kind     bytecode.Kind     // of the code that is too long
	Size     int               // bytes, in the release build
	// Was is the size on the base; 0: the base lacks the contract, SizeUnknown: it is not known.
	Was int
	// OtherRelease is why the project may release another build, as the end of a sentence; empty: it does not look so.
	OtherRelease string
}

// Limit is the most bytes that a chain accepts.
func (o *Oversized) Limit() int {
	if o.Kind == bytecode.Creation {
		return bytecode.MaxCreation
	}
	return bytecode.MaxRuntime
}

// Oversized lists the contracts that are too large for a chain in the build that the project releases, and were not
// on the base, as far as that is known. The base is compiled with the project's own settings for that, if need be.
func (c *Change) Oversized(ctx context.Context) []Oversized {
	var list []Oversized
	if !c.HasBase() {
		return nil
	}
	for i, o := range c.Outputs {
		large := tooLarge(o)
		if len(large) == 0 || c.generated[o] {
			continue
		}
		given := o
		if i < len(c.Given) {
			given = c.Given[i]
		}
		was := c.sizesOfBase(ctx, o, given)
		other := c.otherRelease(given)
		for _, one := range large {
			one.Was, one.OtherRelease = was(one.Contract.UnitName(), one.Kind), other
			if one.Was <= one.Limit() {
				one.At = c.declarationOf(o, one.Contract)
				list = append(list, one)
			}
		}
	}
	return list
}

// tooLarge are the contracts of a build that ship and that no chain accepts, each once.
func tooLarge(o *compile.Output) []Oversized {
	var list []Oversized
	for _, contract := range o.Contracts {
		role, _ := world.RoleOf(&contract.Contract)
		if role != world.UnderTest || contract.Generated || world.IsHarness(&contract.Contract) {
			continue
		}
		for _, code := range []*bytecode.Code{contract.Runtime, contract.Creation} {
			if code == nil || code.Kind == bytecode.Creation && !sinceShanghai(o.EVMVersion()) || beforeEIP170(o.EVMVersion()) {
				continue
			}
			one := Oversized{Contract: contract, Kind: code.Kind}
			size, known := code.ReleaseSize()
			if known && size > one.Limit() {
				one.Size = size
				list = append(list, one)
				break
			}
		}
	}
	return list
}

// beforeEIP170 and sinceShanghai tell EVM versions by the limits of code's size: there is none before Spurious Dragon,
// and one for creation code since Shanghai.
func beforeEIP170(version string) bool {
	return slices.Contains([]string{"homestead", "tangerineWhistle"}, version)
}

func sinceShanghai(version string) bool {
	return slices.Contains([]string{"shanghai", "cancun", "prague", "osaka"}, version)
}

// sizesOfBase says how long code is on the base, in the release build.
func (c *Change) sizesOfBase(ctx context.Context, head, given *compile.Output) func(contract string, kind bytecode.Kind) int {
	unknown := func(string, bytecode.Kind) int { return bytecode.SizeUnknown }
	sides, _ := c.Base(ctx) // of what has no build, nothing is known
	at := slices.IndexFunc(sides, func(s diffmap.BaseSide) bool {
		return s.Head == head || len(s.Head.Contracts) > 0 && slices.Contains(head.Contracts, s.Head.Contracts[0])
	})
	if at < 0 || given.Debug {
		return unknown
	}
	side := sides[at]
	base := side.Base
	if base.Debug {
		var err error
		if base, err = given.Like(ctx, side.Base, c.compilersIn(head.Folder), c.Debug); err != nil {
			return unknown
		}
	}
	sizes := map[sizeKey]int{}
	for key, size := range sizesOf(base) {
		for was, is := range side.Renamed {
			if rest, ok := cutSource(key.contract, was); ok {
				key.contract = is + rest
				break
			}
		}
		sizes[key] = size
	}
	return func(contract string, kind bytecode.Kind) int {
		if len(side.LeftOut) > 0 && sizes[sizeKey{contract, kind}] == 0 {
			return bytecode.SizeUnknown // its base version may not compile
		}
		return sizes[sizeKey{contract, kind}]
	}
}

// cutSource is what is behind the source in a contract's name.
func cutSource(contract, source string) (rest string, ok bool) {
	if len(contract) > len(source) && contract[:len(source)] == source && contract[len(source)] == ':' {
		return contract[len(source):], true
	}
	return "", false
}

// otherProfile finds a profile of foundry.toml besides the one that is built.
var otherProfile = regexp.MustCompile(`(?m)^\s*\[profile\.([^\].]+)\]`)

// otherRelease is why a project may release another build than the one that it was built to, as the end of a sentence.
func (c *Change) otherRelease(given *compile.Output) string {
	if given.Settings.Known && !given.Settings.Optimizer {
		return "it is compiled without the optimizer, which a release may not be"
	}
	if !given.Settings.Known {
		return "the settings of the build are not known"
	}
	text, err := c.read("foundry.toml")
	if err != nil {
		return ""
	}
	for _, m := range otherProfile.FindAllSubmatch(text, -1) {
		if name := string(m[1]); name != "default" && name != os.Getenv("FOUNDRY_PROFILE") && name != "ci" {
			return "foundry.toml has other profiles, of which one may be for releases"
		}
	}
	return ""
}

// declarationOf is where a contract is declared.
func (c *Change) declarationOf(o *compile.Output, contract *compile.Contract) (at bytecode.Position) {
	for _, s := range o.Sources {
		if s.Path != contract.Source || s.AST == nil {
			continue
		}
		s.AST.Walk(func(n *compile.Node) bool {
			if n.Type == "ContractDefinition" && n.Attribute("name") == contract.Name {
				at, _ = diffmap.NodePosition(o, n, c.Paths)
			}
			return at.Line == 0
		})
	}
	return at
}
