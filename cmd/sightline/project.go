package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// project is one pull request, read: what changed, what it compiles to, and
// where in the bytecode the change is.
type project struct {
	root     string        // the project's folder; empty for an embedded example
	diff     *diffmap.Diff // nil when targets were named
	whole    bool          // all of the project is new: nothing is there to compare with
	about    report.Diff
	read     func(path string) ([]byte, error) // head version, by path in the repository
	options  diffmap.Options
	given    []*build.Output // as the project has them
	outputs  []*build.Output // to map and to fuzz, parallel to given
	folders  []string        // of all projects below the root
	deps     dependencies    // what changed beside the sources
	changes  []diffmap.ChangedLine
	table    *bytecode.Table
	mapping  *diffmap.Mapping
	warnings []string
	texts    map[string][]string // lines of head versions that were shown, by path

	compilers      build.CompilerOptions
	mappingOptions build.MappingOptions
	base           baseFinder // nil when targets were named
	redeclared     bool       // more than bodies of functions changed: so may have storage layouts
	env            []string   // names of variables that the project's programs may see
}

// loadProject reads the change and the build, and maps one to the other.
func (p *program) loadProject(ctx context.Context, flags *projectFlags, show *progress.Log) (*project, error) {
	root, err := flags.absRoot()
	if err != nil {
		return nil, err
	}
	ignore, err := diffmap.NewIgnore(flags.ignore)
	if err != nil {
		return nil, exit.BadInput("--ignore: %w", err)
	}
	pr := &project{root: root, read: files.Below(root), options: diffmap.Options{Checkout: files.Resolve(root)}}
	if flags.foreign != nil {
		for _, line := range flags.foreign.lines {
			show.Line("config  read from %s", human.Printable(line))
		}
		pr.warnings = append(pr.warnings, flags.foreign.notes...)
	}
	if len(flags.targets) == 0 {
		if err := pr.loadDiff(ctx, p, flags, root); err != nil {
			return nil, err
		}
		show.Line("diff    %s", pr.describeDiff())
	} else if flags.diff != "" || flags.base != "" {
		return nil, exit.BadInput("--target names what to reach itself: leave out --diff and --base")
	}
	if pr.diff != nil {
		pr.loadDependencies(ctx)
		if !pr.touchesSources() && !pr.deps.mayChangeCode(flags.baseBuilds) {
			pr.deps.warn(pr)
			return pr, nil // nothing to compile
		}
	}
	if err := pr.loadBuild(ctx, flags, root, show); err != nil {
		return nil, err
	}
	pr.table = bytecode.NewTable(build.Contracts(pr.outputs))
	if err := pr.mapTargets(flags.targets); err != nil {
		return nil, err
	}
	if pr.diff != nil && !pr.whole {
		pr.base = baseFinder(func(ctx context.Context, show *progress.Log) ([]diffmap.BaseSide, error) {
			return pr.findBase(ctx, flags, root, show)
		}).once()
		if err := pr.addIndirect(ctx, flags, show); err != nil {
			return nil, err
		}
	}
	pr.leaveOut(ignore, maxTargets)
	pr.table.Cut(pr.mapping.Entries())
	return pr, nil
}

// loadDiff finds out what changed: from a diff file, or by asking git.
func (pr *project) loadDiff(ctx context.Context, p *program, flags *projectFlags, root string) error {
	if flags.change != nil {
		pr.take(flags.change, root)
		return nil
	}
	if flags.diff != "" {
		if flags.base != "" {
			return exit.BadInput("--diff and --base exclude each other: a diff says itself what it compares")
		}
		if err := pr.readDiff(p.stdin, flags.diff); err != nil {
			return err
		}
		pr.placeDiff(root)
		return nil
	}
	git := &diffmap.Git{Root: root}
	top, err := git.Top()
	if err != nil {
		return exit.CannotFuzz("%w", err)
	}
	pr.placeInRepository(top, root)
	base := flags.base
	if base == "" {
		if base, err = git.DefaultBase(ctx); err != nil {
			return exit.CannotFuzz("%w", err)
		}
	}
	if pr.diff, err = git.Diff(ctx, base); err != nil {
		return exit.CannotFuzz("%w", err)
	}
	pr.about = report.Diff{Base: human.Revision(base), Head: "working tree", Files: len(pr.diff.Files)}
	return nil
}

// placeInRepository makes paths those of the repository, of which the project may
// be a folder.
func (pr *project) placeInRepository(top, root string) {
	if rel, err := filepath.Rel(top, files.Resolve(root)); err == nil && rel != "." {
		pr.options.Root = filepath.ToSlash(rel)
	}
	pr.options.Checkout = top
	pr.read = files.Below(top)
}

// placeDiff finds out what the paths of a diff file are relative to: the
// project's folder, or, where none of its sources is there, the repository's.
func (pr *project) placeDiff(root string) {
	if pr.findsSources() {
		return
	}
	top, err := (&diffmap.Git{Root: root}).Top()
	if err != nil {
		return
	}
	inProject := *pr
	if pr.placeInRepository(top, root); !pr.findsSources() {
		*pr = inProject
	}
}

// findsSources reports whether a changed source is where its path says.
func (pr *project) findsSources() bool {
	return slices.ContainsFunc(pr.diff.Files, func(f diffmap.File) bool {
		if !isSource(f.NewPath) {
			return false
		}
		_, err := pr.read(f.NewPath)
		return err == nil
	})
}

func (pr *project) readDiff(stdin io.Reader, name string) error {
	in, shown := stdin, "standard input"
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return exit.BadInput("--diff %s: %v", name, files.Plain(err))
		}
		defer f.Close()
		in, shown = f, name
	}
	data, err := io.ReadAll(io.LimitReader(in, diffmap.DefaultMaxBytes+1))
	if err != nil {
		return exit.BadInput("--diff %s: %v", shown, files.Plain(err))
	}
	if pr.diff, err = diffmap.ParseDiff(data, diffmap.Limits{}); err != nil {
		return exit.BadInput("%s: %w", shown, err)
	}
	pr.about = report.Diff{Base: shown, Head: "sources", Files: len(pr.diff.Files)}
	return checkVisible(pr.diff, shown)
}

// checkVisible refuses a diff file whose binary entries hide lines of sources,
// or leave nothing to look at. (git itself is asked for text where it calls a
// source binary.)
func checkVisible(d *diffmap.Diff, shown string) error {
	binary := 0
	for i := range d.Files {
		f := &d.Files[i]
		if !f.Binary {
			continue
		}
		binary++
		if isSource(f.Path()) && f.Status != diffmap.Deleted {
			return exit.BadInput("%s: %s is a binary file in it, which hides its changed lines; make the diff with `git diff --text`", shown, human.Printable(f.Path()))
		}
	}
	if binary > 0 && binary == len(d.Files) {
		return exit.CannotFuzz("%s: only binary files are in it (%s), and no line of a source; if sources changed, make the diff with `git diff --text`",
			shown, human.Printable(d.Files[0].Path())+human.More(binary-1))
	}
	return nil
}

// touchesSources reports whether the diff changes a file that contracts are
// compiled from.
func (pr *project) touchesSources() bool {
	return slices.ContainsFunc(pr.diff.Files, func(f diffmap.File) bool { return isSource(f.Path()) })
}

// isSource reports whether contracts are compiled from a file. Vyper's are, though
// their lines cannot be mapped: that is said of each.
func isSource(path string) bool {
	return slices.Contains([]string{".sol", ".yul", ".vy"}, filepath.Ext(path))
}

func (pr *project) describeDiff() string {
	sources := 0
	for i := range pr.diff.Files {
		if filepath.Ext(pr.diff.Files[i].Path()) == ".sol" {
			sources++
		}
	}
	from := pr.about.Base
	if pr.about.Head == "working tree" {
		from += "..worktree"
	}
	return fmt.Sprintf("%s: %s, %d of them Solidity", from, human.Plural(len(pr.diff.Files), "changed file"), sources)
}

// mapTargets turns the changed lines, or the targets named by the user, into
// bytecode.
func (pr *project) mapTargets(named []string) error {
	if len(named) > 0 {
		pr.about.Explicit = named
		mapping, err := diffmap.ResolveTargets(pr.outputs, pr.table, named, pr.options)
		if err != nil {
			return exit.BadInput("%w", err)
		}
		pr.mapping = mapping
		return nil
	}
	changes, err := pr.changedLines()
	if err != nil {
		return err
	}
	pr.changes, pr.about.Lines = changes, len(changes)
	mapping, err := diffmap.Map(pr.outputs, pr.table, changes, pr.options)
	var stale *diffmap.StaleError
	if errors.As(err, &stale) {
		return exit.BadInput("%w", err)
	}
	if err != nil {
		return exit.CannotFuzz("%w", err)
	}
	pr.mapping = mapping
	return nil
}

// changedLines reads the head version of every changed source file.
func (pr *project) changedLines() ([]diffmap.ChangedLine, error) {
	pr.options.Heads = map[string][]byte{}
	var changes []diffmap.ChangedLine
	for _, f := range pr.diff.Files {
		if !isSource(f.NewPath) || f.Status == diffmap.Deleted || f.Binary || f.Submodule {
			continue
		}
		head, err := pr.head(f.NewPath)
		if err != nil {
			return nil, exit.BadInput("%s is in the diff, but its head version is not there: %v; run in the project's folder or pass --root", f.NewPath, files.Plain(err))
		}
		pr.options.Heads[f.NewPath] = head
		lines, err := f.Changes(head)
		if err != nil {
			return nil, exit.BadInput("%w", err)
		}
		changes = append(changes, lines...)
	}
	return changes, nil
}

// head is the head version of a file: on disk, else as a build holds it. A diff
// of a package is often applied to nothing but a build.
func (pr *project) head(path string) ([]byte, error) {
	text, err := pr.read(path)
	if err == nil {
		return text, nil
	}
	for _, o := range pr.outputs {
		for _, s := range o.Sources {
			if s.Path == path && s.Text != nil {
				return s.Text, nil
			}
		}
	}
	return nil, err
}

// maxText bounds the text of a line in the report, bytes.
const maxText = 200

// lineText is the text of a line of the head version, trimmed. A file is read
// once: a pull request may have thousands of lines in it.
func (pr *project) lineText(at bytecode.Position) string {
	lines, known := pr.texts[at.File]
	if !known {
		if pr.texts == nil {
			pr.texts = map[string][]string{}
		}
		if text, err := pr.head(at.File); err == nil {
			lines = strings.Split(string(text), "\n")
		}
		pr.texts[at.File] = lines // none of a file that is not there
	}
	if at.Line < 1 || at.Line > len(lines) {
		return ""
	}
	line := strings.TrimSpace(strings.ToValidUTF8(lines[at.Line-1], "�"))
	if len(line) > maxText {
		line = strings.ToValidUTF8(line[:maxText], "")
	}
	return line
}
