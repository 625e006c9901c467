package main

import (
	"context"
	"fmt"
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

// This file finds the builds of a repository that may hold several projects, each
// with a foundry.toml, hardhat.config.* or truffle-config.js of its own. Those
// that the diff touches are built; what they hold is mapped and fuzzed together.

// several reports whether there are projects below the root, so that messages name
// the one they are about.
func (pr *project) several() bool { return !slices.Equal(pr.folders, []string{"."}) }

// compilersIn are the compilers for the project in a folder.
func (pr *project) compilersIn(folder, root string) build.CompilerOptions {
	compilers := pr.compilers
	compilers.Root = filepath.Join(root, filepath.FromSlash(folder))
	return compilers
}

// folderOf is the folder of the project that a build on disk belongs to, relative
// to the root; empty for the root's own and for a build from elsewhere.
func (pr *project) folderOf(file, root string) string {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	below, err := filepath.Rel(root, absolute)
	if err != nil || !filepath.IsLocal(below) {
		return ""
	}
	owner, found := build.Owner(pr.folders, filepath.ToSlash(below)+"/")
	if !found || owner == "." {
		return ""
	}
	return owner
}

// findBuilds finds the builds of the projects that the change touches. One that
// cannot be built is no reason to leave the others: its lines say so.
func (pr *project) findBuilds(ctx context.Context, flags *projectFlags, root string, show *progress.Log) error {
	if !pr.several() {
		return pr.findBuild(ctx, ".", flags, root)
	}
	touched := pr.touched(flags, root)
	show.Line("build   %s below %s, touched: %s", human.Plural(len(pr.folders), "project"), flags.root, human.List(touched, "none"))
	pr.options.Projects, pr.options.Problems = pr.folders, map[string]string{}
	var failed error
	for _, folder := range touched {
		err := pr.findBuild(ctx, folder, flags, root)
		if ctx.Err() != nil {
			return exit.CannotFuzz("%w", err)
		}
		if err == nil {
			continue
		}
		pr.options.Problems[folder] = fmt.Sprintf("the project %s has no build, see the warnings", folder)
		if failed != nil {
			failed = fmt.Errorf("%w\n%s: %w", failed, folder, err)
		} else {
			failed = fmt.Errorf("%s: %w", folder, err)
		}
		pr.warn("the project %s has no build, and its lines are not mapped: %s", folder, human.OneLine(err))
	}
	if failed != nil && len(pr.outputs) == 0 {
		return buildError(failed)
	}
	return nil
}

// findBuild finds the build of the project in a folder of the root.
func (pr *project) findBuild(ctx context.Context, folder string, flags *projectFlags, root string) error {
	compilers := pr.compilersIn(folder, root)
	options := build.FindOptions{Compilers: compilers, Mapping: pr.mappingOptions, Progress: pr.mappingOptions.Progress, Env: flags.env}
	shown := flags.root
	if folder != "." {
		shown = filepath.Join(flags.root, filepath.FromSlash(folder))
		options.Progress = func(line string) { pr.mappingOptions.Progress(folder + ": " + line) }
	}
	if flags.command != "" {
		options.Command, options.CommandFolder = []string{"sh", "-c", flags.command}, root
	}
	found, err := build.Find(ctx, shown, options)
	if err != nil {
		return buildError(err)
	}
	for _, o := range found.Outputs {
		if folder != "." {
			o.Folder = folder
		}
		if err := o.Locate(compilers.Root, compilers); err != nil {
			return buildError(err)
		}
	}
	if err := pr.addBuilds(ctx, found.Outputs, compilers); err != nil {
		return buildError(err)
	}
	return nil
}

// touched lists the projects that hold what is to be mapped: all of them for a
// contract that is named without its file. A changed source that none of them
// holds is taken for the root's own, when it is among the sources there.
func (pr *project) touched(flags *projectFlags, root string) []string {
	files, all := pr.wantedFiles(flags.targets)
	if all {
		return pr.folders
	}
	var below []string
	for _, file := range files {
		if rest, ok := belowRoot(file, pr.options.Root); ok {
			below = append(below, rest)
		}
	}
	holders, rest := build.Holders(root, pr.folders, below, pr.compilers)
	if slices.ContainsFunc(rest, func(file string) bool { return build.IsSource(root, file, pr.compilers) }) {
		pr.folders = append([]string{"."}, pr.folders...)
		holders = append([]string{"."}, holders...)
	}
	return holders
}

// wantedFiles are the changed sources, or the files of named targets; all is set
// where a target names a contract alone.
func (pr *project) wantedFiles(targets []string) (files []string, all bool) {
	for _, target := range targets {
		spec, err := diffmap.ParseTarget(target)
		if err != nil || spec.File == "" {
			return nil, true // what is wrong with it is said where it is looked for
		}
		files = append(files, spec.File)
	}
	if pr.diff == nil {
		return files, false
	}
	for _, f := range slices.Concat(pr.diff.Files, pr.deps.diff.Files) {
		for _, file := range []string{f.OldPath, f.NewPath} {
			if isSource(file) && !slices.Contains(files, file) {
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
