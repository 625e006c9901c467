package compile

import (
	"cmp"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Distinguish makes the qualified names of all contracts of a repository's
// builds different: those of a project in a folder get the folder, and those that
// several compilers made of one source get the compiler's version. What several
// builds of the same compiler hold, since tools keep what earlier runs compiled,
// stays in the first of them alone.
//
// mapped are the builds to map and to fuzz, parallel to outputs; a build may be
// its own. What links to a library names it by its new name.
func Distinguish(outputs, mapped []*Output) {
	versions := map[placedName][]string{}
	for _, o := range outputs {
		for _, c := range o.Contracts {
			name := placedName{o.Folder, c.UnitName()}
			if v := o.versionLabel(); !slices.Contains(versions[name], v) {
				versions[name] = append(versions[name], v)
			}
		}
	}
	held := map[placedName][]string{} // versions of the builds before
	for i, o := range outputs {
		version := o.versionLabel()
		variants := map[string]string{} // by "source:name"
		repeated := map[string]bool{}
		for _, c := range o.Contracts {
			name := placedName{o.Folder, c.UnitName()}
			variants[name.name] = ""
			if len(versions[name]) > 1 {
				variants[name.name] = version
			}
			if slices.Contains(held[name], version) {
				repeated[name.name] = true
			}
			held[name] = append(held[name], version)
		}
		o.rename(variants, repeated)
		if mapped[i] != o {
			mapped[i].rename(variants, repeated)
		}
	}
}

// placedName is a contract of a project: its folder and "source:name".
type placedName struct{ folder, name string }

// versionLabel is the compiler's version without its commit.
func (o *Output) versionLabel() string {
	if v, err := solc.ParseVersion(o.Compiler); err == nil {
		return v.String()
	}
	return cmp.Or(o.Compiler, "unknown")
}

// rename gives an output's contracts and their links the names that they have in
// the repository, and drops what is repeated. variants has all contracts of the
// build.
func (o *Output) rename(variants map[string]string, repeated map[string]bool) {
	qualified := map[string]string{}
	for _, c := range o.Contracts {
		c.Folder, c.Variant = o.Folder, variants[c.UnitName()]
		qualified[c.UnitName()] = c.QualifiedName()
	}
	o.Contracts = slices.DeleteFunc(o.Contracts, func(c *Contract) bool { return repeated[c.UnitName()] })
	for _, c := range o.Contracts {
		for _, code := range []*bytecode.Code{c.Creation, c.Runtime} {
			if code == nil {
				continue
			}
			for i, link := range code.Links {
				if name, known := qualified[link.Library]; known {
					code.Links[i].Library = name
				}
			}
		}
	}
}
