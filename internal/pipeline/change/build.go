package change

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/project"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// readBuilds reads or makes the builds that are mapped and fuzzed. A build is used as it is
// when its lines can be told apart; otherwise the debug build is made from its input, if a
// compiler is available.
func (c *Change) readBuilds(ctx context.Context) error {
	cache := c.cache()
	c.Compilers = solc.Options{
		Solc: c.options.Solc, Root: c.Root, Repository: c.Paths.Checkout, Cache: cache, TrustProject: c.options.TrustCompiler,
		List: c.options.SolcList, Offline: c.options.Offline, Downloads: files.Cache("solc"),
		Say: func(line string) { c.log.Line("%s", line) }, Warn: func(text string) { c.log.Warn("%s", text) },
	}
	if modules := os.Getenv("SIGHTLINE_NODE_MODULES"); modules != "" {
		c.Compilers.NodeModules = filepath.SplitList(modules)
	}
	c.Debug = compile.DebugOptions{Cache: cache, Progress: func(line string) { c.log.Line("build   %s", line) }}
	if c.options.Command != "" && len(c.options.Builds) > 0 {
		return exit.BadInput("--build and --build-command are mutually exclusive")
	}
	if c.options.SolcList != "" {
		if err := solc.CheckList(c.options.SolcList); err != nil {
			return exit.BadInput("--solc-list: %w", err)
		}
	}
	c.again, c.bytecode, c.named = map[*compile.Output]*compile.Again{}, map[*compile.Output]Bytecode{}, map[*compile.Output]bool{}
	c.generated = map[*compile.Output]bool{}
	c.isTracked = c.tracks(ctx)
	for _, name := range c.options.BaseBuilds {
		if err := c.refuseTracked(name, "base-build"); err != nil {
			return err
		}
	}
	var err error
	if c.folders, err = project.List(c.Root); err != nil {
		return BuildError(err)
	}
	if len(c.options.Builds) > 0 {
		err = c.readGiven(ctx)
	} else {
		err = c.findBuilds(ctx)
	}
	if err != nil {
		return err
	}
	clear(c.again) // of builds that are not used; their ASTs are most of the memory
	clear(c.named)
	compile.Distinguish(c.Given, c.Outputs)
	c.noteSizes()
	for _, o := range c.Outputs {
		how := "as given"
		switch {
		case o.Debug:
			how = "debug build"
		case c.BytecodeOf(o).Is == report.BytecodeVerified:
			how = "compiled again, the same"
		}
		c.log.Line("build   %s, %s, %s", describeOrigin(o), how, human.Plural(len(o.Contracts), "contract"))
	}
	return nil
}

// cache is the folder that keeps compilers' answers. One in the repository is not used: a
// pull request could bring answers.
func (c *Change) cache() string {
	cache := files.Cache("builds")
	if cache != "" && c.inCheckout(cache) != "" {
		c.log.Warn("the cache folder %s is in the repository, so compiler output is not cached: set XDG_CACHE_HOME to a folder elsewhere", human.Printable(cache))
		return ""
	}
	return cache
}

// DifferentCode says in which of the settings that decide what sources mean an output that
// is fuzzed differs from the project's own build, as a sentence; empty when it does not.
func (c *Change) DifferentCode(o *compile.Output) string {
	if i := slices.Index(c.Outputs, o); i >= 0 && i < len(c.Given) {
		return o.DifferentCode(c.Given[i])
	}
	return ""
}

// OutputOf is the output that is fuzzed and holds a contract of a qualified name; nil when
// none does.
func (c *Change) OutputOf(contract string) *compile.Output {
	for _, o := range c.Outputs {
		if slices.ContainsFunc(o.Contracts, func(c *compile.Contract) bool { return c.QualifiedName() == contract }) {
			return o
		}
	}
	return nil
}

// IsGenerated reports whether Sightline wrote the contract of a qualified name.
func (c *Change) IsGenerated(contract string) bool { return c.generated[c.OutputOf(contract)] }

// describeOrigin says where an output comes from, and if there are several projects, which
// one it belongs to.
func describeOrigin(o *compile.Output) string {
	if o.Folder == "" || strings.HasPrefix(o.Origin, o.Folder+"/") {
		return o.Origin
	}
	return o.Folder + ": " + o.Origin
}

// addBuilds adds the builds of a project: those that it has, and those that are made from
// them to map and to fuzz. Either all of them are added or none.
func (c *Change) addBuilds(ctx context.Context, given []*compile.Output, compilers solc.Options) error {
	own, mapped, err := c.mapped(ctx, given, compilers)
	if err != nil {
		return err
	}
	c.Given, c.Outputs = append(c.Given, own...), append(c.Outputs, mapped...)
	return nil
}

// readGiven reads the builds that were given.
func (c *Change) readGiven(ctx context.Context) error {
	for _, path := range c.options.Builds {
		outputs, err := c.readNamed(path, "build")
		if err != nil {
			return BuildError(err)
		}
		folder := c.folderOf(path)
		compilers := c.compilersIn(folder)
		for _, o := range outputs {
			o.Folder, c.named[o] = folder, true
			if err := c.checkSources(o, compilers); err != nil {
				return err
			}
			if err := o.Locate(compilers.Root, compilers); err != nil {
				return BuildError(err)
			}
			if err := c.believe(ctx, o, compilers, nil); err != nil {
				return BuildError(err)
			}
		}
		if err := c.addBuilds(ctx, outputs, compilers); err != nil {
			return BuildError(err)
		}
	}
	return nil
}

// checkSources refuses a build that was made from other sources than those of the checkout,
// as far as both are known.
func (c *Change) checkSources(o *compile.Output, compilers solc.Options) error {
	read, err := sources.Reader(compilers.Root, compilers)
	if err != nil {
		return BuildError(err)
	}
	if err := o.CheckSources(read); err != nil {
		return BuildError(err)
	}
	if slices.ContainsFunc(o.Sources, func(s *compile.Source) bool { return s.Text == nil && s.Keccak256 == nil }) {
		c.log.Warn("%s lacks both text and hash of some sources, so it may not be from this checkout; pass a build-info file, or keep X.input.json next to X.output.json", o.Origin)
	}
	return nil
}

// BuildError tells wrong input (exit 2) from a build that could not be made (exit 3).
func BuildError(err error) error {
	for _, kind := range []error{compile.ErrForeign, compile.ErrUnchecked, solc.ErrNoCompiler, solc.ErrCompile, reading.ErrNoContracts, sources.ErrImport, project.ErrTool} {
		if errors.Is(err, kind) {
			return exit.CannotFuzz("%w", err)
		}
	}
	return exit.BadInput("%w", err)
}
