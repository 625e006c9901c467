// Package sources reads the sources of a project: which files are its own, and which file
// an import means.
package sources

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// Folders that hold no contracts of the project's own: dependencies, tests (certora and fv: those of a prover) and
// scripts, and, directly below the root only, libraries and what tools write
// (src/lib may well be the project's). Hidden folders are skipped as well.
var (
	skippedFolders = []string{"node_modules", "test", "tests", "script", "scripts", "certora", "fv"}
	// SkippedRootFolders are those directly below the root.
	SkippedRootFolders = []string{"lib", "out", "cache", "artifacts", "build"}
)

// skips reports whether the folder of this name holds nothing of the project's: it
// may be a project of its own.
func (p *Tree) skips(folder, name string) bool {
	return settings.IsConfigured(folder) || strings.HasPrefix(name, ".") || slices.Contains(skippedFolders, name) ||
		filepath.Dir(folder) == p.Root && slices.Contains(SkippedRootFolders, name)
}

// Tree is a project's folder of sources.
type Tree struct {
	Root         string   // absolute, symbolic links resolved
	Repository   string   // likewise, what holds the root and is the project's to read; may be empty
	nodeModules  []string // folders, nearest first
	Remappings   []Remapping
	stated       int    // of them, by the project's files; the rest are inferred
	sourceFolder string // foundry.toml's src; empty when not given
	layout       settings.Layout
	foundry      bool                   // there is a foundry.toml
	statedIn     map[string][]Remapping // by libraries, see statedBy
	limits       reading.Limits
	bytes        int64 // Read so far
	files        int   // likewise
}

// Open reads what the project says of its imports: remappings.txt, then
// foundry.toml.
func Open(root string, options solc.Options) (*Tree, error) {
	absolute, err := filepath.Abs(root)
	if err == nil {
		absolute, err = filepath.EvalSymlinks(absolute)
	}
	if err != nil {
		return nil, &reading.Error{Origin: root, Kind: reading.ErrNoContracts, Problem: "cannot be read", Cause: err, Remedy: "give the project's folder"}
	}
	p := &Tree{Root: absolute, limits: options.Limits.WithDefaults()}
	if options.Repository != "" {
		if p.Repository, err = filepath.EvalSymlinks(options.Repository); err != nil {
			return nil, reading.Unreadable(options.Repository, err)
		}
	}
	options.Root = absolute
	for _, folder := range solc.ModuleFolders(options) {
		if resolved, err := filepath.EvalSymlinks(folder); err == nil {
			p.nodeModules = append(p.nodeModules, resolved)
		}
	}
	if err := p.readSettings(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Tree) readSettings() error {
	var lines []string
	if text, err := p.Read(filepath.Join(p.Root, "remappings.txt")); err == nil {
		lines = strings.Split(string(text), "\n")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	configuration := filepath.Join(p.Root, settings.FoundryFile)
	if text, err := p.Read(configuration); err == nil {
		folder, remappings, err := settings.FoundrySources(text, os.Getenv)
		if err != nil {
			return reading.At(configuration, err)
		}
		lines = append(lines, remappings...)
		if filepath.IsLocal(folder) {
			p.sourceFolder = folder
		}
		p.foundry = true
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var err error
	if p.layout, err = settings.FoundryLayout(p.Root, os.Getenv); err != nil {
		return err
	}
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		r, err := ParseRemapping(line)
		if err != nil {
			return &reading.Error{Origin: p.Root, Place: "remappings", Kind: reading.ErrFormat, Problem: err.Error(), Cause: err}
		}
		if p.foundry {
			r = r.asForge()
		}
		if slices.ContainsFunc(p.Remappings, func(other Remapping) bool {
			return other.context == r.context && other.prefix == r.prefix
		}) {
			continue // Remappings.txt goes before foundry.toml
		}
		p.Remappings = append(p.Remappings, r)
	}
	p.stated = len(p.Remappings)
	return nil
}

// Names lists the project's own *.sol files by name: below src and contracts,
// or, where these have none, below the root.
func (p *Tree) Names() ([]string, error) {
	var names []string
	own := cmp.Or(p.sourceFolder, "src")
	for _, folder := range []string{own, "contracts"} {
		if info, err := os.Stat(filepath.Join(p.Root, folder)); err != nil || !info.IsDir() {
			continue
		}
		if err := p.walk(folder, &names); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		if err := p.walk(".", &names); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, &reading.Error{Origin: p.Root, Kind: reading.ErrNoContracts,
			Problem: fmt.Sprintf("a folder with no contracts: looked for *.sol in %s, contracts and all others but %s and hidden folders",
				own, strings.Join(slices.Concat(skippedFolders, SkippedRootFolders), ", ")),
			Remedy: "give the project's root, or a build", Workflow: "# in the step of Sightline\n- with:\n    root: FOLDER  # that has foundry.toml, hardhat.config or the sources\n"}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Unbuilt is a source of the project's own with code that the builds do not
// hold, under its own name or Hardhat 3's; empty when there is none.
func (p *Tree) Unbuilt(held map[string]bool) string {
	names, err := p.Names()
	if err != nil {
		return "" // the build holds all that can be found
	}
	for _, name := range names {
		if !held[name] && !held["project/"+name] {
			return name
		}
	}
	return ""
}

// walk adds the *.sol files below a folder of the project. Tests and scripts of
// Foundry projects (*.t.sol, *.s.sol) are left out.
func (p *Tree) walk(folder string, names *[]string) error {
	start := filepath.Join(p.Root, folder)
	if err := p.inside(start); err != nil {
		return err
	}
	err := filepath.WalkDir(start, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if file != start && p.skips(file, name) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".sol") || strings.HasSuffix(name, ".t.sol") || strings.HasSuffix(name, ".s.sol") {
			return nil
		}
		relative, err := filepath.Rel(p.Root, file)
		if err != nil {
			return err
		}
		if p.layout.Skips(filepath.ToSlash(relative)) {
			return nil
		}
		*names = append(*names, filepath.ToSlash(relative))
		if len(*names) > p.limits.Files {
			return tooManyFiles(p.limits)
		}
		return nil
	})
	var e *reading.Error
	if err == nil || errors.As(err, &e) {
		return reading.At(p.Root, err)
	}
	return &reading.Error{Origin: p.Root, Kind: reading.ErrNoContracts, Problem: "cannot be read: " + err.Error(), Cause: err}
}

func tooManyFiles(limits reading.Limits) error {
	return &reading.Error{Kind: reading.ErrTooLarge, Problem: fmt.Sprintf("more than %d source files", limits.Files),
		Remedy: "give a folder with fewer"}
}

// Locate finds the file of a source unit: below the root, in node_modules, in lib;
// where a remapping leads there, next to the root in its repository. tried lists the
// places, for the message.
func (p *Tree) Locate(name string) (file string, tried []string) {
	name = path.Clean(name)
	if strings.HasPrefix(name, "../") && p.Repository != "" {
		beside := filepath.Join(p.Root, filepath.FromSlash(name))
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() && p.inside(beside) == nil {
			return beside, nil
		}
	}
	if !fs.ValidPath(name) {
		return "", []string{"nowhere, since it leads out of the project"}
	}
	local := filepath.FromSlash(name)
	places := []string{p.Root}
	places = append(places, p.nodeModules...)
	places = append(places, filepath.Join(p.Root, "lib"))
	for _, place := range places {
		candidate := filepath.Join(place, local)
		if info, err := os.Stat(candidate); err == nil && info.Mode().IsRegular() {
			return candidate, nil
		}
		tried = append(tried, place)
	}
	return "", tried
}

// inside is an error for a symbolic link that leads out of the repository and of
// the node_modules folders: a workspace's packages link to each other.
func (p *Tree) inside(file string) error {
	resolved, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	if hidden(resolved) {
		return &reading.Error{Origin: file, Kind: ErrImport, Problem: "a hidden file and not a source: such files (.git, .env) hold secrets",
			Remedy: "import sources alone"}
	}
	for _, folder := range append([]string{cmp.Or(p.Repository, p.Root)}, p.nodeModules...) {
		if relative, err := filepath.Rel(folder, resolved); err == nil && filepath.IsLocal(relative) {
			return nil
		}
	}
	return &reading.Error{Origin: file, Kind: ErrImport, Problem: "a symbolic link that leads out of the project",
		Remedy: "copy the file into the project, or give the folder that holds both as the root"}
}

// hidden reports whether a path leads into a git directory or to a hidden file that is not a
// source. Compilers quote what they do not understand, and their messages are public.
func hidden(resolved string) bool {
	elements := strings.Split(filepath.ToSlash(resolved), "/")
	base := elements[len(elements)-1]
	return slices.Contains(elements, ".git") || strings.HasPrefix(base, ".") && !slices.Contains([]string{".sol", ".yul", ".vy"}, path.Ext(base))
}

// Read reads a file of the project.
func (p *Tree) Read(file string) ([]byte, error) {
	if err := p.inside(file); err != nil {
		return nil, err
	}
	opened, err := reading.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, p.limits.FileBytes-p.bytes+1))
	if err != nil {
		return nil, err
	}
	p.bytes += int64(len(text))
	p.files++
	if p.bytes > p.limits.FileBytes {
		return nil, reading.At(file, reading.TooLarge(p.limits))
	}
	if p.files > p.limits.Files {
		return nil, reading.At(file, tooManyFiles(p.limits))
	}
	return text, nil
}

// Exhausted reports whether more was read than the limits allow.
func (p *Tree) Exhausted() bool {
	return p.bytes > p.limits.FileBytes || p.files > p.limits.Files
}
