package compile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/jsontext"
)

// This file compiles a source of ours in addition to those of a build, with its settings.

// RefusedError says what a compiler does not take of the source that was added.
type RefusedError struct{ Refusals []Refusal }

// Refusal is an error that a compiler has at a byte of a source.
type Refusal struct {
	At      int
	Message string // one line
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the added source does not compile: %s", e.Refusals[0].Message)
}

// Extend compiles a source of the given name and text with what it imports of a build, which the
// project has as o. The contracts of the result are those of the source alone. Debug says that the
// project's own build is not mapped: Mapped is a debug build then.
//
// The error is a [*RefusedError] where the compiler has errors in the source itself.
func (o *Output) Extend(ctx context.Context, name string, text []byte, debug bool, compilers solc.Options, options DebugOptions) (*Again, error) {
	input, err := o.inputWith(name, text)
	if err != nil {
		return nil, reading.At(o.Origin, err)
	}
	compiler, err := o.FindCompiler(ctx, compilers)
	if err != nil {
		return nil, err
	}
	again, err := o.addedBuilds(ctx, input, name, debug, compiler, options)
	if err != nil {
		return nil, err
	}
	if again.Own == nil {
		again.Own = again.Mapped
	}
	for _, built := range []*Output{again.Own, again.Mapped} {
		built.Origin, built.Folder = o.Origin, o.Folder
		built.filesOf(o)
		built.Contracts = slices.DeleteFunc(built.Contracts, func(c *Contract) bool { return c.Source != name })
		built.name(o)
	}
	return again, nil
}

// addedBuilds compiles an input with an added source as the project has it, and for a debug build, at the
// same time.
func (o *Output) addedBuilds(ctx context.Context, input json.RawMessage, name string, debug bool, compiler *solc.Compiler, options DebugOptions) (*Again, error) {
	added := &Output{Input: input, Origin: o.Origin, Compiler: o.Compiler}
	debugged := make(chan debugResult, 1)
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	if debug || o.Debug {
		go func() {
			// What is too deep for the stack there would have all of it compiled in another way, in which
			// fewer lines can be told apart.
			first := attempts(compiler.Number(), &standardSettings{ViaIR: o.Settings.ViaIR || o.askedViaIR}, options.Peephole)[0]
			err := added.refusals(inner, first, name, compiler, options)
			var built *Output
			if err == nil {
				built, err = DebugBuild(inner, input, compiler, options)
			}
			debugged <- debugResult{built, err}
		}()
	} else {
		debugged <- debugResult{}
	}
	again := &Again{}
	var err error
	if !o.Debug {
		again.Own, err = added.ownWith(inner, name, compiler, options)
		again.Mapped = again.Own
	}
	if err != nil {
		cancel()
		<-debugged
		return nil, err
	}
	r := <-debugged
	if r.output == nil && r.err == nil && again.Own == nil {
		r.output, r.err = DebugBuild(ctx, input, compiler, options)
	}
	if r.output != nil {
		again.Mapped = r.output
	}
	return again, r.err
}

// ownWith is the build of an input with an added source as the project has it; nil where the compiler gives up on it, which the
// project does not ask it for.
func (o *Output) ownWith(ctx context.Context, name string, compiler *solc.Compiler, options DebugOptions) (*Output, error) {
	asked, answer, err := o.answerTo(ctx, compiler, options)
	if err == nil {
		err = refusalsIn(answer, name)
	}
	if err != nil {
		return nil, err
	}
	if !gaveUp(answer) {
		return o.readOwn(asked, answer, compiler, options)
	}
	if options.OneGenerator {
		_, err = ReadSolc(asked, answer, "solc "+compiler.Version(), options.Limits)
		return nil, &gaveUpError{err}
	}
	return nil, nil
}

// inputWith is the input with a source more, and without those that it does not lead to.
func (o *Output) inputWith(name string, text []byte) (json.RawMessage, error) {
	if o.Input == nil {
		return nil, &reading.Error{Kind: reading.ErrNoContracts, Problem: "it has no standard-JSON input to compile more with"}
	}
	input, err := membersOf(o.Input, "input")
	if err != nil {
		return nil, err
	}
	sources, err := membersOf(input["sources"], "input.sources")
	if err != nil {
		return nil, err
	}
	kept := map[string]json.RawMessage{}
	if needed := o.importedBy(text); needed != nil {
		for path := range needed {
			if source, ok := sources[path]; ok {
				kept[path] = source
			}
		}
	} else {
		kept = sources
	}
	kept[name] = sourceOf(text)
	input["sources"] = jsontext.Marshal(kept)
	return jsontext.Marshal(input), nil
}

// importedBy are the paths of the sources that a text imports, which names them as compilers do,
// and those that they import; nil where that is not known.
func (o *Output) importedBy(text []byte) map[string]bool {
	byPath := map[string]*Source{}
	for _, s := range o.Sources {
		byPath[s.Path] = s
	}
	needed := map[string]bool{}
	var queue []string
	for _, imported := range solidity.Imports(text) {
		queue = append(queue, imported.Path)
	}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if needed[path] {
			continue
		}
		s := byPath[path]
		if s == nil || s.AST == nil {
			return nil
		}
		needed[path] = true
		queue = append(queue, s.imports()...)
	}
	return needed
}

// refusals are the errors that a compiler has in the added source, with the settings of an attempt;
// nil where it has none.
func (o *Output) refusals(ctx context.Context, a attempt, name string, compiler *solc.Compiler, options DebugOptions) error {
	project, err := membersOf(o.Input, "input")
	if err != nil {
		return err
	}
	input, err := debugInput(project, a, compiler.Number())
	if err != nil {
		return err
	}
	output, err := compileCached(ctx, input, compiler, options.Cache, options.Limits.WithDefaults())
	if err != nil {
		return err
	}
	return refusalsIn(output, name)
}

// refusalsIn are the errors that a compiler's answer has of the added source; nil where it has none.
func refusalsIn(answer []byte, name string) error {
	errors, ok := errorsOf(answer)
	if !ok {
		return nil // whoever reads all of it says so
	}
	refused := &RefusedError{}
	for _, d := range errors {
		if d.Severity == "error" && d.SourceLocation != nil && d.SourceLocation.File == name {
			refused.Refusals = append(refused.Refusals, Refusal{d.SourceLocation.Start, strings.Join(strings.Fields(d.Message), " ")})
		}
	}
	if len(refused.Refusals) == 0 {
		return nil
	}
	return refused
}

// name gives contracts of ours the names that they have in the repository, and their links those
// that libraries have there, which another build holds.
func (o *Output) name(libraries *Output) {
	qualified := map[string]string{}
	for _, c := range libraries.Contracts {
		qualified[c.UnitName()] = c.QualifiedName()
	}
	for _, c := range o.Contracts {
		c.Generated, c.Folder = true, libraries.Folder
		for _, code := range []*bytecode.Code{c.Creation, c.Runtime} {
			if code == nil {
				continue
			}
			for i, link := range code.Links {
				if name, known := qualified[link.Library]; known {
					code.Links[i].Library = name
				}
			}
		}
	}
}
