package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/report"
)

// addIndirect adds targets for code that changed without a changed line. That
// the base cannot be built is no error: a warning says what was not looked for.
func (pr *project) addIndirect(ctx context.Context, flags *projectFlags, show *progress) error {
	deleted := slices.ContainsFunc(pr.diff.Files, func(f diffmap.File) bool { return f.Status == diffmap.Deleted && isSource(f.OldPath) })
	settings := pr.diff.Settings()
	if !deleted && len(settings) == 0 && !diffmap.ChangesDeclarations(pr.outputs, pr.changes, pr.options) {
		return nil
	}
	if len(settings) > 0 && len(flags.baseBuilds) == 0 {
		pr.warn("%s changed: what that changes in code is not known without the base's own build; give it with --base-build", printable(settings[0])+more(len(settings)-1))
		return nil
	}
	sides, err := pr.base(ctx, show)
	if ctx.Err() != nil {
		return cannotFuzz("%w", err)
	}
	if err != nil {
		pr.warn("code that changed without a changed line is not known, since the base version has no build: %v", err)
		return nil
	}
	sides = slices.DeleteFunc(slices.Clone(sides), func(s diffmap.BaseSide) bool {
		differ := s.Head.Settings.ViaIR != s.Base.Settings.ViaIR || s.Head.Settings.Optimizer != s.Base.Settings.Optimizer
		if differ {
			pr.warn("code that changed without a changed line is not known: %s and %s could not be compiled with the same settings", s.Head.Origin, s.Base.Origin)
		}
		return differ
	})
	if n := pr.mapping.AddIndirect(sides, pr.table, pr.options); n > 0 {
		show.line("base    %s with other code although no line of theirs changed", report.Plural(n, "function"))
	}
	return nil
}

// baseFinder finds the base version's builds when first asked for.
type baseFinder func(ctx context.Context, show *progress) ([]diffmap.BaseSide, error)

// once asks only the first time.
func (find baseFinder) once() baseFinder {
	asked := false
	var sides []diffmap.BaseSide
	var err error
	return func(ctx context.Context, show *progress) ([]diffmap.BaseSide, error) {
		if !asked {
			sides, err = find(ctx, show)
			asked = true
		}
		return sides, err
	}
}

// findBase reads the base's builds where they are given, else it makes them.
func (pr *project) findBase(ctx context.Context, flags *projectFlags, root string, show *progress) ([]diffmap.BaseSide, error) {
	if len(flags.baseBuilds) > 0 {
		return pr.readBase(ctx, flags.baseBuilds)
	}
	if settings := pr.diff.Settings(); len(settings) > 0 {
		return nil, fmt.Errorf("%s changed, and with it how base is compiled: give its own build with --base-build", printable(settings[0])+more(len(settings)-1))
	}
	return pr.buildBase(ctx, root, show)
}

func (pr *project) warn(format string, args ...any) {
	pr.warnings = append(pr.warnings, fmt.Sprintf(format, args...))
}

// buildBase compiles the base version as the head was.
func (pr *project) buildBase(ctx context.Context, root string, show *progress) ([]diffmap.BaseSide, error) {
	var sides []diffmap.BaseSide
	for i, o := range pr.outputs {
		base, err := diffmap.BaseTexts(pr.diff, o, pr.options)
		if err != nil {
			return nil, err
		}
		if !base.Any() {
			continue // another project's, or new altogether
		}
		show.line("base    compiling the base version of %s", describeOrigin(pr.given[i]))
		compilers := pr.compilersIn(o.Folder, root)
		read, err := build.SourceReader(compilers.Root, compilers)
		if err != nil {
			return nil, err
		}
		compiled, err := o.BaseBuild(ctx, base.Texts, base.Reader(read), compilers, pr.mappingOptions)
		if err != nil {
			return nil, err
		}
		sides = append(sides, diffmap.BaseSide{Head: o, Base: compiled, Renamed: base.Renamed})
	}
	return sides, nil
}

// readBase reads the base's builds and puts the nearest beside each of the
// head's.
func (pr *project) readBase(ctx context.Context, paths []string) ([]diffmap.BaseSide, error) {
	var bases []*build.Output
	for _, path := range paths {
		outputs, err := build.Read(path)
		if err != nil {
			return nil, err
		}
		for _, o := range outputs {
			mapped, note, err := o.ForMapping(ctx, pr.compilers, pr.mappingOptions)
			if err != nil {
				return nil, err
			}
			if note != "" {
				pr.warn("%s", note)
			}
			bases = append(bases, mapped)
		}
	}
	var sides []diffmap.BaseSide
	for _, head := range pr.outputs {
		nearest := nearestBase(head, bases)
		if nearest == nil {
			continue
		}
		renamed, err := diffmap.BaseTexts(pr.diff, head, pr.options)
		if err != nil {
			return nil, err
		}
		sides = append(sides, diffmap.BaseSide{Head: head, Base: nearest, Renamed: renamed.Renamed})
	}
	return sides, nil
}

// nearestBase is the base's build that has the most contracts in common with the
// head's; of equal ones that of the same compiler, then one in a folder that is
// called as the project's. nil when none has any.
func nearestBase(head *build.Output, bases []*build.Output) *build.Output {
	rank := func(base *build.Output) (rank [3]int) {
		rank[0] = inCommon(head, base)
		if head.Compiler == base.Compiler {
			rank[1] = 1
		}
		if head.Folder != "" && strings.Contains("/"+filepath.ToSlash(base.Origin), "/"+head.Folder+"/") {
			rank[2] = 1
		}
		return rank
	}
	var nearest *build.Output
	var best [3]int
	for _, base := range bases {
		if r := rank(base); r[0] > 0 && (nearest == nil || slices.Compare(r[:], best[:]) > 0) {
			nearest, best = base, r
		}
	}
	return nearest
}

// inCommon counts the contracts that two builds have in common.
func inCommon(a, b *build.Output) int {
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
