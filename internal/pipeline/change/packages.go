package change

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/project"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/human"
)

// This file says which of the installed packages that changed matter: those that sources import.
// Where a tool for tests or a formatter is another, the base is compiled as it was.

// changedPackages is a file of which the base's version has other packages installed.
type changedPackages struct {
	file  string
	names []string
	used  []string // of them, by sources
}

// described lists the packages that sources import.
func (p *changedPackages) described() string { return p.used[0] + human.More(len(p.used)-1) }

// usedPackages are the files that changed packages which sources import.
func (d *dependencies) usedPackages() []changedPackages {
	return slices.DeleteFunc(slices.Clone(d.packages), func(p changedPackages) bool { return len(p.used) == 0 })
}

// findUsedPackages finds the changed packages that sources import: those of the builds, or before
// there are any, those of all projects. What the base alone imports is asked about when it is read.
func (c *Change) findUsedPackages() {
	if len(c.deps.packages) == 0 {
		return
	}
	imported := map[string]bool{}
	for _, o := range c.Outputs {
		for _, s := range o.Sources {
			imported[c.packageOf(s)] = true
		}
	}
	if len(c.Outputs) == 0 {
		folders, err := project.List(c.Root)
		if err != nil {
			return // all of them stay
		}
		for _, file := range project.Followed(c.Root, folders, solc.Options{Root: c.Root, Repository: c.Paths.Checkout}) {
			imported[settings.PackageOf(file)] = true
		}
	}
	for i := range c.deps.packages {
		p := &c.deps.packages[i]
		p.used = slices.DeleteFunc(slices.Clone(p.names), func(name string) bool {
			for holder := range imported {
				if settings.SamePackage(holder, name) {
					return false
				}
			}
			return true
		})
	}
}

// packageOf is the package that a source is of, see [settings.PackageOf].
func (c *Change) packageOf(s *compile.Source) string {
	if file, below := strings.CutPrefix(s.File, filepath.ToSlash(c.Paths.Checkout)+"/"); below && !strings.Contains("/"+file, "/node_modules/") && !strings.Contains("/"+file, "/dependencies/") {
		return "" // of the repository
	}
	return settings.PackageOf(cmp.Or(s.File, s.Path))
}

// packageOfOutput is a changed file, with the packages of it that an output's sources are of; empty if
// there is none.
func (c *Change) packageOfOutput(o *compile.Output) string {
	for _, p := range c.deps.usedPackages() {
		if !affects(p.file, o, c.Paths.Root) {
			continue
		}
		p.used = slices.DeleteFunc(slices.Clone(p.used), func(name string) bool {
			return !slices.ContainsFunc(o.Sources, func(s *compile.Source) bool { return settings.SamePackage(c.packageOf(s), name) })
		})
		if len(p.used) > 0 {
			return fmt.Sprintf("%s (%s)", p.file, p.described())
		}
	}
	return ""
}

// changedPackage is the changed package that a source is of which an output's base version
// imports; empty if it is of none.
func (c *Change) changedPackage(name string, o *compile.Output) string {
	for _, p := range c.deps.packages {
		for _, changed := range p.names {
			if settings.SamePackage(settings.PackageOf(name), changed) && affects(p.file, o, c.Paths.Root) {
				return changed
			}
		}
	}
	return ""
}
