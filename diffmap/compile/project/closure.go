package project

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/diffmap/solidity"
)

// Closure is what of a project is compiled for a change: sources by their paths relative to the
// root, with slashes, sorted. What they import is compiled with them, and is not listed.
type Closure struct {
	// Names are the project's own sources, tests and scripts that changed, or use what did:
	// those that import it, directly or not, or that name its file in a string, as
	// vm.deployCode("Vault.sol") does. Of scripts, only those that changed: tests that use one
	// import it.
	Names []string
	// Tests are those of Names that are tests.
	Tests []string
	// Left are the project's own sources, tests and scripts that are not compiled.
	Left []string
}

// Whole reports whether nothing is left out.
func (c *Closure) Whole() bool { return len(c.Left) == 0 }

// ClosureOf finds what of the project at root is compiled for a change of files, which are
// relative to the root, with slashes; nil stands for a change of everything. The layout says where the
// project has its sources, and what of them is never compiled.
//
// It is the whole project where no test uses what changed: a World is then made of whatever
// contracts there are, such as tokens for a vault's constructor. Imports that cannot be found
// or read are ignored: a compiler says what is wrong.
func ClosureOf(root string, layout settings.Layout, files []string, options solc.Options) (*Closure, error) {
	options.Root = root
	tree, err := sources.Open(root, options)
	if err != nil {
		return nil, err
	}
	own, err := ownSources(tree.Root, layout)
	if err != nil {
		return nil, err
	}
	closure := &Closure{Names: own}
	if files != nil {
		g := useGraph(tree, own)
		users := g.users(tree.Root, files)
		closure.Names, closure.Left = nil, nil
		for _, name := range own {
			if users[name] && (!layout.IsScript(name) || slices.Contains(files, name)) {
				closure.Names = append(closure.Names, name)
			} else {
				closure.Left = append(closure.Left, name)
			}
		}
		if !slices.ContainsFunc(closure.Names, func(name string) bool { return layout.IsTest(name) && g.runs[name] }) {
			closure.Names, closure.Left = own, nil
		}
	}
	for _, name := range closure.Names {
		if layout.IsTest(name) {
			closure.Tests = append(closure.Tests, name)
		}
	}
	return closure, nil
}

// ownSources lists the *.sol files that forge compiles without being asked: those below the
// folders of sources, tests and scripts, but for what the layout skips and for dependencies.
func ownSources(root string, layout settings.Layout) ([]string, error) {
	var names []string
	for _, folder := range layout.Folders() {
		start := filepath.Join(root, filepath.FromSlash(folder))
		err := filepath.WalkDir(start, func(file string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil && file == start && errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			}
			relative, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			name := filepath.ToSlash(relative)
			switch {
			case entry.IsDir() && file != start && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" || layout.IsLibrary(name) || settings.IsConfigured(file)):
				return fs.SkipDir
			case entry.IsDir() || path.Ext(name) != ".sol" || layout.Skips(name):
				return nil
			}
			names = append(names, name)
			if len(names) > maxFolders {
				return &reading.Error{Origin: root, Kind: reading.ErrTooLarge, Problem: "more source files than are compiled at once", Remedy: "give the project's folder with --root"}
			}
			return nil
		})
		if err != nil {
			return nil, reading.Unreadable(start, err)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// uses holds which sources use which, by resolved path.
type uses struct {
	names  map[string][]string // of the project's own sources, as they are listed
	usedBy map[string][]string
	runs   map[string]bool // listed sources that have a function that a test runner calls
}

// useGraph reads the sources and everything that they import.
func useGraph(tree *sources.Tree, own []string) *uses {
	g := &uses{names: map[string][]string{}, usedBy: map[string][]string{}, runs: map[string]bool{}}
	type unit struct{ name, file string }
	var queue []unit
	seen := map[string]bool{}
	named := map[string][]string{} // by a file's name: sources with a string that names it
	add := func(name, file string) string {
		resolved, err := filepath.EvalSymlinks(file)
		if err != nil {
			return ""
		}
		if !seen[resolved] {
			seen[resolved] = true
			queue = append(queue, unit{name, resolved})
		}
		return resolved
	}
	for _, name := range own {
		if file := add(name, filepath.Join(tree.Root, filepath.FromSlash(name))); file != "" {
			g.names[file] = append(g.names[file], name)
		}
	}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		text, err := tree.ReadAlone(u.file)
		if err != nil {
			continue
		}
		for _, imported := range solidity.Imports(text) {
			name := tree.ImportedName(imported.Path, u.name)
			if used := add(name, tree.FileOf(name)); used != "" {
				g.usedBy[used] = append(g.usedBy[used], u.file)
			}
		}
		if len(g.names[u.file]) > 0 {
			g.look(u.file, text, named)
		}
	}
	for file := range seen {
		g.usedBy[file] = append(g.usedBy[file], named[filepath.Base(file)]...)
	}
	return g
}

// look notes which files a listed source names in strings, by their names, and whether it has tests.
func (g *uses) look(source string, text []byte, named map[string][]string) {
	for _, token := range solidity.Tokenize(text) {
		if token.Kind == solidity.String {
			for _, file := range namedFiles(string(text[token.Start:token.End])) {
				named[file] = append(named[file], source)
			}
		}
	}
	if hasTests(string(text)) {
		for _, name := range g.names[source] {
			g.runs[name] = true
		}
	}
}

// hasTests reports whether a source's text may hold a test: what forge calls begins with test,
// invariant or setUp. A contract that inherits all of its tests imports them.
func hasTests(text string) bool {
	return strings.Contains(text, "function test") || strings.Contains(text, "function invariant") || strings.Contains(text, "function setUp") || strings.Contains(text, "function run")
}

// namedFiles are the names of Solidity files that a string literal holds, as "Vault.sol:Vault"
// and "out/Vault.sol/Vault.json" do.
func namedFiles(literal string) []string {
	var names []string
	for rest := literal; ; {
		before, after, found := strings.Cut(rest, ".sol")
		if !found {
			return names
		}
		start := strings.LastIndexAny(before, `/\"' `) + 1
		if name := before[start:]; name != "" {
			names = append(names, name+".sol")
		}
		rest = after
	}
}

// users are the listed sources that use one of the files, or are one.
func (g *uses) users(root string, files []string) map[string]bool {
	found := map[string]bool{}
	seen := map[string]bool{}
	var queue []string
	for _, file := range files {
		resolved, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(file)))
		if err == nil && !seen[resolved] {
			seen[resolved] = true
			queue = append(queue, resolved)
		}
	}
	for len(queue) > 0 {
		file := queue[0]
		queue = queue[1:]
		for _, name := range g.names[file] {
			found[name] = true
		}
		for _, user := range g.usedBy[file] {
			if !seen[user] {
				seen[user] = true
				queue = append(queue, user)
			}
		}
	}
	return found
}
