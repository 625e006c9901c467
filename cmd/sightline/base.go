package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/report"
)

// addIndirect adds targets for code that changed without a changed line. That
// the base cannot be built is no error: a warning says what was not looked for.
func (pr *project) addIndirect(ctx context.Context, flags *projectFlags, root string, show *progress) error {
	deleted := slices.ContainsFunc(pr.diff.Files, func(f diffmap.File) bool { return f.Status == diffmap.Deleted && isSource(f.OldPath) })
	settings := pr.diff.Settings()
	if !deleted && len(settings) == 0 && !diffmap.ChangesDeclarations(pr.outputs, pr.changes, pr.options) {
		return nil
	}
	var sides []diffmap.BaseSide
	var err error
	switch {
	case len(flags.baseBuilds) > 0:
		sides, err = pr.readBase(ctx, flags.baseBuilds)
	case len(settings) > 0:
		pr.warn("%s changed: what that changes in code is not known without the base's own build; give it with --base-build", printable(settings[0])+more(len(settings)-1))
		return nil
	default:
		sides, err = pr.buildBase(ctx, root, show)
	}
	if ctx.Err() != nil {
		return cannotFuzz("%w", err)
	}
	if err != nil {
		pr.warn("code that changed without a changed line is not known, since the base version has no build: %v", err)
		return nil
	}
	sides = slices.DeleteFunc(sides, func(s diffmap.BaseSide) bool {
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

func (pr *project) warn(format string, args ...any) {
	pr.warnings = append(pr.warnings, fmt.Sprintf(format, args...))
}

// buildBase compiles the base version as the head was.
func (pr *project) buildBase(ctx context.Context, root string, show *progress) ([]diffmap.BaseSide, error) {
	read, err := build.SourceReader(root, pr.compilers)
	if err != nil {
		return nil, err
	}
	var sides []diffmap.BaseSide
	for i, o := range pr.outputs {
		base, err := diffmap.BaseTexts(pr.diff, o, pr.options)
		if err != nil {
			return nil, err
		}
		if !base.Any() {
			continue // another project's, or new altogether
		}
		show.line("base    compiling the base version of %s", pr.given[i].Origin)
		compiled, err := o.BaseBuild(ctx, base.Texts, read, pr.compilers, pr.mappingOptions)
		if err != nil {
			return nil, err
		}
		sides = append(sides, diffmap.BaseSide{Head: o, Base: compiled, Renamed: base.Renamed})
	}
	return sides, nil
}

// readBase reads the base's builds and puts each beside the head's build that
// has the most contracts in common with it.
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
		var nearest *build.Output
		most := 0
		for _, base := range bases {
			if n := inCommon(head, base); n > most {
				nearest, most = base, n
			}
		}
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

// inCommon counts the contracts that two builds have in common.
func inCommon(a, b *build.Output) int {
	names := map[string]bool{}
	for _, c := range a.Contracts {
		names[c.QualifiedName()] = true
	}
	n := 0
	for _, c := range b.Contracts {
		if names[c.QualifiedName()] {
			n++
		}
	}
	return n
}
