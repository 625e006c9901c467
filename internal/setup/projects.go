package setup

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/project"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/git"
	"github.com/sightline-evm/sightline/diffmap/solidity"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
)

// Project is a project of a repository, as a workflow has to know it.
type Project struct {
	Folder string // relative to the repository, with slashes; "." for its top
	Tool   string // as settings.Tool…; empty: solc alone compiles it
	Config string // the file that says so, relative to the folder
	Build  string // where its build lies, relative to the repository; empty without a tool
	// Packages say what installs its dependencies.
	Packages Packages
}

// Packages are the JavaScript packages, or soldeer's, that a project's build needs.
type Packages struct {
	Manager string // "npm", "yarn", "pnpm", "bun", "soldeer"; empty: none are needed
	Berry   bool   // of yarn, 2 or newer
	Folder  string // that has the lock file, relative to the repository
	Lock    string // the file's name; "package.json" where no version is locked
}

// maxProjects bounds the projects of one workflow. Arbitrary: each is built in turn in one job.
const maxProjects = 8

// Repository is the folder of a project, or of several, in a repository.
type Repository struct {
	Root     string // the folder, absolute
	Top      string // the repository's top, absolute; Root where there is none
	Folder   string // Root relative to Top, with slashes; "." for the top
	Git      bool   // there is one
	Projects []Project
}

// safePath are the folders that are written to workflows as they are: nothing in them ends a value
// or begins an expression.
var safePath = regexp.MustCompile(`^[A-Za-z0-9._][A-Za-z0-9._/@+-]*$`)

// Find finds the projects of a folder.
func Find(folder string) (*Repository, error) {
	root, err := change.AbsRoot(folder)
	if err != nil {
		return nil, err
	}
	root = files.Resolve(root)
	r := &Repository{Root: root, Top: root, Folder: "."}
	if top, err := (&git.Repository{Root: root}).Top(); err == nil {
		r.Git, r.Top = true, top
		if below, err := filepath.Rel(top, root); err == nil {
			r.Folder = filepath.ToSlash(below)
		}
	}
	folders, err := project.List(root)
	if err != nil {
		return nil, change.BuildError(err)
	}
	if len(folders) > maxProjects {
		return nil, exit.BadInput("%s has %d projects, more than the %d that one workflow builds: name the folder of one or of a few, such as `sightline init %s`",
			human.Printable(folder), len(folders), maxProjects, human.Printable(path.Join(filepath.ToSlash(folder), folders[0])))
	}
	for _, below := range folders {
		p, err := r.project(below)
		if err != nil {
			return nil, err
		}
		r.Projects = append(r.Projects, p)
	}
	return r, nil
}

// noEnvironment reads settings as a runner has them.
func noEnvironment(string) string { return "" }

// project describes the project in a folder below the root.
func (r *Repository) project(below string) (Project, error) {
	at := filepath.Join(r.Root, filepath.FromSlash(below))
	p := Project{Folder: path.Join(r.Folder, below)}
	if p.Folder != "." && !safePath.MatchString(p.Folder) {
		return p, exit.BadInput("%q: a workflow cannot name this folder safely; rename it, or write the workflow by hand (docs/action.md)", p.Folder)
	}
	found := settings.Detect(at, noEnvironment)
	if len(found) > 0 && found[0].Config != "" {
		p.Tool, p.Config = found[0].Tool, found[0].Config
		build, err := filepath.Rel(r.Top, found[0].Builds)
		if build = filepath.ToSlash(build); err != nil || !filepath.IsLocal(build) || !safePath.MatchString(build) {
			return p, exit.BadInput("%s says that builds lie in %q: a workflow takes them from a folder of the repository; write the workflow by hand (docs/action.md)",
				path.Join(p.Folder, p.Config), found[0].Builds)
		}
		if p.Build = build; p.Tool == settings.ToolFoundry && path.Base(build) != "build-info" {
			p.Build = path.Join(build, "build-info") // where forge writes what it is asked for with --build-info
		}
	}
	p.Packages = r.packages(&p, at)
	return p, nil
}

// packages finds what installs a project's dependencies, where its build needs any besides
// submodules.
func (r *Repository) packages(p *Project, at string) Packages {
	if p.Tool == settings.ToolFoundry && files.IsRegular(filepath.Join(at, "soldeer.lock")) {
		return Packages{Manager: "soldeer", Folder: p.Folder, Lock: "soldeer.lock"}
	}
	switch p.Tool {
	case settings.ToolFoundry:
		if !mentionsModules(at) {
			return Packages{}
		}
	case "":
		if !importsPackages(at) {
			return Packages{}
		}
	}
	folder, lock := project.LockFile(at, r.Top)
	described := readPackage(folder)
	if lock == "" || p.Tool == settings.ToolFoundry && len(described.Dependencies)+len(described.Development) == 0 {
		return Packages{}
	}
	relative, err := filepath.Rel(r.Top, folder)
	if err != nil {
		return Packages{}
	}
	found := Packages{Manager: "npm", Folder: filepath.ToSlash(relative), Lock: lock}
	switch {
	case strings.HasPrefix(lock, "yarn"):
		version, _ := strings.CutPrefix(described.Manager, "yarn@")
		found.Manager, found.Berry = "yarn", version != "" && version != described.Manager && !strings.HasPrefix(version, "1.")
	case strings.HasPrefix(lock, "pnpm"):
		found.Manager = "pnpm"
	case strings.HasPrefix(lock, "bun"):
		found.Manager = "bun"
	}
	return found
}

// mentionsModules reports whether a Foundry project takes sources from node_modules.
func mentionsModules(at string) bool {
	return slices.ContainsFunc([]string{settings.FoundryFile, "remappings.txt"}, func(name string) bool {
		text, err := settings.Read(filepath.Join(at, name))
		return err == nil && strings.Contains(text, "node_modules")
	})
}

// importsPackages reports whether sources import what is not in the project's own folders.
func importsPackages(at string) bool {
	known, err := change.Everything(at)
	if err != nil {
		return false // it has no sources
	}
	for i := range known.Diff.Files {
		text, err := files.ReadRegular(filepath.Join(topOf(at), filepath.FromSlash(known.Diff.Files[i].NewPath)), maxSource)
		if err != nil {
			continue
		}
		for _, imported := range solidity.Imports(text) {
			first, _, _ := strings.Cut(imported.Path, "/")
			if _, err := os.Lstat(filepath.Join(at, first)); first != "" && !strings.HasPrefix(first, ".") && err != nil {
				return true
			}
		}
	}
	return false
}

// maxSource bounds a source that is looked at, bytes. Arbitrary: larger than any that compilers take.
const maxSource = 16 << 20

// topOf is what the paths of [change.Everything] are relative to.
func topOf(at string) string {
	if top, err := (&git.Repository{Root: at}).Top(); err == nil {
		return top
	}
	return at
}

// packageFile is what counts of a package.json.
type packageFile struct {
	Manager      string         `json:"packageManager"`
	Dependencies map[string]any `json:"dependencies"`
	Development  map[string]any `json:"devDependencies"`
}

// readPackage reads the package.json of a folder; what is none says nothing.
func readPackage(folder string) packageFile {
	var described packageFile
	if text, err := files.ReadRegular(filepath.Join(folder, "package.json"), maxPackage); err != nil || json.Unmarshal(text, &described) != nil {
		return packageFile{}
	}
	return described
}

// maxPackage bounds a package.json, bytes; arbitrary.
const maxPackage = 1 << 20

// Describe is "Foundry project (foundry.toml)".
func (p *Project) Describe() string {
	if p.Tool == "" {
		return "sources without a build tool: solc compiles them"
	}
	return fmt.Sprintf("%s project (%s)", p.Tool, p.Config)
}
