package change

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/project"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// This file finds the builds of a repository that may hold several projects, each
// with a foundry.toml, hardhat.config.* or truffle-config.js of its own. Those
// that the diff touches are built, and their contracts mapped and fuzzed together.

// several reports whether there are projects below the root, so that messages name
// the one they are about.
func (c *Change) several() bool { return !slices.Equal(c.folders, []string{"."}) }

// compilersIn are the compilers for the project in a folder.
func (c *Change) compilersIn(folder string) solc.Options {
	compilers := c.Compilers
	compilers.Root = filepath.Join(c.Root, filepath.FromSlash(folder))
	return compilers
}

// folderOf is the folder of the project that a build on disk belongs to, relative
// to the root; empty for the root's own and for a build from elsewhere.
func (c *Change) folderOf(file string) string {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	below, err := filepath.Rel(c.Root, absolute)
	if err != nil || !filepath.IsLocal(below) {
		return ""
	}
	owner, found := compile.Owner(c.folders, filepath.ToSlash(below)+"/")
	if !found || owner == "." {
		return ""
	}
	return owner
}

// findBuilds finds the builds of the projects that the change touches. If one cannot be
// built, its lines say so, and the others are fuzzed all the same.
func (c *Change) findBuilds(ctx context.Context) error {
	if !c.several() {
		return c.findBuild(ctx, ".")
	}
	touched := c.touched()
	c.log.Line("build   %s below %s, touched: %s", human.Plural(len(c.folders), "project"), c.options.Root, human.List(touched, "none"))
	c.Paths.Projects, c.Paths.Problems = c.folders, map[string]string{}
	var failed error
	for _, folder := range touched {
		err := c.findBuild(ctx, folder)
		if ctx.Err() != nil {
			return exit.CannotFuzz("%w", err)
		}
		if err == nil {
			continue
		}
		c.Paths.Problems[folder] = fmt.Sprintf("the project %s has no build (see the warnings)", folder)
		if failed != nil {
			failed = fmt.Errorf("%w\n%s: %w", failed, folder, err)
		} else {
			failed = fmt.Errorf("%s: %w", folder, err)
		}
		c.log.Warn("the project %s has no build, so its lines are not mapped: %s", folder, human.OneLine(err))
	}
	if failed != nil && len(c.Outputs) == 0 {
		return BuildError(failed)
	}
	return nil
}

// findBuild finds the build of the project in a folder of the root.
func (c *Change) findBuild(ctx context.Context, folder string) error {
	compilers := c.compilersIn(folder)
	options := project.FindOptions{Compilers: compilers, Debug: c.debugOfHead(ctx, folder), Progress: c.Debug.Progress, Env: c.options.Env, Strangers: c.options.Strangers,
		Tracked: c.isTracked, Changed: c.concerned(folder), Existing: c.options.Verify == VerifyNever,
		Waiting: func(line string) { c.log.Status(func() string { return "build   " + line }) },
		Check: func(ctx context.Context, o *compile.Output, now bool) error {
			if now && !c.options.Strangers && c.options.Verify != VerifyRequired {
				c.bytecode[o] = Bytecode{Is: report.BytecodeBuilt}
				return nil
			}
			return c.believe(ctx, o, compilers, nil)
		},
		Warn: func(text string) { c.log.Warn("%s", text) }}
	if c.Audits() {
		options.LeftOut = func(name, why string) { c.leaveUnread(path.Join(filepath.ToSlash(c.Paths.Root), folder, name), why) }
	}
	options.Lacking = func(names []string, why string) {
		files := make([]string, len(names))
		for i, name := range names {
			files[i] = path.Join(filepath.ToSlash(c.Paths.Root), folder, name)
		}
		c.leaveLacking(files, why)
	}
	shown := c.options.Root
	if folder != "." {
		shown = filepath.Join(c.options.Root, filepath.FromSlash(folder))
		options.Progress = func(line string) { c.Debug.Progress(folder + ": " + line) }
	}
	if c.options.Command != "" {
		options.Command, options.CommandFolder = []string{"sh", "-c", c.options.Command}, c.Root
	}
	found, err := project.Find(ctx, shown, options)
	if err != nil {
		return BuildError(err)
	}
	for _, a := range found.Made {
		c.again[a.Own] = a
		c.bytecode[a.Own] = Bytecode{Is: report.BytecodeCompiled}
	}
	for _, o := range found.Outputs {
		if folder != "." {
			o.Folder = folder
		}
		if err := o.Locate(compilers.Root, compilers); err != nil {
			return BuildError(err)
		}
	}
	if err := c.addBuilds(ctx, found.Outputs, compilers); err != nil {
		return BuildError(err)
	}
	return nil
}

// concerned are the files that the change concerns, relative to the folder of a project; nil
// where it may concern any: contracts are named without their files, settings changed, or what
// changed is not known.
func (c *Change) concerned(folder string) []string {
	files, all := c.wantedFiles(c.options.Targets)
	if all || c.whole && len(c.options.Paths) == 0 || len(c.deps.settings)+len(c.deps.own)+len(c.deps.problems)+len(c.deps.usedPackages())+len(c.options.Uses) > 0 {
		return nil
	}
	concerned := []string{}
	for _, file := range files {
		if below, ok := belowRoot(file, path.Join(filepath.ToSlash(c.Paths.Root), folder)); ok {
			concerned = append(concerned, below)
		} else if relative, err := filepath.Rel(c.compilersIn(folder).Root, filepath.Join(c.Paths.Checkout, filepath.FromSlash(file))); err == nil {
			concerned = append(concerned, filepath.ToSlash(relative))
		}
	}
	return concerned
}

// touched lists the projects that hold the files to map: all of them for a contract that is
// named without its file. A changed source that none of them holds belongs to the root, if it
// is among the sources there.
func (c *Change) touched() []string {
	files, all := c.wantedFiles(c.options.Targets)
	if all {
		return c.folders
	}
	var below []string
	for _, file := range files {
		if rest, ok := belowRoot(file, c.Paths.Root); ok {
			below = append(below, rest)
		}
	}
	holders, rest := project.Holders(c.Root, c.folders, below, c.Compilers)
	if slices.ContainsFunc(rest, func(file string) bool { return project.IsSource(c.Root, file, c.Compilers) }) {
		c.folders = append([]string{"."}, c.folders...)
		holders = append([]string{"."}, holders...)
	}
	return holders
}

// wantedFiles are the changed sources, or the files of named targets; all is set
// where a target names a contract alone.
func (c *Change) wantedFiles(targets []string) (files []string, all bool) {
	for _, target := range targets {
		spec, err := diffmap.ParseTarget(target)
		if err != nil || spec.File == "" {
			return nil, true // whoever resolves it says what is wrong
		}
		files = append(files, spec.File)
	}
	if c.Diff == nil {
		return files, false
	}
	for _, f := range slices.Concat(c.Diff.Files, c.deps.diff.Files) {
		for _, file := range []string{f.OldPath, f.NewPath} {
			if solidity.IsSource(file) && !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files, false
}

// belowRoot is a file of the repository relative to the root, which is relative to
// the repository; false for a file elsewhere.
func belowRoot(file, root string) (string, bool) {
	if root = path.Clean(root); root == "." {
		return file, true
	}
	return strings.CutPrefix(file, root+"/")
}
