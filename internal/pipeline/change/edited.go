package change

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// Edited is the change that a pull request on top of c would be which gives one file of the repository another text: the head is
// c's with that text, compiled as c's is, and the base is c's head. Nothing is written to disk. Its progress and warnings go
// to log. The statements of c's ASTs must still be there, see [Change.DropStatements].
//
// An error says that the edited sources do not compile, or that c has no build that can be compiled again.
func (c *Change) Edited(ctx context.Context, file string, text []byte, log *progress.Log) (*Change, error) {
	was, err := c.Head(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	e := &Change{
		Root: c.Root, Diff: &unified.Diff{Files: []unified.File{unified.EditedFile(file, was, text)}}, Paths: c.Paths,
		About:     report.Diff{Base: c.About.Head, Head: "an edit of " + file, Files: 1},
		Compilers: c.Compilers, Debug: c.Debug, options: &Options{Root: c.options.Root, Offline: true, Example: c.options.Example},
		log: log, folders: c.folders, ignore: c.ignore, isTracked: c.isTracked, generated: map[*compile.Output]bool{}, keepsBase: true,
		read: func(path string) ([]byte, error) {
			if path == file {
				return text, nil
			}
			return c.read(path)
		},
	}
	e.deps.diff = &unified.Diff{}
	e.Compilers.Say, e.Compilers.Warn, e.Debug.Progress = nil, nil, nil // whatever they say was said of the head
	var sides []diffmap.BaseSide
	for _, o := range c.Outputs {
		edited, err := c.withText(ctx, o, file, text)
		if err != nil {
			return nil, err
		}
		if c.generated[o] {
			e.generated[edited] = true
		} else {
			sides = append(sides, diffmap.BaseSide{Head: edited, Base: o})
		}
		e.Outputs = append(e.Outputs, edited)
	}
	e.Given = e.Outputs
	e.base = func(context.Context) ([]diffmap.BaseSide, error) { return sides, nil }
	compile.Distinguish(e.Given, e.Outputs)
	e.Table = bytecode.NewTable(compile.Contracts(e.Outputs))
	if err := e.mapTargets(ctx, nil); err != nil {
		return nil, err
	}
	if len(c.generated) > 0 {
		e.leaveToOthers()
	}
	if err := e.addIndirect(ctx); err != nil {
		return nil, err
	}
	e.exclude(maxTargets)
	e.Table.Cut(e.Mapping.Entries())
	return e, nil
}

// withText is an output with another text of a file: a copy where the output does not hold the file.
func (c *Change) withText(ctx context.Context, o *compile.Output, file string, text []byte) (*compile.Output, error) {
	s := c.Paths.Source(o, file)
	if s == nil {
		return o.Copy(), nil
	}
	var extended *compile.Output
	if c.generated[o] {
		for _, other := range c.compared() {
			if other.Folder == o.Folder && extended == nil {
				extended = other
			}
		}
	}
	return o.WithText(ctx, s.Path, text, extended, c.compilersIn(o.Folder), c.Debug)
}

// IsRefused reports whether an error of [Change.Edited] is that the compiler does not take the text.
func IsRefused(err error) bool {
	return errors.Is(err, solc.ErrCompile) || errors.Is(err, compile.ErrBreaksOthers)
}

// SameCode reports whether an edit of c's head compiles to the same code in all contracts.
func (c *Change) SameCode(edited *Change) bool {
	return slices.EqualFunc(c.Outputs, edited.Outputs, (*compile.Output).SameCode)
}

// SameOptimized reports whether the optimizer makes the same code of c's head where a file has another text.
func (c *Change) SameOptimized(ctx context.Context, file string, text []byte) bool {
	for _, o := range c.Outputs {
		if s := c.Paths.Source(o, file); s != nil && !o.SameOptimized(ctx, s.Path, text, c.compilersIn(o.Folder), c.Debug) {
			return false
		}
	}
	return true
}
