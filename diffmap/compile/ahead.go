package compile

import (
	"cmp"
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"sync"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// This file compiles ahead of time what is likely to be asked for next, on cores that have nothing else
// to compile. All that comes of it is an answer in the cache: whoever asks finds it there, or
// waits for it, so that results do not depend on it.

// processors are the compilers that run in this process.
type processors struct {
	mutex   sync.Mutex
	running int
	ended   chan struct{} // closed when one ends; made when first waited for
}

var running processors

// begin counts a compiler.
func (p *processors) begin() (end func()) {
	p.mutex.Lock()
	p.running++
	p.mutex.Unlock()
	return p.end
}

func (p *processors) end() {
	p.mutex.Lock()
	p.running--
	if p.ended != nil {
		close(p.ended)
		p.ended = nil
	}
	p.mutex.Unlock()
}

// wait waits until fewer than some number of compilers run.
func (p *processors) wait(ctx context.Context, most int) error {
	for {
		p.mutex.Lock()
		if p.running < most {
			p.mutex.Unlock()
			return ctx.Err()
		}
		if p.ended == nil {
			p.ended = make(chan struct{})
		}
		ended := p.ended
		p.mutex.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ended:
		}
	}
}

// telling is a compiler that tells when it begins.
type telling struct {
	Compiler
	begins func()
}

func (c telling) Compile(ctx context.Context, input []byte) ([]byte, error) {
	c.begins()
	return c.Compiler.Compile(ctx, input)
}

// watched is a compiler that tells of an attempt when it begins with it.
func (d *DebugOptions) watched(compiler Compiler, text []byte, a attempt, viaIR bool) Compiler {
	if d.Began == nil || !a.debug {
		return compiler
	}
	return telling{compiler, func() {
		if o := begun(text, compiler, viaIR); o != nil {
			d.Began(o)
		}
	}}
}

// begun is what is known of a debug build when it begins: its input, sources and settings.
func begun(text []byte, compiler Compiler, viaIR bool) *Output {
	in, complete, err := readInput(text)
	if err != nil || complete == nil {
		return nil // the compiler's answer says so
	}
	o := &Output{Origin: "solc " + compiler.Version(), Compiler: compiler.Version(), Input: complete, Settings: in.Settings.settings(), askedViaIR: viaIR}
	for name, source := range in.Sources {
		o.Sources = append(o.Sources, &Source{Path: name, Text: []byte(*source.Content)})
	}
	slices.SortFunc(o.Sources, func(a, b *Source) int { return cmp.Compare(a.Path, b.Path) })
	o.MarkDebug()
	return o
}

// CompileBaseAhead has the answer made that [Output.BaseBuild] will ask for, where there is a cache to
// keep it, as soon as a core has nothing else to compile. What goes wrong is for BaseBuild to say.
func (o *Output) CompileBaseAhead(ctx context.Context, base BaseOptions, compilers solc.Options, options DebugOptions) {
	if options.Cache == "" || o.Input == nil || len(base.Settings) > 0 || running.wait(ctx, runtime.GOMAXPROCS(0)) != nil {
		return
	}
	limits := options.Limits.WithDefaults()
	input, err := baseInput(o.Input, base, limits.Files)
	if err != nil {
		return
	}
	compiler, err := o.CompilerOfBase(ctx, base.Texts, compilers)
	if err != nil {
		return
	}
	project, err := membersOf(input, "input")
	var own standardSettings
	if err != nil || json.Unmarshal(project["settings"], &own) != nil || language(input) == yulLanguage {
		return
	}
	for _, attempt := range attempts(compiler.Number(), &own, options.Peephole || o.hasPeephole()) {
		text, err := debugInput(project, attempt, compiler.Number())
		if err != nil {
			return
		}
		answer, err := compileCached(ctx, text, compiler, options.Cache, limits)
		if err != nil || !gaveUp(answer) {
			return
		}
	}
}
