package change

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/project"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// This file says at which changed files nothing looks, though they may hold code that ships.

// withoutBuild reads a change that needs none: of languages that are not mapped, or of no code
// at all, as far as that is so.
func (c *Change) withoutBuild(ctx context.Context) error {
	if slices.ContainsFunc(c.Diff.Files, func(f unified.File) bool { return IsSource(f.Path()) }) {
		c.Table = bytecode.NewTable(nil)
		if err := c.mapTargets(ctx, nil); err != nil {
			return err
		}
		c.exclude(maxTargets)
	}
	files := c.others()
	if len(files) > 0 {
		folders, err := project.List(c.Root)
		if err != nil {
			return BuildError(err)
		}
		compilers := c.compilersIn(".")
		compilers.Root, compilers.Repository = c.Root, c.Paths.Checkout
		c.compiled = project.Compiled(c.Root, folders, files, compilers)
	}
	for _, f := range c.Diff.Files {
		if f.Status != unified.Deleted && path.Ext(f.NewPath) == ".cairo" {
			c.Unread = append(c.Unread, report.Unread{File: f.NewPath, Reason: "Cairo source: it is not compiled for the EVM"})
		}
	}
	c.findUnread()
	c.Unread = append(c.Unread, c.deps.unread()...)
	return nil
}

// leaveUnread notes a source that does not compile, if it is one that an audit is about.
func (c *Change) leaveUnread(file, why string) {
	if slices.ContainsFunc(c.files(), func(f unified.File) bool { return f.NewPath == file }) {
		c.log.Warn("%s is not compiled, so nothing looks at it: %s", human.Printable(file), why)
		c.Unread = append(c.Unread, report.Unread{File: file, Reason: why})
	}
}

// leaveLacking notes sources that changed, or use what did, and are not compiled, since a dependency of them is not there.
func (c *Change) leaveLacking(files []string, why string) {
	changed := map[string]bool{}
	for _, f := range c.files() {
		changed[f.NewPath] = true
	}
	for _, file := range files {
		if !c.isUnread(file) {
			c.Unread = append(c.Unread, report.Unread{File: file, Reason: "not compiled: " + why, Blocks: true, Unchanged: !c.Audits() && !changed[file]})
		}
	}
}

// isUnread reports whether a file is already noted.
func (c *Change) isUnread(file string) bool {
	return slices.ContainsFunc(c.Unread, func(u report.Unread) bool { return u.File == file })
}

// others lists the changed files that are not sources by their names, relative to the root.
func (c *Change) others() []string {
	var files []string
	for _, f := range c.files() {
		if f.Status == unified.Deleted || f.Submodule || IsSource(f.NewPath) {
			continue
		}
		if file, below := belowRoot(f.NewPath, c.Paths.Root); below {
			files = append(files, file)
		}
	}
	return files
}

// findCompiled finds changed files that are sources of a build, but are not called so.
func (c *Change) findCompiled() {
	held := map[string]bool{}
	for _, o := range c.Outputs {
		for _, s := range o.Sources {
			if resolved, err := filepath.EvalSymlinks(s.File); err == nil && s.File != "" {
				held[resolved] = true
			}
		}
	}
	for _, file := range c.others() {
		if resolved, err := filepath.EvalSymlinks(filepath.Join(c.Root, filepath.FromSlash(file))); err == nil && held[resolved] {
			c.compiled = append(c.compiled, file)
		}
	}
}

// findUnread lists the changed files with code at which nothing looks, though they may be code
// that ships. A project without a build keeps a run from passing where the change is known, in
// the action: at a terminal, it may be unfinished.
func (c *Change) findUnread() {
	note := func(file, reason string, blocks bool) {
		if !c.isUnread(file) {
			c.Unread = append(c.Unread, report.Unread{File: file, Reason: reason, Blocks: blocks})
		}
	}
	for _, file := range c.compiled {
		file = path.Join(filepath.ToSlash(c.Paths.Root), file)
		note(file, "sources are compiled from it, but it is not called .sol, so its changes are not known: rename it", true)
	}
	for _, file := range c.excess {
		note(file, fmt.Sprintf("more than %d lines of contracts under test changed, and those of this file come last: make that several pull requests", maxTargets), !c.whole)
	}
	for _, f := range c.files() {
		if from, where := c.movedAside(f.NewPath); from != "" && len(f.Edits) == 0 {
			note(f.NewPath, fmt.Sprintf("moved from %s to %s: later changes to it are not fuzzed", human.Printable(from), where), false)
		}
	}
	if c.Mapping == nil {
		return
	}
	for i := range c.Mapping.Lines {
		l := &c.Mapping.Lines[i]
		if string(l.Status) != report.Unmapped {
			continue
		}
		file := l.Position.File
		if from := c.movedFrom(file); from != "" && !c.Paths.Held(c.Outputs, file) {
			_, where := c.movedAside(file)
			note(file, fmt.Sprintf("moved from %s to %s, and changed: make that two pull requests", human.Printable(from), cmp.Or(where, "where no build holds it")), true)
		}
		if problem := c.Paths.Problem(file); problem != "" && solidity.IsSource(file) {
			note(file, problem, c.options.Known != nil)
		}
		if settings := c.unbuiltBySettings(file); settings != "" {
			note(file, fmt.Sprintf("no build holds it, and %s, which may say what is built, changed: make that two pull requests", human.Printable(settings)), true)
		}
	}
}

// unbuiltBySettings returns a changed settings file that may be why no build holds a source of
// the project's own; empty if there is none.
func (c *Change) unbuiltBySettings(file string) string {
	if len(c.deps.settings)+len(c.deps.packages) == 0 || !solidity.IsSource(file) || roleOfFile(file) != world.UnderTest || c.Paths.Held(c.Outputs, file) {
		return ""
	}
	folders := strings.Split(file, "/")
	if !slices.ContainsFunc(folders[:len(folders)-1], func(name string) bool { return name == "src" || name == "contracts" }) {
		return "" // a place that tools do not build from, such as copies in one file
	}
	if len(c.deps.settings) > 0 {
		return c.deps.settings[0]
	}
	return c.deps.packages[0].file // a tool's plugin may say what is built
}
