package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
)

// loadBuild reads or makes what is mapped and fuzzed. A build is used as it is
// when its lines can be told apart; otherwise the mapping build is made from its
// input where a compiler can be had (design §2).
func (pr *project) loadBuild(ctx context.Context, flags *projectFlags, root string, show *progress.Log) error {
	pr.env = flags.env
	pr.compilers = build.CompilerOptions{Solc: flags.solc, List: flags.solcList, Root: root, Repository: pr.options.Checkout, Cache: cacheDir()}
	if modules := os.Getenv("SIGHTLINE_NODE_MODULES"); modules != "" {
		pr.compilers.NodeModules = filepath.SplitList(modules)
	}
	pr.mappingOptions = build.MappingOptions{Cache: cacheDir(), Progress: func(line string) { show.Line("build   %s", line) }}
	if flags.command != "" && len(flags.builds) > 0 {
		return exit.BadInput("--build names a build that is there, --build-command makes one: give one of them")
	}
	if flags.solcList != "" {
		if err := build.CheckList(flags.solcList); err != nil {
			return exit.BadInput("--solc-list: %w", err)
		}
	}
	var err error
	if pr.folders, err = build.Projects(root); err != nil {
		return buildError(err)
	}
	if len(flags.builds) > 0 {
		err = pr.readBuilds(ctx, flags.builds, root)
	} else {
		err = pr.findBuilds(ctx, flags, root, show)
	}
	if err != nil {
		return err
	}
	build.Distinguish(pr.given, pr.outputs)
	for _, o := range pr.outputs {
		how := "as given"
		if o.Mapping {
			how = "mapping build"
		}
		show.Line("build   %s, %s, %s", describeOrigin(o), how, human.Plural(len(o.Contracts), "contract"))
	}
	return nil
}

// describeOrigin says where an output comes from, and of which project it is
// where there are several.
func describeOrigin(o *build.Output) string {
	if o.Folder == "" || strings.HasPrefix(o.Origin, o.Folder+"/") {
		return o.Origin
	}
	return o.Folder + ": " + o.Origin
}

// addBuilds adds the builds of a project: what it has, and what is made of that
// to map and to fuzz. Either all of them are added or none.
func (pr *project) addBuilds(ctx context.Context, given []*build.Output, compilers build.CompilerOptions) error {
	var outputs []*build.Output
	for _, o := range given {
		mapped, note, err := o.ForMapping(ctx, compilers, pr.mappingOptions)
		if err != nil {
			return err
		}
		if note != "" {
			pr.warnings = append(pr.warnings, note)
		}
		outputs = append(outputs, mapped)
	}
	pr.given, pr.outputs = append(pr.given, given...), append(pr.outputs, outputs...)
	return nil
}

// readBuilds reads the builds that were given.
func (pr *project) readBuilds(ctx context.Context, paths []string, root string) error {
	for _, path := range paths {
		outputs, err := build.Read(path)
		if err != nil {
			return buildError(err)
		}
		folder := pr.folderOf(path, root)
		compilers := pr.compilersIn(folder, root)
		for _, o := range outputs {
			o.Folder = folder
			if err := pr.checkSources(o, compilers); err != nil {
				return err
			}
			if err := o.Locate(compilers.Root, compilers); err != nil {
				return buildError(err)
			}
		}
		if err := pr.addBuilds(ctx, outputs, compilers); err != nil {
			return buildError(err)
		}
	}
	return nil
}

// checkSources refuses a build that was made from other sources than those of
// the checkout, as far as either is there.
func (pr *project) checkSources(o *build.Output, compilers build.CompilerOptions) error {
	read, err := build.SourceReader(compilers.Root, compilers)
	if err != nil {
		return buildError(err)
	}
	if err := o.CheckSources(read); err != nil {
		return buildError(err)
	}
	if slices.ContainsFunc(o.Sources, func(s *build.Source) bool { return s.Text == nil && s.Keccak256 == nil }) {
		pr.warnings = append(pr.warnings, fmt.Sprintf("%s holds neither the text nor the hash of every source: whether it was made from this checkout is not known; give a build-info, or keep X.input.json beside X.output.json", o.Origin))
	}
	return nil
}

// buildError tells input that is wrong (exit 2) from a build that could not be
// had (exit 3).
func buildError(err error) error {
	for _, kind := range []error{build.ErrNoCompiler, build.ErrCompile, build.ErrNoContracts, build.ErrImport, build.ErrTool} {
		if errors.Is(err, kind) {
			return exit.CannotFuzz("%w", err)
		}
	}
	return exit.BadInput("%w", err)
}

// cacheDir keeps compilers' outputs between runs; empty when the system names no
// place for it.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "sightline", "builds")
}

// chainDir keeps what endpoints answered between runs; empty when the system names no
// place for it.
func chainDir() string {
	if dir := cacheDir(); dir != "" {
		return filepath.Join(filepath.Dir(dir), "chains")
	}
	return ""
}
