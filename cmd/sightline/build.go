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

// loadBuild reads or makes what is mapped and fuzzed. A given build is used as
// it is when its lines can be told apart; otherwise the mapping build is made
// from its input where a compiler can be had (design §2).
func (pr *project) loadBuild(ctx context.Context, flags *projectFlags, root string, show *progress) error {
	compilers := build.CompilerOptions{Solc: flags.solc, Root: root}
	if modules := os.Getenv("SIGHTLINE_NODE_MODULES"); modules != "" {
		compilers.NodeModules = filepath.SplitList(modules)
	}
	options := build.MappingOptions{Cache: cacheDir()}
	if len(flags.builds) == 0 {
		show.line("build   compiling the sources below %s", flags.root)
		outputs, err := build.CompileSources(ctx, root, compilers, options)
		if err != nil {
			return buildError(err)
		}
		pr.outputs = outputs
	}
	for _, path := range flags.builds {
		outputs, err := build.Read(path)
		if err != nil {
			return buildError(err)
		}
		for _, o := range outputs {
			if err := pr.checkSources(o, root, compilers); err != nil {
				return err
			}
			mapped, err := pr.mappable(ctx, o, compilers, options, show)
			if err != nil {
				return err
			}
			pr.outputs = append(pr.outputs, mapped)
		}
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

// mappable is the output itself, or the mapping build made from its input.
func (pr *project) mappable(ctx context.Context, o *build.Output, compilers build.CompilerOptions, options build.MappingOptions, show *progress) (*build.Output, error) {
	if o.KeepsLines() {
		return o, nil
	}
	if o.Input == nil {
		pr.warnings = append(pr.warnings, fmt.Sprintf("%s was compiled with the optimizer and has no standard-JSON input to compile again: lines whose code was merged are unmapped", o.Origin))
		return o, nil
	}
	compiler, err := o.FindCompiler(ctx, compilers)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		pr.warnings = append(pr.warnings, fmt.Sprintf("%s was compiled with the optimizer and no compiler is at hand for a mapping build (%v): lines whose code was merged are unmapped", o.Origin, err))
		return o, nil
	}
	show.line("build   %s: compiling a mapping build with solc %s", o.Origin, compiler.Version())
	mapped, err := build.MappingBuild(ctx, o.Input, compiler, options)
	if err != nil {
		return nil, buildError(err)
	}
	mapped.Origin = o.Origin
	return mapped, nil
}

// buildError tells input that is wrong (exit 2) from a build that could not be
// had (exit 3).
func buildError(err error) error {
	for _, kind := range []error{build.ErrNoCompiler, build.ErrCompile, build.ErrNoContracts, build.ErrImport} {
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
