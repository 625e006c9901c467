package change

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/fuzzer/world"
)

// This file has the base compiled before it is asked for: next to the head where declarations changed, so
// that it is asked for before the campaign, and during the campaign once there is a finding to compare.
// What comes of it is in the compilers' cache, see [compile.Output.CompileBaseAhead]: it changes
// no result.

// ahead are compilations in the background. The zero value has none.
type ahead struct {
	mutex  sync.Mutex
	cancel []context.CancelFunc
	ended  sync.WaitGroup
}

// start begins one, which cancel ends.
func (a *ahead) start(ctx context.Context, compile func(ctx context.Context)) (cancel context.CancelFunc) {
	ctx, cancel = context.WithCancel(ctx)
	a.mutex.Lock()
	a.cancel = append(a.cancel, cancel)
	a.mutex.Unlock()
	a.ended.Go(func() { compile(ctx) })
	return cancel
}

// stop ends all of them, and waits until they have.
func (a *ahead) stop() {
	a.mutex.Lock()
	for _, cancel := range a.cancel {
		cancel()
	}
	a.cancel = nil
	a.mutex.Unlock()
	a.ended.Wait()
}

// StopCompiling ends what is compiled in the background.
func (c *Change) StopCompiling() { c.ahead.stop() }

// CompileBaseAhead begins to compile the base, if it was not asked for yet. It is called before
// [Change.Base].
func (c *Change) CompileBaseAhead(ctx context.Context) {
	if c.asked || c.base == nil || c.deps.diff == nil || len(c.options.BaseBuilds) > 0 { // an example has its base
		return
	}
	options, err := c.baseOptions()
	if err != nil {
		return
	}
	for _, o := range c.compared() {
		c.compileBaseAhead(ctx, o, options)
	}
}

// debugOfHead are the options for debug builds of the head in a project's folder, empty for the root: when a compiler begins with one,
// the base's is begun as well, if it seems that it will be asked for.
func (c *Change) debugOfHead(ctx context.Context, folder string) compile.DebugOptions {
	debug := c.Debug
	if c.Diff == nil || c.whole || len(c.options.BaseBuilds) > 0 {
		return debug
	}
	cancel := func() {}
	debug.Began = func(o *compile.Output) {
		cancel() // the attempt before this one has failed
		o.Folder = strings.TrimPrefix(folder, ".")
		compilers := c.compilersIn(folder)
		options, err := c.baseOptions()
		if err != nil || o.Locate(compilers.Root, compilers) != nil {
			return
		}
		for i := range c.Diff.Files {
			f := &c.Diff.Files[i]
			if !IsSource(f.NewPath) || f.Status == unified.Deleted || f.Binary || f.Submodule {
				continue
			}
			if options.Heads[f.NewPath], err = c.read(f.NewPath); err != nil {
				return
			}
		}
		if c.seemsRedeclared(options.Heads) {
			cancel = c.compileBaseAhead(ctx, o, options)
		}
	}
	return debug
}

// compileBaseAhead begins to compile the base of one output, where it will be compiled if it is asked for.
func (c *Change) compileBaseAhead(ctx context.Context, o *compile.Output, options diffmap.Options) (cancel context.CancelFunc) {
	cancel = func() {}
	compilers := c.compilersIn(o.Folder)
	if c.unknownOfBase(o) != "" || len(c.ownOf(o)) > 0 {
		return cancel
	}
	base, err := diffmap.BaseTexts(&unified.Diff{Files: slices.Concat(c.Diff.Files, c.deps.diff.Files)}, o, options)
	if err != nil || !base.Any() {
		return cancel
	}
	read, err := sources.Reader(compilers.Root, compilers)
	if err != nil {
		return cancel
	}
	compilers.Say, compilers.Warn, compilers.Offline = nil, nil, true // whoever asks is told, and downloads
	debug := c.Debug
	debug.Progress = nil
	return c.ahead.start(ctx, func(ctx context.Context) {
		o.CompileBaseAhead(ctx, compile.BaseOptions{Texts: base.Texts, Read: base.Reader(read)}, compilers, debug)
	})
}

// seemsRedeclared reports whether, by its texts, a change is one of more than the bodies of functions,
// tests apart: [Change.addIndirect] asks for the base then. heads are the texts of changed sources.
func (c *Change) seemsRedeclared(heads map[string][]byte) bool {
	return c.deps.others() || slices.ContainsFunc(c.Diff.Files, func(f unified.File) bool {
		if f.Status == unified.Deleted {
			return IsSource(f.OldPath)
		}
		role := roleOfFile(f.NewPath)
		if path.Ext(f.NewPath) != ".sol" || role == world.Test || role == world.Script {
			return false
		}
		head := heads[f.NewPath]
		lines, err := f.Changes(head)
		if err != nil {
			return false
		}
		items := solidity.Outline(head)
		return slices.ContainsFunc(lines, func(l unified.ChangedLine) bool {
			return slices.ContainsFunc(l.Spans, func(s unified.Span) bool { return !inBody(items, head, s) })
		})
	})
}

// inBody reports whether a span lies in the body of a function.
func inBody(items []solidity.Item, text []byte, span unified.Span) bool {
	return slices.ContainsFunc(items, func(item solidity.Item) bool {
		if !slices.Contains([]string{"function", "constructor", "modifier", "receive", "fallback"}, item.Kind) {
			return false
		}
		brace := bytes.IndexByte(text[item.Start:item.End], '{')
		return brace >= 0 && item.Start+brace < span.Start && span.End < item.End
	})
}
