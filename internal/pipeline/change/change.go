// Package change reads a pull request: what changed, the bytecode it compiles to, and the
// places of the change in that bytecode. It runs nothing.
package change

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/project"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/git"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// OfficialSolcList is where Solidity publishes compilers.
const OfficialSolcList = solc.OfficialList

// Options say what is compared and what it is compiled from. Zero values are the defaults
// of a run.
type Options struct {
	Root  string    // the folder of the project, or of a repository with several
	Base  string    // compare the working tree with this revision; empty: with the default branch's merge base
	Diff  string    // read the change from this file instead; "-": from Stdin
	Stdin io.Reader // of the program
	Known *Known    // the change, where the caller has it: neither git nor a file is asked
	// Audit says that there is no change and no base: everything of the project, or what is at
	// Paths, is looked at.
	Audit bool
	Paths []string // files and folders, of an audit; none: the root

	Builds     []string // compiler output to use, files or folders
	BaseBuilds []string // compiler output of the base version
	Command    string   // of the shell, builds the project
	Env        []string // names of variables that the project's programs may see
	Strangers  bool     // the checkout is not the caller's own: nothing of it runs as root
	// Verify says what becomes of builds that others have made, see [Verifications]; empty:
	// [VerifyIfPossible].
	Verify string
	// Vouched is set where the caller of the program has named Builds and BaseBuilds, and
	// answers for their bytecode.
	Vouched  bool
	Solc     string // compiler: a file or folder
	SolcList string // URL of a list of compilers to download from; empty: none are downloaded
	Offline  bool   // download nothing
	// TrustCompiler lets a compiler run that the checkout brings and Solidity did not release.
	TrustCompiler bool

	// Uses are contracts that are needed besides those that use what changed: with any, the
	// whole project is compiled.
	Uses    []string
	Targets []string // places to reach, in place of a diff: FILE:LINE or CONTRACT:0xPC
	Ignore  []string // patterns of files whose lines are not targets
	// Tracefiles are LCOV tracefiles of the project's own tests, relative to the working directory.
	Tracefiles []string

	Example string // an embedded example, in place of all of the above
}

// Known is a diff that the caller of a run has at hand.
type Known struct {
	Diff  *unified.Diff
	About report.Diff
	Whole bool // the whole project is new: there is no base
	// Tree are the files of the commit that is checked out, whose sources are to be fuzzed and no
	// others; nil: whatever the working tree holds.
	Tree git.Tree
}

// Change is one pull request, read.
type Change struct {
	Root    string        // the project's folder, absolute; empty for an embedded example
	About   report.Diff   // what was compared, for people
	Diff    *unified.Diff // nil when targets were named
	Mapping *diffmap.Mapping
	Table   *bytecode.Table
	Given   []*compile.Output // the builds as the project has them
	Outputs []*compile.Output // what is mapped and fuzzed, parallel to Given
	Release *Release          // what is not fuzzed, but released; nil: the same, or unknown
	Paths   diffmap.Options   // what paths in diff and builds are relative to
	// Spare are targets in tests, of lines that contracts under test hold as well: those that
	// only tests execute become targets, see [Change.UseSpare].
	Spare []bytecode.Target
	// Redeclared is set when more than the bodies of functions changed: storage layouts
	// may have changed, too.
	Redeclared bool
	// Harnesses are the sources that were written to call changed code.
	Harnesses []report.Harness
	// Unread are the changed files with code at which nothing looks.
	Unread []report.Unread
	// Untested is set where Foundry projects have tests, and no build has any: what their set-ups would make
	// is not in the World.
	Untested bool

	// Compilers and Debug say how to make another build of the project.
	Compilers solc.Options
	Debug     compile.DebugOptions

	options   *Options
	log       *progress.Log
	read      func(path string) ([]byte, error) // head version, by path in the repository
	folders   []string                          // of all projects below the root
	whole     bool                              // the whole project is new
	deps      dependencies                      // what changed besides the sources
	lines     []unified.ChangedLine
	compiled  []string          // changed files that sources are compiled from, whatever they are called
	formerly  map[string]string // see former
	ignore    *git.Ignore
	excess    []string                      // files under test with lines beyond the limit of targets
	texts     map[string][]string           // lines of head versions that were shown, by path
	contracts map[string]*bytecode.Contract // see contract
	base      baseFinder                    // nil where there is no base
	keepsBase bool                          // the base's statements are still needed by others

	isTracked func(file string) bool             // by git
	again     map[*compile.Output]*compile.Again // of builds that were compiled again
	bytecode  map[*compile.Output]Bytecode
	named     map[*compile.Output]bool    // builds that options name
	closures  map[string]*project.Closure // by the project's folder, absolute, see closureIn
	generated map[*compile.Output]bool    // those of harnesses
	unlinked  map[string]bool             // libraries that no deployable contract is linked to, but for harnesses
	ahead     ahead

	tracefiles []tracefile
	traced     *traced // see trace

	asked    bool // for the base, see Base
	sides    []diffmap.BaseSide
	sidesErr error
}

// Read reads the change and the build, and maps one to the other. Where there is
// nothing to compile, Mapping, Table and builds are nil.
func Read(ctx context.Context, o *Options, log *progress.Log) (*Change, error) {
	if o.Example != "" {
		return readExample(ctx, o, log)
	}
	root, err := AbsRoot(o.Root)
	if err != nil {
		return nil, err
	}
	ignore, err := git.NewIgnore(o.Ignore)
	if err != nil {
		return nil, exit.BadInput("--ignore: %w", err)
	}
	c := &Change{ignore: ignore, Root: root, Paths: diffmap.Options{Checkout: files.Resolve(root)}, options: o, log: log, read: files.Below(root)}
	if err := c.readInput(ctx); err != nil {
		return nil, err
	}
	if c.Diff != nil {
		c.readDependencies(ctx)
		if !c.touchesSources() && !c.deps.mayChangeCode(o.BaseBuilds) && !c.changesLanguage() {
			c.deps.warn(log)
			c.deps.warnAlone(log)
			return c, c.withoutBuild(ctx)
		}
		if c.sameCode() {
			log.Line("build   none is needed: the changed sources have the same code as before")
			if err := c.checkCommitted(); err != nil {
				return nil, err
			}
			return c, c.withoutBuild(ctx)
		}
	}
	defer c.ahead.stop() // it was of use, or will not be
	if err := c.readBuilds(ctx); err != nil {
		return nil, err
	}
	c.findUsedPackages()
	if err := c.checkCommitted(); err != nil {
		return nil, err
	}
	c.Table = bytecode.NewTable(compile.Contracts(c.Outputs))
	c.warnUncompiledTests()
	if err := c.mapTargets(ctx, o.Targets); err != nil {
		return nil, err
	}
	if err := c.addHarnesses(ctx); err != nil {
		return nil, err
	}
	if c.Diff != nil && !c.whole {
		c.base = c.findBase
		if err := c.addIndirect(ctx); err != nil {
			return nil, err
		}
	}
	if !c.HasTargets() { // else lines were fuzzed, and a warning says what is not known besides
		c.Unread = append(c.Unread, c.deps.unread()...)
	}
	c.exclude(maxTargets)
	c.findCompiled()
	c.findUnread()
	cuts := c.Mapping.Entries()
	for _, t := range c.Spare {
		cuts = append(cuts, t.Entries...)
	}
	c.Table.Cut(cuts) // together: each time takes programs apart from the start
	c.mapRelease()
	return c, nil
}

// HasTargets reports whether there is anything to fuzz.
func (c *Change) HasTargets() bool { return c.Mapping != nil && len(c.Mapping.Targets) > 0 }

// HasBase reports whether there is a base version to compare with.
func (c *Change) HasBase() bool { return c.base != nil }

// Whole reports whether the whole project counts as changed, since it is compared with nothing.
func (c *Change) Whole() bool { return c.whole }

// Audits reports whether there is no change: the project is looked at as it is.
func (c *Change) Audits() bool { return c.options != nil && c.options.Audit }

// DropStatements frees the statements of all ASTs: later steps only ask for places in the
// code.
func (c *Change) DropStatements() {
	for _, outputs := range [][]*compile.Output{c.Given, c.Outputs} {
		for _, o := range outputs {
			o.DropStatements()
		}
	}
}

// AbsRoot is the project's folder, checked.
func AbsRoot(root string) (string, error) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return "", exit.BadInput("--root %s: %w", root, err)
	}
	info, err := os.Stat(absolute)
	if err != nil {
		return "", exit.BadInput("--root %s: %v", root, files.Plain(err))
	}
	if !info.IsDir() {
		return "", exit.BadInput("--root %s is not a folder", root)
	}
	return absolute, nil
}

// Strangers reports whether the checkout is not the caller's own.
func (c *Change) Strangers() bool { return c.options.Strangers }
