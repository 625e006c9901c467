package compile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// ErrBreaksOthers says that a source does not compile with the new text of another.
var ErrBreaksOthers = errors.New("a source does not compile with the new text of another")

// WithText compiles a build again in which one source, by the compiler's name for it, has another text. It is a debug build, of
// the contracts that o has. Where o is the build of a source that was added to another, see [Output.Extend], extended is that one; nil otherwise.
//
// An error says that the text, or what imports it, does not compile; or that the build has no standard-JSON input.
func (o *Output) WithText(ctx context.Context, source string, text []byte, extended *Output, compilers solc.Options, options DebugOptions) (*Output, error) {
	var left []string
	edited, err := o.BaseBuild(ctx, BaseOptions{
		Texts:   map[string][]byte{source: text},
		Read:    func(name string) ([]byte, error) { return nil, fmt.Errorf("%s is not a source of the build", name) },
		LeftOut: func(names []string, _ error) { left = names },
	}, compilers, options)
	if err != nil {
		return nil, err
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrBreaksOthers, left[0])
	}
	edited.Origin, edited.Folder = o.Origin, o.Folder
	edited.filesOf(o)
	if extended != nil {
		edited.Contracts = slices.DeleteFunc(edited.Contracts, func(c *Contract) bool {
			return !slices.ContainsFunc(o.Contracts, func(own *Contract) bool { return own.UnitName() == c.UnitName() })
		})
		edited.name(extended)
	}
	return edited, nil
}

// SameCode reports whether two builds have the same contracts with the same code, apart from metadata.
func (o *Output) SameCode(other *Output) bool {
	return slices.EqualFunc(o.Contracts, other.Contracts, func(a, b *Contract) bool {
		return a.UnitName() == b.UnitName() && sameContract(a, b)
	})
}

// SameOptimized reports whether the optimizer makes the same code of a build's sources where one of them has another text: then the two differ
// in nothing that runs. False also where they do not compile with it.
func (o *Output) SameOptimized(ctx context.Context, source string, text []byte, compilers solc.Options, options DebugOptions) bool {
	compiler, err := o.FindCompiler(ctx, compilers)
	if err != nil || o.Input == nil {
		return false
	}
	edited, err := baseInput(o.Input, BaseOptions{Texts: map[string][]byte{source: text}, Read: func(name string) ([]byte, error) { return nil, os.ErrNotExist }}, options.Limits.WithDefaults().Files)
	if err != nil {
		return false
	}
	own, err := optimized(ctx, o.Input, compiler, options)
	if err != nil {
		return false
	}
	other, err := optimized(ctx, edited, compiler, options)
	return err == nil && own.SameCode(other)
}

// optimized compiles an input with the optimizer, and without what tells the sources' texts.
func optimized(ctx context.Context, input json.RawMessage, compiler *solc.Compiler, options DebugOptions) (*Output, error) {
	project, err := membersOf(input, "input")
	if err != nil {
		return nil, err
	}
	with := attempt{linked: true, settings: map[string]any{"optimizer": map[string]any{"enabled": true, "runs": 200}}} // solc's default
	if !compiler.Number().Less(keptSettings["metadata"].keys["bytecodeHash"]) {
		with.settings["metadata"] = map[string]any{"bytecodeHash": "none"}
	}
	ask, err := debugInput(project, with, compiler.Number())
	if err != nil {
		return nil, err
	}
	answer, err := compileCached(ctx, ask, compiler, options.Cache, options.Limits.WithDefaults())
	if err != nil {
		return nil, err
	}
	return ReadSolc(ask, answer, "solc "+compiler.Version(), options.Limits)
}
