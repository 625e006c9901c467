package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/project"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/diffmap/git"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// This file decides which builds are believed. What git tracks is the pull request's, and
// never is. What other steps or tools have made is compiled again, see
// [compile.Output.CompileAgain]: a build's bytecode, ASTs and source maps may be anything.

// Values of [Options.Verify]: what becomes of builds that others have made.
const (
	VerifyRequired   = "required"    // those that cannot be compiled again are an error
	VerifyIfPossible = "if-possible" // they are taken on trust, with a warning
	VerifyNever      = "never"       // all are taken on trust, with a warning
)

// Verifications are the values of [Options.Verify].
var Verifications = []string{VerifyRequired, VerifyIfPossible, VerifyNever}

// Bytecode says how it is known that an output's bytecode is that of its sources.
type Bytecode struct {
	Is  string // report.BytecodeCompiled, …Verified, …Built or …Trusted
	Why string // it is taken on trust
}

// BytecodeOf is that of one of Outputs.
func (c *Change) BytecodeOf(o *compile.Output) Bytecode {
	if b, ok := c.bytecode[o]; ok {
		return b
	}
	return Bytecode{Is: report.BytecodeCompiled}
}

// believe compiles a build again that others have made, and keeps the result, or why the
// build is taken on trust. An error says why it is not used. read reads the sources that it
// must have been made of.
func (c *Change) believe(ctx context.Context, o *compile.Output, compilers solc.Options, read compile.TextReader) error {
	if c.vouched(o) {
		c.bytecode[o] = Bytecode{report.BytecodeTrusted, "the caller named it"}
		return nil
	}
	why := "verify-build is never"
	if c.options.Verify != VerifyNever {
		again, err := c.compileAgain(ctx, o, compilers, read)
		switch {
		case err == nil:
			c.again[o] = again
			return nil
		case ctx.Err() != nil, !errors.Is(err, compile.ErrUnchecked):
			return err
		case c.options.Verify == VerifyRequired:
			return fmt.Errorf("%w; verify-build: if-possible takes it on trust", err)
		}
		why = strings.TrimPrefix(strings.TrimPrefix(human.OneLine(err), o.Origin+": "), "its bytecode cannot be checked: ")
	}
	c.bytecode[o] = Bytecode{report.BytecodeTrusted, why}
	return nil
}

// compileAgain compiles a build again, or that part of it which the change concerns.
func (c *Change) compileAgain(ctx context.Context, o *compile.Output, compilers solc.Options, read compile.TextReader) (*compile.Again, error) {
	debug := c.Debug
	if folder, err := filepath.Rel(c.Root, compilers.Root); err == nil && read == nil {
		debug = c.debugOfHead(ctx, filepath.ToSlash(folder))
	}
	if read == nil {
		if closure := c.closureIn(compilers); closure != nil && !closure.Whole() {
			if part := o.Part(closure.Names); part != nil {
				c.log.Line("build   %s: %d of its %s use what changed", o.Origin, len(part.Sources), human.Plural(len(o.Sources), "source"))
				again, err := part.CompileAgain(ctx, compilers, read, debug)
				// Through the intermediate language, code may depend on what else is compiled.
				if !errors.Is(err, compile.ErrForeign) {
					return again, err
				}
			}
		}
	}
	return o.CompileAgain(ctx, compilers, read, debug)
}

// closureIn is what the change concerns of the Foundry project in a folder; nil where that is not
// known, or it is not a Foundry project.
func (c *Change) closureIn(compilers solc.Options) *project.Closure {
	if c.closures == nil {
		c.closures = map[string]*project.Closure{}
	}
	if closure, known := c.closures[compilers.Root]; known {
		return closure
	}
	c.closures[compilers.Root] = nil
	if !files.IsRegular(filepath.Join(compilers.Root, settings.FoundryFile)) {
		return nil
	}
	layout, err := settings.FoundryLayout(compilers.Root, os.Getenv)
	if err != nil {
		return nil // others say so
	}
	folder, err := filepath.Rel(c.Root, compilers.Root)
	if err != nil {
		return nil
	}
	concerned := c.concerned(filepath.ToSlash(folder))
	if concerned == nil {
		return nil
	}
	closure, err := project.ClosureOf(compilers.Root, layout, concerned, compilers)
	if err != nil {
		return nil // the whole build is compiled again
	}
	c.closures[compilers.Root] = closure
	return closure
}

// vouched reports whether a build was named by a caller who answers for its bytecode.
func (c *Change) vouched(o *compile.Output) bool { return c.options.Vouched && c.named[o] }

// mapped are the outputs to use for builds that were given: as the project has them, and to
// map and to fuzz. What we have compiled takes the place of what others have.
func (c *Change) mapped(ctx context.Context, given []*compile.Output, compilers solc.Options) (own, mapped []*compile.Output, err error) {
	given = c.prefer(given)
	var again []*compile.Again
	var theirs []*compile.Output
	for _, o := range given {
		if a := c.again[o]; a != nil {
			for _, ours := range []*compile.Output{a.Own, a.Mapped} {
				ours.Origin, ours.Folder = o.Origin, o.Folder
			}
			again, theirs = append(again, a), append(theirs, o)
		}
	}
	compile.KeepGiven(theirs, again)
	for _, o := range given {
		is, known := c.bytecode[o]
		var use *compile.Output
		note := ""
		switch a := c.again[o]; {
		case a != nil:
			if !known {
				is.Is = report.BytecodeVerified
			}
			delete(c.again, o) // its ASTs are most of a build's memory
			use, note, o = a.Mapped, a.Note, a.Own
		case is.Is == report.BytecodeTrusted && !c.vouched(o):
			c.log.Warn("%s: bytecode taken on trust: %s", describeOrigin(o), is.Why)
			fallthrough
		default:
			if use, note, err = o.ForDebug(ctx, compilers, c.debugOfHead(ctx, o.Folder)); err != nil {
				return nil, nil, err
			}
			if !known {
				is.Is = report.BytecodeCompiled
			}
		}
		if note != "" {
			c.log.Warn("%s", note)
		}
		c.bytecode[use] = is
		own, mapped = append(own, o), append(mapped, use)
	}
	return own, mapped, nil
}

// tracks returns a function that reports whether git tracks a file, or the diff brings it:
// then a pull request may have. Outside of a repository nothing is tracked.
func (c *Change) tracks(ctx context.Context) func(file string) bool {
	ask := sync.OnceValue(func() func(string) bool {
		repository := &git.Repository{Root: c.Root}
		if _, err := repository.Top(); err != nil {
			return func(string) bool { return false }
		}
		known, err := repository.Tracked(ctx)
		if err != nil {
			c.log.Warn("git does not say which files it tracks, so no build output that lies in the repository is used: %v", err)
			return func(string) bool { return true }
		}
		return known
	})
	return func(file string) bool { return c.touches(file) || c.committed(file) || ask()(file) }
}

// committed reports whether the commit that is checked out has a file: an earlier step may have
// had git forget it.
func (c *Change) committed(file string) bool {
	if c.options.Known == nil {
		return false
	}
	_, ok := c.options.Known.Tree[c.inCheckout(file)]
	return ok
}

// touches reports whether the diff brings a file of the checkout.
func (c *Change) touches(file string) bool {
	name := c.inCheckout(file)
	if name == "" || c.Diff == nil {
		return false
	}
	for i := range c.Diff.Files {
		if f := &c.Diff.Files[i]; f.NewPath == name && f.Status != unified.Deleted {
			return true
		}
	}
	return false
}

// readNamed reads a build that was named. Unless the caller answers for it, none of its files
// may be one that a pull request can bring.
func (c *Change) readNamed(path, setting string) ([]*compile.Output, error) {
	options := compile.ReadOptions{}
	if !c.options.Vouched {
		options.Refuse = func(file string) error {
			if !c.isTracked(file) {
				return nil
			}
			return &reading.Error{Origin: file, Kind: compile.ErrUnchecked, Problem: "git tracks this build output, so that a pull request can bring any bytecode",
				Remedy: fmt.Sprintf("remove it from the repository (git rm --cached, .gitignore), or have a step of the workflow build into a folder that git does not track, and name that as %s", setting)}
		}
	}
	return compile.Read(path, options)
}

// prefer puts the builds first whose settings are those of the project: of a contract that
// several hold, the first one's code counts. It warns of contracts for which there is no
// such build.
func (c *Change) prefer(given []*compile.Output) []*compile.Output {
	differing := map[*compile.Output]string{}
	agreed := map[string]bool{}
	for _, o := range given {
		if _, trusted := c.bytecode[o]; (trusted || c.again[o] != nil) && !c.vouched(o) && c.bytecode[o].Is != report.BytecodeCompiled {
			differing[o] = o.Disagreement(c.compilersIn(o.Folder).Root)
		}
		for _, contract := range o.Contracts {
			agreed[contract.UnitName()] = agreed[contract.UnitName()] || differing[o] == ""
		}
	}
	for _, o := range given {
		if slices.ContainsFunc(o.Contracts, func(contract *compile.Contract) bool { return !agreed[contract.UnitName()] }) {
			c.log.Warn("%s was made with other settings than the project's configuration has: %s", describeOrigin(o), differing[o])
		}
	}
	sorted := slices.Clone(given)
	slices.SortStableFunc(sorted, func(a, b *compile.Output) int { return cmp.Compare(len(differing[a]), len(differing[b])) })
	return sorted
}

// refuseTracked is an error where a named build of the base has files that git tracks. The
// build itself is only read where it is needed.
func (c *Change) refuseTracked(name, setting string) error {
	found := false
	_ = filepath.WalkDir(name, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(file, ".json") {
			found = found || c.isTracked(file)
		}
		return nil // what cannot be read is told of where it is read
	})
	if !found {
		return nil
	}
	if _, err := c.readNamed(name, setting); errors.Is(err, compile.ErrUnchecked) {
		return BuildError(err)
	}
	return nil
}

// baseTexts are the texts that the base may have for a source, by the name that compilers
// give it; known is false where that cannot be said, as of dependencies that git does not
// track.
func (c *Change) baseTexts() (func(name string) (texts [][]byte, known bool), error) {
	var bases []*diffmap.BaseSources
	var trees []*sources.Tree
	options, err := c.baseOptions()
	if err != nil {
		return nil, err
	}
	for _, o := range c.Outputs {
		texts, err := diffmap.BaseTexts(c.Diff, o, options)
		if err != nil {
			return nil, err
		}
		compilers := c.compilersIn(o.Folder)
		tree, err := sources.Open(compilers.Root, compilers)
		if err != nil {
			return nil, err
		}
		bases, trees = append(bases, texts), append(trees, tree)
	}
	return func(name string) (texts [][]byte, known bool) {
		for i, base := range bases {
			text, changed := base.Texts[name]
			if !changed {
				text, changed = base.Others[name]
			}
			if changed {
				if known = true; text != nil {
					texts = append(texts, text)
				}
				continue
			}
			file := trees[i].FileOf(name)
			if file == "" || !c.isTracked(file) || c.unknownSubmodule(c.inCheckout(file)) != "" {
				continue
			}
			if text, err := trees[i].ReadAlone(file); err == nil {
				texts, known = append(texts, text), true
			}
		}
		return texts, known
	}, nil
}

// inCheckout is a file's path in the repository; empty for one elsewhere.
func (c *Change) inCheckout(file string) string {
	below, err := filepath.Rel(c.Paths.Checkout, files.Resolve(file))
	if err != nil || !filepath.IsLocal(below) {
		return ""
	}
	return filepath.ToSlash(below)
}
