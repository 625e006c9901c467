package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/human"
)

// unbuiltError says that some builds have no base version; others may have one.
type unbuiltError struct {
	problems []string // of one build each: " of packages/core has no build: …"
	unknown  []string // what changed besides the sources, and gets a warning of its own
}

func (e *unbuiltError) Error() string {
	var parts []string
	for _, problem := range e.problems {
		parts = append(parts, "the base version"+problem)
	}
	if len(e.unknown) > 0 {
		parts = append(parts, fmt.Sprintf("%s changed, and with it how the base is compiled: pass the base's own build as --base-build",
			human.Printable(e.unknown[0])+human.More(len(e.unknown)-1)))
	}
	return strings.Join(parts, "; ")
}

// NoBuild is an error of [Change.Base], as why nothing is compared: that a build is missing is said once.
func NoBuild(err error) error {
	if unbuilt := (*unbuiltError)(nil); errors.As(err, &unbuilt) && len(unbuilt.problems) > 0 {
		return err
	}
	return fmt.Errorf("the base has no build: %w", err)
}

// baseFinder finds the base version's builds. With an [unbuiltError] there may be some.
type baseFinder func(ctx context.Context) ([]diffmap.BaseSide, error)

// Base returns the base version's builds, each with the head's that it is compared with.
// The first call finds them, and warns once for the whole run. With an error about some
// builds, it may return the others.
func (c *Change) Base(ctx context.Context) ([]diffmap.BaseSide, error) {
	if !c.asked {
		c.asked = true
		c.sides, c.sidesErr = c.base(ctx)
		for _, s := range c.sides {
			noteBaseSizes(s)
			switch {
			case c.sameSettings(s) || len(c.ownOf(s.Head)) > 0:
			case otherCompiler(s):
				c.log.Warn("%s is compiled with solc %s, and its base version with %s: code that changed there without a changed line is unknown", s.Head.Origin, human.Printable(s.Head.Compiler), human.Printable(s.Base.Compiler))
			default:
				c.log.Warn("%s and %s could not be compiled with the same settings: code that changed there without a changed line is unknown, and findings are compared with a base built with other settings", s.Head.Origin, s.Base.Origin)
			}
		}
	}
	return c.sides, c.sidesErr
}

// sameSettings reports whether a difference in code is one in the sources, or in what they
// mean: between 0.7 and 0.8, arithmetic got checked. Other releases of the same language make
// other code of nearly all functions, which says nothing.
func (c *Change) sameSettings(s diffmap.BaseSide) bool {
	if otherLanguage(s) {
		return true
	}
	for _, own := range c.ownOf(s.Head) {
		if _, version := own.Standard["evmVersion"]; own.Solc != "" || version {
			return false
		}
	}
	return !otherCompiler(s) && s.Head.Settings.ViaIR == s.Base.Settings.ViaIR && s.Head.Settings.Optimizer == s.Base.Settings.Optimizer
}

// SameBuilds reports whether head and base are compiled by the same release of the compiler, in the same way. It is
// false as long as the base is not known.
func (c *Change) SameBuilds() bool {
	for _, s := range c.sides {
		if otherLanguage(s) || !c.sameSettings(s) || s.Head.EVMVersion() != s.Base.EVMVersion() {
			return false
		}
	}
	return len(c.sides) > 0
}

// otherCompiler reports whether head and base were made by different releases of solc, as far as
// that is known.
func otherCompiler(s diffmap.BaseSide) bool {
	head, err := solc.ParseVersion(s.Head.Compiler)
	base, other := solc.ParseVersion(s.Base.Compiler)
	return err == nil && other == nil && head.Compare(base) != 0
}

// otherLanguage reports whether these releases take different languages: breaking changes are
// those of the second number (solidity documentation, "Solidity v0.8.0 Breaking Changes").
func otherLanguage(s diffmap.BaseSide) bool {
	head, err := solc.ParseVersion(s.Head.Compiler)
	base, other := solc.ParseVersion(s.Base.Compiler)
	return err == nil && other == nil && (head.Major != base.Major || head.Minor != base.Minor)
}

// findBase reads the base's builds if they are given, and makes them otherwise.
func (c *Change) findBase(ctx context.Context) ([]diffmap.BaseSide, error) {
	if len(c.options.BaseBuilds) > 0 {
		return c.readBase(ctx)
	}
	return c.buildBases(ctx)
}

// compared are the outputs that have a base: all but those of harnesses, which come last.
func (c *Change) compared() []*compile.Output {
	return slices.DeleteFunc(slices.Clone(c.Outputs), func(o *compile.Output) bool { return c.generated[o] })
}

// buildBases compiles the base version of each build whose base has known sources, in the
// way the head was compiled.
func (c *Change) buildBases(ctx context.Context) ([]diffmap.BaseSide, error) {
	options, err := c.baseOptions()
	if err != nil {
		return nil, err
	}
	changed := &unified.Diff{Files: slices.Concat(c.Diff.Files, c.deps.diff.Files)}
	var sides []diffmap.BaseSide
	unbuilt := &unbuiltError{}
	for i, o := range c.compared() {
		base, err := diffmap.BaseTexts(changed, o, options)
		if err != nil {
			return nil, err
		}
		recompiled := c.choosesOther(ctx, o, base)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		unknown := c.unknownOfBase(o)
		if old, left := c.beforeAdditions(o, base); !recompiled && old != nil && (unknown == "" || len(old.Contracts) == 0) {
			sides = append(sides, c.sideBefore(old, o, left))
			continue
		}
		if unknown != "" {
			if !slices.Contains(unbuilt.unknown, unknown) {
				unbuilt.unknown = append(unbuilt.unknown, unknown)
			}
			continue
		}
		if !base.Any() && !recompiled && !slices.ContainsFunc(c.ownOf(o), remaps) && !c.changesLanguage() {
			sides = append(sides, c.unchanged(o, options.Heads)...)
			continue
		}
		c.log.Line("base    compiling the base version of %s", describeOrigin(c.Given[i]))
		compiled, left, err := c.buildBase(ctx, o, base)
		if isLate(ctx, err) {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			unbuilt.problems = append(unbuilt.problems, fmt.Sprintf("%s has no build: %s", ofFolder(o), human.OneLine(err)))
			continue
		}
		sides = append(sides, c.sideWithout(left, diffmap.BaseSide{Head: o, Base: compiled, Renamed: base.Renamed, Causes: c.deps.causes()}))
	}
	if len(unbuilt.problems)+len(unbuilt.unknown) > 0 {
		return sides, unbuilt
	}
	return sides, nil
}

// isLate reports whether something failed since the time for it has run out. What is there is taken, however late it came.
func isLate(ctx context.Context, err error) bool { return err != nil && ctx.Err() != nil }

// choosesOther reports whether the base's pragmas have another compiler chosen than the head's.
func (c *Change) choosesOther(ctx context.Context, o *compile.Output, base *diffmap.BaseSources) bool {
	if len(base.Texts) == 0 || len(base.Others) == 0 && !slices.ContainsFunc(o.Sources, func(s *compile.Source) bool {
		text, changed := base.Texts[s.Path]
		return !changed || text != nil
	}) {
		return false // nothing changed, or the base has no source, and so no pragma
	}
	own, err := solc.ParseVersion(o.Compiler)
	if err != nil {
		return false
	}
	chosen, err := o.CompilerOfBase(ctx, base.Texts, c.compilersIn(o.Folder))
	return err == nil && chosen.Number() != own
}

// ofFolder names the project of a build, after "the base version".
func ofFolder(o *compile.Output) string {
	if o.Folder == "" {
		return ""
	}
	return " of " + o.Folder
}

// beforeAdditions is the base version of a build to which the diff only adds sources: what
// is left without them, which need not be compiled again. It may have no contracts. nil where
// the diff does something else. left are the sources that import what is added, such as tests that came first: they do not compile there.
func (c *Change) beforeAdditions(o *compile.Output, base *diffmap.BaseSources) (old *compile.Output, left []string) {
	if len(base.Texts) == 0 || base.Any() || len(base.Others) > 0 {
		return nil, nil
	}
	old, left = o.Without(func(source string) bool {
		text, changed := base.Texts[source]
		return changed && text == nil
	})
	old.Origin += ", base version"
	return old, left
}

// sideBefore is the side of a build to which the diff only adds sources, which those in left import.
func (c *Change) sideBefore(old, o *compile.Output, left []string) diffmap.BaseSide {
	if reason := withoutBase(left, "it imports what the change adds"); reason != "" {
		c.log.Warn("%s", reason)
	}
	return c.sideWithout(left, diffmap.BaseSide{Head: o, Base: old, Causes: c.deps.causes()})
}

// unchanged is a build that is the base's as well, such as that of sources for another compiler
// than what changed; none where that is not known.
func (c *Change) unchanged(o *compile.Output, heads map[string][]byte) []diffmap.BaseSide {
	if len(c.ownOf(o)) > 0 || !c.untouched(o, heads) {
		return nil
	}
	same := o.Copy()
	same.Origin += ", base version"
	return []diffmap.BaseSide{{Head: o, Base: same, Causes: c.deps.causes()}}
}

// untouched reports whether a build is the base's as well: all of its sources are files that
// the diff leaves alone, and the diff takes no file away that an import may have been of, and
// edits no pragma, since those of all sources choose the compilers.
func (c *Change) untouched(o *compile.Output, heads map[string][]byte) bool {
	return !slices.ContainsFunc(c.Diff.Files, func(f unified.File) bool {
		if f.Submodule || f.Symlink || f.OldPath != "" && f.OldPath != f.NewPath {
			return true
		}
		if f.OldPath == "" || !solidity.IsSource(f.NewPath) || f.ModeOnly {
			return false
		}
		head := heads[f.NewPath]
		base, err := f.OldText(head)
		return err != nil || !slices.Equal(solidity.Pragmas(base), solidity.Pragmas(head))
	}) && !slices.ContainsFunc(o.Sources, func(s *compile.Source) bool {
		return s.File == "" || c.touches(s.File)
	})
}

// sideWithout is a side without the sources, by the base's names, whose base version does not
// compile: nothing is known of their contracts.
func (c *Change) sideWithout(left []string, side diffmap.BaseSide) diffmap.BaseSide {
	if len(left) == 0 {
		return side
	}
	lacks := func(source string) bool {
		return slices.ContainsFunc(left, func(name string) bool { return cmp.Or(side.Renamed[name], name) == source })
	}
	head := *side.Head // its contracts stay the same, since others know them by their pointers
	head.Contracts = nil
	for _, contract := range side.Head.Contracts {
		if lacks(contract.Source) {
			side.LeftOut = append(side.LeftOut, contract.QualifiedName())
		} else {
			head.Contracts = append(head.Contracts, contract)
		}
	}
	side.Head = &head
	return side
}

// withoutBase says that the base versions of some sources do not compile; empty where all are tests and scripts, since findings there say so.
func withoutBase(names []string, why string) string {
	if !slices.ContainsFunc(names, func(name string) bool { role := roleOfFile(name); return role != world.Test && role != world.Script }) {
		return ""
	}
	return fmt.Sprintf("the base version of %s%s does not compile, and nothing is compared there: %s", human.Printable(names[0]), human.More(len(names)-1), why)
}

// buildBase compiles a build's base version; left are the sources, by their names there, that do
// not compile.
func (c *Change) buildBase(ctx context.Context, o *compile.Output, base *diffmap.BaseSources) (built *compile.Output, left []string, err error) {
	compilers := c.compilersIn(o.Folder)
	read, err := sources.Reader(compilers.Root, compilers)
	if err != nil {
		return nil, nil, err
	}
	unknown := "" // what the base imports
	own := func(name string) ([]byte, error) {
		if place := c.unknownSubmodule(path.Join(c.Paths.Root, o.Folder, name)); place != "" {
			unknown = cmp.Or(unknown, place)
			return nil, fs.ErrNotExist
		}
		if changed := c.changedPackage(name, o); changed != "" {
			unknown = cmp.Or(unknown, "the package "+human.Printable(changed))
			return nil, fs.ErrNotExist
		}
		return read(name)
	}
	build := compile.BaseOptions{Texts: base.Texts, Read: base.Reader(own)}
	for _, own := range c.ownOf(o) {
		c.log.Warn("%s changed: the base version is compiled with its own settings", human.Printable(own.describe()))
		build.Settings = append(build.Settings, own.Difference)
	}
	var reasons []string
	build.LeftOut = func(names []string, why error) {
		left = append(left, names...)
		if reason := withoutBase(names, human.OneLine(why)); reason != "" {
			reasons = append(reasons, reason)
		}
	}
	built, err = o.BaseBuild(ctx, build, compilers, c.Debug)
	if err != nil && unknown != "" {
		return nil, nil, fmt.Errorf("the base's contents of %s are unknown: %w", unknown, err)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, reason := range reasons {
		c.log.Warn("%s", reason)
	}
	return built, left, nil
}

// baseOptions are the options with the head's texts of files that changed in submodules.
func (c *Change) baseOptions() (diffmap.Options, error) {
	options := c.Paths
	options.Heads = maps.Clone(options.Heads)
	if options.Heads == nil {
		options.Heads = map[string][]byte{}
	}
	for _, f := range c.deps.diff.Files {
		if !IsSource(f.NewPath) || f.Status == unified.Deleted {
			continue
		}
		head, err := c.read(f.NewPath)
		if err != nil {
			return options, err
		}
		options.Heads[f.NewPath] = head
	}
	return options, nil
}

// readBaseBuilds reads the base's builds. Those that are not of the base's sources are passed
// over: what fails there would count as old.
func (c *Change) readBaseBuilds(ctx context.Context) ([]*compile.Output, error) {
	var bases []*compile.Output
	var texts compile.TextReader
	for _, path := range c.options.BaseBuilds {
		outputs, err := c.readNamed(path, "base-build")
		if err != nil {
			return nil, err
		}
		if texts == nil && !c.options.Vouched {
			if texts, err = c.baseTexts(); err != nil {
				return nil, err
			}
		}
		var believed []*compile.Output
		for _, o := range outputs {
			c.named[o] = true
			err := c.believe(ctx, o, c.Compilers, texts)
			if isLate(ctx, err) {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				c.log.Warn("the build of the base is not used: %s", human.OneLine(err))
				continue
			}
			believed = append(believed, o)
		}
		_, mapped, err := c.mapped(ctx, believed, c.Compilers)
		if err != nil {
			return nil, err
		}
		bases = append(bases, mapped...)
	}
	return bases, nil
}

// readBase reads the base's builds, and pairs each build of the head with the nearest.
func (c *Change) readBase(ctx context.Context) ([]diffmap.BaseSide, error) {
	bases, err := c.readBaseBuilds(ctx)
	if err != nil {
		return nil, err
	}
	if len(bases) == 0 { // all were passed over
		return c.buildBases(ctx)
	}
	var sides []diffmap.BaseSide
	for _, head := range c.compared() {
		nearest := nearestBase(head, bases)
		if nearest == nil && len(c.Outputs) == 1 && len(bases) == 1 {
			nearest = bases[0] // all its contracts have other names
		}
		if nearest == nil {
			continue
		}
		texts, err := diffmap.BaseTexts(c.Diff, head, c.Paths)
		if err != nil {
			return nil, err
		}
		base := nearest.Copy() // it may be the nearest to several
		if lacking := c.addTexts(base, head, texts); lacking != "" {
			c.log.Warn("%s has no text of %s, and neither the diff nor the head has one that fits: failures there are not compared; pass a build-info file, or keep X.input.json next to X.output.json", base.Origin, human.Printable(lacking))
		}
		sides = append(sides, diffmap.BaseSide{Head: head, Base: base, Renamed: texts.Renamed, Causes: c.deps.causes()})
	}
	return sides, nil
}

// addTexts adds the texts of sources to a base build that lacks them. Sources that the diff
// changes get the base's text, others the head's, if it fits the compiler's record of the
// source. It returns the first source that is left without a text.
func (c *Change) addTexts(base, head *compile.Output, texts *diffmap.BaseSources) (lacking string) {
	compilers := c.compilersIn(head.Folder)
	reader := sync.OnceValues(func() (func(string) ([]byte, error), error) { return sources.Reader(compilers.Root, compilers) })
	headText := func(name string) []byte {
		for _, s := range head.Sources {
			if s.Path == name && s.Text != nil {
				return s.Text
			}
		}
		read, err := reader()
		if err != nil {
			return nil
		}
		text, err := read(name)
		if err != nil {
			return nil
		}
		return text
	}
	for _, s := range base.Sources {
		if s.Text != nil {
			continue
		}
		text, changed := texts.Texts[s.Path]
		if !changed {
			text, changed = texts.Others[s.Path]
		}
		if !changed {
			text = headText(s.Path)
		}
		if text != nil && s.Fits(text) {
			s.Text = text
		} else if lacking == "" {
			lacking = s.Path
		}
	}
	return lacking
}

// nearestBase is the base's build that has the most contracts in common with the
// head's; of equal ones that of the same compiler, then one in a folder named like the
// project's. nil when none has any: a build of another project is not a base.
func nearestBase(head *compile.Output, bases []*compile.Output) *compile.Output {
	rank := func(base *compile.Output) (rank [3]int) {
		rank[0] = inCommon(head, base)
		if head.Compiler == base.Compiler {
			rank[1] = 1
		}
		if head.Folder != "" && strings.Contains("/"+filepath.ToSlash(base.Origin), "/"+head.Folder+"/") {
			rank[2] = 1
		}
		return rank
	}
	var nearest *compile.Output
	var best [3]int
	for _, base := range bases {
		if r := rank(base); r[0] > 0 && (nearest == nil || slices.Compare(r[:], best[:]) > 0) {
			nearest, best = base, r
		}
	}
	return nearest
}

// inCommon counts the contracts that two builds have in common.
func inCommon(a, b *compile.Output) int {
	names := map[string]bool{}
	for _, c := range a.Contracts {
		names[c.UnitName()] = true
	}
	n := 0
	for _, c := range b.Contracts {
		if names[c.UnitName()] {
			n++
		}
	}
	return n
}
