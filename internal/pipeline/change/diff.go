package change

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/git"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// readInput reads what needs no compiler: tracefiles, and what changed.
func (c *Change) readInput(ctx context.Context) error {
	if err := c.readTracefiles(); err != nil {
		return err
	}
	return c.readDiff(ctx)
}

// readDiff finds out what changed: from the caller, from a diff file, or by asking git.
func (c *Change) readDiff(ctx context.Context) error {
	o := c.options
	if len(o.Targets) > 0 {
		if o.Diff != "" || o.Base != "" {
			return exit.BadInput("--target cannot be combined with --diff or --base")
		}
		if o.Audit {
			return exit.BadInput("--target cannot be combined with --audit: name files instead")
		}
		return nil
	}
	var err error
	switch {
	case o.Audit:
		err = c.takeEverything()
	case o.Known != nil:
		c.take(o.Known)
	case o.Diff != "" && o.Base != "":
		err = exit.BadInput("--diff and --base are mutually exclusive")
	case o.Diff != "":
		if err = c.readDiffFile(o.Diff); err == nil {
			c.placeDiff()
		}
	default:
		err = c.askGit(ctx)
	}
	if err != nil {
		return err
	}
	if c.Audits() {
		c.log.Line("audit   %s", human.Plural(len(c.Diff.Files), "source"))
		return nil
	}
	c.log.Line("diff    %s", c.describeDiff())
	return nil
}

// takeEverything makes everything that is audited the change.
func (c *Change) takeEverything() error {
	o := c.options
	if o.Diff != "" || o.Base != "" {
		return exit.BadInput("--audit cannot be combined with --diff or --base: an audit compares nothing")
	}
	known, err := Everything(o.Root, o.Paths...)
	if err == nil {
		c.take(known)
	}
	return err
}

// take makes the caller's diff the change.
func (c *Change) take(known *Known) {
	c.Diff, c.About, c.whole = known.Diff, known.About, known.Whole
	if top, err := (&git.Repository{Root: c.Root}).Top(); err == nil {
		c.placeInRepository(top)
	}
}

// askGit compares the working tree with the base.
func (c *Change) askGit(ctx context.Context) error {
	repository := &git.Repository{Root: c.Root, Matters: Matters}
	top, err := repository.Top()
	if err != nil {
		return exit.CannotFuzz("%w", err)
	}
	c.placeInRepository(top)
	base := c.options.Base
	if base == "" {
		if base, err = repository.DefaultBase(ctx); err != nil {
			return exit.CannotFuzz("%w", err)
		}
	}
	if c.Diff, err = repository.Diff(ctx, base); err != nil {
		return exit.CannotFuzz("%w", err)
	}
	c.About = report.Diff{Base: human.Revision(base), Head: "working tree", Files: len(c.Diff.Files)}
	return nil
}

// placeInRepository makes paths relative to the repository, of which the project may be a
// folder.
func (c *Change) placeInRepository(top string) {
	if rel, err := filepath.Rel(top, files.Resolve(c.Root)); err == nil && rel != "." {
		c.Paths.Root = filepath.ToSlash(rel)
	}
	c.Paths.Checkout = top
	c.read = files.Below(top)
}

// placeDiff finds out what the paths of a diff file are relative to: the project's folder,
// or, if that has none of the changed sources, the repository's.
func (c *Change) placeDiff() {
	if c.findsSources() {
		return
	}
	top, err := (&git.Repository{Root: c.Root}).Top()
	if err != nil {
		return
	}
	paths, read := c.Paths, c.read
	if c.placeInRepository(top); !c.findsSources() {
		c.Paths, c.read = paths, read
	}
}

// findsSources reports whether a changed source is where its path says.
func (c *Change) findsSources() bool {
	return slices.ContainsFunc(c.Diff.Files, func(f unified.File) bool {
		if !IsSource(f.NewPath) {
			return false
		}
		_, err := c.read(f.NewPath)
		return err == nil
	})
}

func (c *Change) readDiffFile(name string) error {
	in, shown := c.options.Stdin, "standard input"
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return exit.BadInput("--diff %s: %v", name, files.Plain(err))
		}
		defer f.Close()
		in, shown = f, name
	}
	data, err := io.ReadAll(io.LimitReader(in, unified.DefaultMaxBytes+1))
	if err != nil {
		return exit.BadInput("--diff %s: %v", shown, files.Plain(err))
	}
	if c.Diff, err = unified.Parse(data, unified.Limits{}); err != nil {
		return exit.BadInput("%s: %w", shown, err)
	}
	c.About = report.Diff{Base: shown, Head: "sources", Files: len(c.Diff.Files)}
	return CheckVisible(c.Diff, shown)
}

// CheckVisible refuses a diff whose binary entries hide lines of sources, or that has no
// other entries; shown names it. (Where git makes the diff, it is asked to show sources as
// text.)
func CheckVisible(d *unified.Diff, shown string) error {
	binary := 0
	for i := range d.Files {
		f := &d.Files[i]
		if !f.Binary {
			continue
		}
		binary++
		if IsSource(f.Path()) && f.Status != unified.Deleted {
			return exit.BadInput("%s: it shows %s as binary, which hides the changed lines; make the diff with `git diff --text`", shown, human.Printable(f.Path()))
		}
	}
	if binary > 0 && binary == len(d.Files) {
		return exit.CannotFuzz("%s: it has only binary files (%s) and no source lines; if sources changed, make the diff with `git diff --text`",
			shown, human.Printable(d.Files[0].Path())+human.More(binary-1))
	}
	return nil
}

// touchesSources reports whether the diff changes a file that solc compiles.
func (c *Change) touchesSources() bool {
	return slices.ContainsFunc(c.Diff.Files, func(f unified.File) bool { return solidity.IsSource(f.Path()) })
}

// IsSource reports whether contracts are compiled from a file, by its name. Those of other
// languages than solc's count, though their lines cannot be mapped: the report says so of each.
func IsSource(path string) bool { return unified.IsSource(path) }

// Matters reports whether the lines of a file say what a change does: contracts are compiled
// from it, or it decides how.
func Matters(path string) bool { return IsSource(path) || diffmap.IsSettings(path) }

func (c *Change) describeDiff() string {
	sources := 0
	for i := range c.Diff.Files {
		if filepath.Ext(c.Diff.Files[i].Path()) == ".sol" {
			sources++
		}
	}
	from := c.About.Base
	if c.About.Head == "working tree" {
		from += "..worktree"
	}
	return fmt.Sprintf("%s: %s, %d of them Solidity", from, human.Plural(len(c.Diff.Files), "changed file"), sources)
}

// mapTargets turns the changed lines, or the targets named by the user, into
// bytecode.
func (c *Change) mapTargets(ctx context.Context, named []string) error {
	if len(named) > 0 {
		c.About.Explicit = named
		mapping, err := diffmap.ResolveTargets(c.Outputs, c.Table, named, c.Paths)
		if err != nil {
			return exit.BadInput("%w", err)
		}
		c.Mapping = mapping
		return nil
	}
	lines, err := c.changedLines()
	if err != nil {
		return err
	}
	c.lines, c.About.Lines = lines, len(lines)
	compilers := func(o *compile.Output) solc.Options { return c.compilersIn(o.Folder) }
	if err := diffmap.LocateAssembly(ctx, c.Outputs, lines, c.Paths, compilers, c.Debug); err != nil && ctx.Err() == nil {
		c.log.Warn("lines of inline assembly with branches are not mapped: %s", human.OneLine(err))
	}
	mapping, err := diffmap.Map(c.Outputs, c.Table, lines, c.Paths)
	var stale *diffmap.StaleError
	if errors.As(err, &stale) {
		return exit.BadInput("%w", err)
	}
	if err != nil {
		return exit.CannotFuzz("%w", err)
	}
	c.Mapping = mapping
	return nil
}

// changedLines reads the head version of every changed source file.
func (c *Change) changedLines() ([]unified.ChangedLine, error) {
	c.Paths.Heads = map[string][]byte{}
	var changes []unified.ChangedLine
	for _, f := range c.Diff.Files {
		if !IsSource(f.NewPath) || f.Status == unified.Deleted || f.Binary || f.Submodule {
			continue
		}
		head, err := c.Head(f.NewPath)
		if err != nil {
			return nil, exit.BadInput("%s is in the diff, but its head version is missing: %v; run in the project's folder or pass --root", f.NewPath, files.Plain(err))
		}
		c.Paths.Heads[f.NewPath] = head
		lines, err := f.Changes(head)
		if err != nil {
			return nil, exit.BadInput("%w", err)
		}
		changes = append(changes, lines...)
	}
	return changes, nil
}
