package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/build"
	"github.com/sightline-evm/sightline/report"
)

// loadBuild reads or makes what is mapped and fuzzed. A build is used as it is
// when its lines can be told apart; otherwise the mapping build is made from its
// input where a compiler can be had (design §2).
func (pr *project) loadBuild(ctx context.Context, flags *projectFlags, root string, show *progress) error {
	compilers := build.CompilerOptions{Solc: flags.solc, Root: root}
	if modules := os.Getenv("SIGHTLINE_NODE_MODULES"); modules != "" {
		compilers.NodeModules = filepath.SplitList(modules)
	}
	progress := func(line string) { show.line("build   %s", line) }
	options := build.MappingOptions{Cache: cacheDir(), Progress: progress}
	pr.compilers, pr.mappingOptions = compilers, options
	find := build.FindOptions{Compilers: compilers, Mapping: options, Progress: progress, Env: flags.env}
	if flags.command != "" {
		if len(flags.builds) > 0 {
			return badInput("--build names a build that is there, --build-command makes one: give one of them")
		}
		find.Command = []string{"sh", "-c", flags.command}
	}
	given, err := pr.builds(ctx, flags, root, find)
	if err != nil {
		return err
	}
	pr.given = given
	for _, o := range given {
		mapped, note, err := o.ForMapping(ctx, compilers, options)
		if err != nil {
			return buildError(err)
		}
		if note != "" {
			pr.warnings = append(pr.warnings, note)
		}
		pr.outputs = append(pr.outputs, mapped)
	}
	for _, o := range pr.outputs {
		how := "as given"
		if o.Mapping {
			how = "mapping build"
		}
		show.line("build   %s, %s, %s", o.Origin, how, report.Plural(len(o.Contracts), "contract"))
	}
	return nil
}

// builds reads the builds that were given, or finds the project's own.
func (pr *project) builds(ctx context.Context, flags *projectFlags, root string, options build.FindOptions) ([]*build.Output, error) {
	if len(flags.builds) == 0 {
		found, err := build.Find(ctx, flags.root, options)
		if err != nil {
			return nil, buildError(err)
		}
		return found.Outputs, nil
	}
	var given []*build.Output
	for _, path := range flags.builds {
		outputs, err := build.Read(path)
		if err != nil {
			return nil, buildError(err)
		}
		for _, o := range outputs {
			if err := pr.checkSources(o, root, options.Compilers); err != nil {
				return nil, err
			}
		}
		given = append(given, outputs...)
	}
	return given, nil
}

// checkSources refuses a build that was made from other sources than those of
// the checkout, as far as either is there.
func (pr *project) checkSources(o *build.Output, root string, compilers build.CompilerOptions) error {
	read, err := build.SourceReader(root, compilers)
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
			return cannotFuzz("%w", err)
		}
	}
	return badInput("%w", err)
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
