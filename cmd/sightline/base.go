package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
)

// dependencies are what changed in what the project's sources import, or may
// have: nothing of it shows in the diff's own lines.
type dependencies struct {
	diff     *diffmap.Diff     // inside of submodules, with paths of the repository
	pins     []diffmap.Pin     // submodules that changed
	problems map[string]string // by submodule: why it is not known what changed in it
	settings []string          // changed files that decide settings or what imports mean
}

// loadDependencies finds out what changed beside the sources. What cannot be known
// is said: the base version is never compiled with dependencies that are not its
// own.
func (pr *project) loadDependencies(ctx context.Context) {
	pr.deps = dependencies{diff: &diffmap.Diff{}, pins: pr.diff.Pins()}
	for _, file := range pr.diff.Settings() {
		if !pr.locked(file) {
			pr.deps.settings = append(pr.deps.settings, file)
		}
	}
	if len(pr.deps.pins) > 0 {
		pr.deps.diff, pr.deps.problems = (&diffmap.Git{Root: pr.options.Checkout}).InSubmodules(ctx, pr.diff)
	}
}

// locked reports whether a file is a package.json whose dependencies a lock file
// beside it pins, as npm ci and its like install them.
func (pr *project) locked(file string) bool {
	return path.Base(file) == "package.json" && slices.ContainsFunc(
		[]string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"},
		func(lock string) bool {
			_, err := pr.read(path.Join(path.Dir(file), lock))
			return err == nil
		})
}

// mayChangeCode reports whether what changed beside the sources is worth a build.
func (d *dependencies) mayChangeCode(baseBuilds []string) bool {
	sources := slices.ContainsFunc(d.diff.Files, func(f diffmap.File) bool { return isSource(f.Path()) })
	return sources || len(baseBuilds) > 0 && len(d.pins)+len(d.settings) > 0
}

// warn says of what changed beside the sources why it is not compared.
func (d *dependencies) warn(pr *project) {
	for _, place := range slices.Sorted(maps.Keys(d.problems)) {
		pr.warn("the submodule %s changed: what that changes in code is not known: %s; or give the base's own build with --base-build", human.Printable(place), d.problems[place])
	}
	if n := len(d.settings); n > 0 {
		pr.warn("%s changed: what that changes in code is not known without the base's own build, made with its settings and dependencies; give it with --base-build",
			human.Printable(d.settings[0])+human.More(n-1))
	}
}

// causes names what changed beside the sources.
func (d *dependencies) causes() []string {
	var causes []string
	for _, pin := range d.pins {
		causes = append(causes, fmt.Sprintf("submodule %s (%s to %s)", pin.Path, commit(pin.Old), commit(pin.New)))
	}
	return append(causes, d.settings...)
}

func commit(id string) string {
	if id == "" {
		return "none"
	}
	return human.Revision(id)
}

// affects reports whether a changed settings file may decide how the project of an
// output is built: it lies in the project, or above it.
func affects(file string, o *build.Output, root string) bool {
	folder, project := path.Dir(file), path.Join(path.Clean(root), o.Folder)
	within := func(inner, outer string) bool {
		return outer == "." || inner == outer || strings.HasPrefix(inner, outer+"/")
	}
	return within(folder, project) || within(project, folder)
}

// addIndirect adds targets for code that changed without a changed line. That
// the base cannot be built is no error: a warning says what was not looked for.
func (pr *project) addIndirect(ctx context.Context, flags *projectFlags, show *progress.Log) error {
	deleted := slices.ContainsFunc(pr.diff.Files, func(f diffmap.File) bool { return f.Status == diffmap.Deleted && isSource(f.OldPath) })
	beside := len(pr.deps.pins)+len(pr.deps.settings) > 0
	if !deleted && !beside && !diffmap.ChangesDeclarations(pr.outputs, pr.changes, pr.options) {
		return nil
	}
	pr.redeclared = true
	if len(flags.baseBuilds) == 0 {
		pr.deps.warn(pr)
	}
	sides, err := pr.base(ctx, show)
	if ctx.Err() != nil {
		return exit.CannotFuzz("%w", err)
	}
	var unbuilt *unbuiltError
	if errors.As(err, &unbuilt) {
		for _, problem := range unbuilt.problems {
			pr.warn("code that changed without a changed line is not known, since the base version%s", problem)
		}
	} else if err != nil {
		pr.warn("code that changed without a changed line is not known, since the base version has no build: %s", human.OneLine(err))
		return nil
	}
	defer func() { // what is asked of the base later are places alone
		for _, s := range sides {
			s.Base.DropStatements()
		}
	}()
	sides = slices.DeleteFunc(slices.Clone(sides), func(s diffmap.BaseSide) bool {
		differ := s.Head.Settings.ViaIR != s.Base.Settings.ViaIR || s.Head.Settings.Optimizer != s.Base.Settings.Optimizer
		if differ {
			pr.warn("code that changed without a changed line is not known: %s and %s could not be compiled with the same settings", s.Head.Origin, s.Base.Origin)
		}
		return differ
	})
	if n := pr.mapping.AddIndirect(sides, pr.table, pr.options); n > 0 {
		show.Line("base    %s with other code although no line of theirs changed", human.Plural(n, "function"))
	}
	return nil
}

// unbuiltError says that the base version of some builds could not be had, while
// others may have been.
type unbuiltError struct {
	problems []string // of a build each: " of packages/core has no build: …"
	unknown  []string // what changed beside the sources, and is warned of as such
}

func (e *unbuiltError) Error() string {
	var parts []string
	for _, problem := range e.problems {
		parts = append(parts, "the base version"+problem)
	}
	if len(e.unknown) > 0 {
		parts = append(parts, fmt.Sprintf("%s changed, and with it how base is compiled: give its own build with --base-build",
			human.Printable(e.unknown[0])+human.More(len(e.unknown)-1)))
	}
	return strings.Join(parts, "; ")
}

// baseFinder finds the base version's builds when first asked for. With an
// [unbuiltError] there may be some.
type baseFinder func(ctx context.Context, show *progress.Log) ([]diffmap.BaseSide, error)

// once asks only the first time.
func (find baseFinder) once() baseFinder {
	asked := false
	var sides []diffmap.BaseSide
	var err error
	return func(ctx context.Context, show *progress.Log) ([]diffmap.BaseSide, error) {
		if !asked {
			sides, err = find(ctx, show)
			asked = true
		}
		return sides, err
	}
}

// findBase reads the base's builds where they are given, else it makes them.
func (pr *project) findBase(ctx context.Context, flags *projectFlags, root string, show *progress.Log) ([]diffmap.BaseSide, error) {
	if len(flags.baseBuilds) > 0 {
		return pr.readBase(ctx, flags.baseBuilds)
	}
	return pr.buildBases(ctx, root, show)
}

func (pr *project) warn(format string, args ...any) {
	pr.warnings = append(pr.warnings, fmt.Sprintf(format, args...))
}

// buildBases compiles the base versions as the heads were, of each build for which
// it is known what the base had.
func (pr *project) buildBases(ctx context.Context, root string, show *progress.Log) ([]diffmap.BaseSide, error) {
	options, err := pr.baseOptions()
	if err != nil {
		return nil, err
	}
	changed := &diffmap.Diff{Files: slices.Concat(pr.diff.Files, pr.deps.diff.Files)}
	var sides []diffmap.BaseSide
	unbuilt := &unbuiltError{}
	for i, o := range pr.outputs {
		if unknown := pr.unknownOfBase(o); unknown != "" {
			if !slices.Contains(unbuilt.unknown, unknown) {
				unbuilt.unknown = append(unbuilt.unknown, unknown)
			}
			continue
		}
		base, err := diffmap.BaseTexts(changed, o, options)
		if err != nil {
			return nil, err
		}
		if !base.Any() {
			continue // another project's, or new altogether
		}
		show.Line("base    compiling the base version of %s", describeOrigin(pr.given[i]))
		compiled, err := pr.buildBase(ctx, o, base, root)
		if ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			of := ""
			if o.Folder != "" {
				of = " of " + o.Folder
			}
			unbuilt.problems = append(unbuilt.problems, fmt.Sprintf("%s has no build: %s", of, human.OneLine(err)))
			continue
		}
		sides = append(sides, diffmap.BaseSide{Head: o, Base: compiled, Renamed: base.Renamed, Causes: pr.deps.causes()})
	}
	if len(unbuilt.problems)+len(unbuilt.unknown) > 0 {
		return sides, unbuilt
	}
	return sides, nil
}

func (pr *project) buildBase(ctx context.Context, o *build.Output, base *diffmap.BaseSources, root string) (*build.Output, error) {
	compilers := pr.compilersIn(o.Folder, root)
	read, err := build.SourceReader(compilers.Root, compilers)
	if err != nil {
		return nil, err
	}
	own := func(name string) ([]byte, error) {
		if place := pr.unknownSubmodule(path.Join(pr.options.Root, o.Folder, name)); place != "" {
			return nil, fmt.Errorf("it is not known what the base has in %s", place)
		}
		return read(name)
	}
	return o.BaseBuild(ctx, base.Texts, base.Reader(own), compilers, pr.mappingOptions)
}

// baseOptions are the options with the head's texts of what changed in submodules.
func (pr *project) baseOptions() (diffmap.Options, error) {
	options := pr.options
	options.Heads = maps.Clone(options.Heads)
	for _, f := range pr.deps.diff.Files {
		if !isSource(f.NewPath) || f.Status == diffmap.Deleted {
			continue
		}
		head, err := pr.read(f.NewPath)
		if err != nil {
			return options, err
		}
		options.Heads[f.NewPath] = head
	}
	return options, nil
}

// unknownOfBase is a file or submodule that changed and decides settings or
// dependencies of a build's base version, which are not known therefore. Empty
// where they are.
func (pr *project) unknownOfBase(o *build.Output) string {
	for _, file := range pr.deps.settings {
		if affects(file, o, pr.options.Root) {
			return file
		}
	}
	for _, s := range o.Sources {
		file, below := strings.CutPrefix(s.File, filepath.ToSlash(pr.options.Checkout)+"/")
		if place := pr.unknownSubmodule(file); below && place != "" {
			return place
		}
	}
	return ""
}

// unknownSubmodule is the submodule that holds a file of the repository and of
// which it is not known what changed in it; empty when there is none.
func (pr *project) unknownSubmodule(file string) string {
	for _, place := range slices.Sorted(maps.Keys(pr.deps.problems)) {
		if strings.HasPrefix(file, place+"/") {
			return place
		}
	}
	return ""
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
		sides = append(sides, diffmap.BaseSide{Head: head, Base: nearest, Renamed: renamed.Renamed, Causes: pr.deps.causes()})
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
