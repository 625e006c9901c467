package diffmap

import (
	"context"
	"errors"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/unified"
)

// LocateAssembly refines the source maps of outputs via the intermediate language, where lines of inline assembly with
// branches changed, see [compile.Output.LocateAssembly]: without, [Map] cannot tell which of them ran. A block
// that runs in a row needs none. The errors of outputs are joined; the maps of those are as they were.
func LocateAssembly(ctx context.Context, outputs []*compile.Output, changes []unified.ChangedLine, options Options, compilers func(*compile.Output) solc.Options, debug compile.DebugOptions) error {
	files := map[string][]int{}
	for _, change := range changes {
		files[change.Path] = append(files[change.Path], change.Line)
	}
	changed := map[*compile.Source][]int{}
	for file, lines := range files {
		found, err := matchSources(outputs, file, options)
		if err != nil {
			continue // [Map] says so
		}
		for _, source := range found.sources {
			changed[source] = lines
		}
	}
	var failed []error
	for _, o := range outputs {
		tables := map[*compile.Source]lineTable{}
		wanted := func(s *compile.Source, assembly *compile.Node) bool {
			if len(changed[s]) == 0 || !branches(assembly) {
				return false
			}
			if tables[s] == nil {
				tables[s] = newLineTable(s.Text)
			}
			first, last := tables[s].lineOf(assembly.Start), tables[s].lineOf(assembly.End()-1)
			return slices.ContainsFunc(changed[s], func(line int) bool { return first <= line && line <= last })
		}
		if err := o.LocateAssembly(ctx, compilers(o), debug, wanted); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// branches reports whether some of an assembly block may run without the rest.
func branches(assembly *compile.Node) bool {
	found := false
	assembly.Walk(func(n *compile.Node) bool {
		found = found || isYulBranch(n.Type)
		return !found
	})
	return found
}
