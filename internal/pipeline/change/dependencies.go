package change

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/git"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// dependencies are the changes to what the project's sources import, known or possible:
// none of them shows in the diff's own lines.
type dependencies struct {
	diff     *unified.Diff     // inside of submodules, with paths of the repository
	pins     []unified.Pin     // submodules that changed
	problems map[string]string // by submodule: why it is not known what changed in it
	settings []string          // changed files that decide settings or what imports mean, in ways that are not known
	own      []ownSettings     // changed files of which it is known
	packages []changedPackages // changed files that say which packages are installed
}

// ownSettings is a settings file of which the base has another version.
type ownSettings struct {
	file string
	settings.Difference
}

// readDependencies finds out what changed besides the sources, and records what cannot be
// known: the base version is never compiled with dependencies that are not its own.
func (c *Change) readDependencies(ctx context.Context) {
	c.deps = dependencies{diff: &unified.Diff{}, pins: c.Diff.Pins()}
	for _, f := range diffmap.ChangedSettings(c.Diff) {
		file := f.Path()
		switch d := c.compareSettings(f); {
		case path.Base(file) == "package.json" && c.locked(file) || !d.Any():
		case d.Unknown:
			c.deps.settings = append(c.deps.settings, file)
		default:
			if len(d.Names) > 0 {
				c.deps.own = append(c.deps.own, ownSettings{file, d})
			}
			if len(d.Packages) > 0 && !c.locked(file) {
				c.deps.packages = append(c.deps.packages, changedPackages{file: file, names: d.Packages})
			}
		}
	}
	c.findUsedPackages()
	if len(c.deps.pins) > 0 {
		c.deps.diff, c.deps.problems = (&git.Repository{Root: c.Paths.Checkout, Matters: Matters, Commits: c.options.Known != nil}).InSubmodules(ctx, c.Diff)
	}
}

// compareSettings compares the two versions of a settings file.
func (c *Change) compareSettings(f *unified.File) settings.Difference {
	if f.Status != unified.Modified {
		return settings.Difference{Unknown: true}
	}
	head, err := c.read(f.NewPath)
	if err != nil {
		return settings.Difference{Unknown: true}
	}
	base, err := f.OldText(head)
	if err != nil {
		return settings.Difference{Unknown: true}
	}
	return settings.Compare(f.Path(), base, head, os.Getenv)
}

// locked reports whether a file is a package.json whose dependencies are pinned by a lock
// file next to it, from which npm ci and the like install them.
func (c *Change) locked(file string) bool {
	return path.Base(file) == "package.json" && slices.ContainsFunc(
		[]string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"},
		func(lock string) bool {
			_, err := c.read(path.Join(path.Dir(file), lock))
			return err == nil
		})
}

// mayChangeCode reports whether what changed besides the sources is worth a build.
func (d *dependencies) mayChangeCode(baseBuilds []string) bool {
	sources := slices.ContainsFunc(d.diff.Files, func(f unified.File) bool { return IsSource(f.Path()) })
	return sources || slices.ContainsFunc(d.own, remaps) || len(baseBuilds) > 0 && d.others()
}

// changesLanguage reports whether a settings file names a compiler of another language than the
// base's version of it does: arithmetic is not checked before 0.8.0.
func (c *Change) changesLanguage() bool {
	return slices.ContainsFunc(c.deps.own, func(s ownSettings) bool {
		base, err := solc.ParseVersion(s.Solc)
		folder := filepath.Join(c.Paths.Checkout, filepath.FromSlash(path.Dir(s.file)))
		head, other := solc.ParseVersion(settings.CodeSettings(folder, os.Getenv).Solc)
		return err == nil && (other != nil || head.Major != base.Major || head.Minor != base.Minor)
	})
}

// remaps reports whether imports mean other files by a changed settings file: that changes code
// as an edit does.
func remaps(s ownSettings) bool { return len(s.Removed)+len(s.Added) > 0 }

// unread names what changed besides the sources, with what is known of its effect on
// code.
func (d *dependencies) unread() []report.Unread {
	var list []report.Unread
	for _, place := range slices.Sorted(maps.Keys(d.problems)) {
		list = append(list, report.Unread{File: place, Reason: "a submodule: what changed in it is not known"})
	}
	for _, own := range d.own {
		list = append(list, report.Unread{File: own.file, Reason: fmt.Sprintf("%s: settings that may change the code of contracts, but no line of it", strings.Join(own.Names, ", "))})
	}
	for _, file := range d.settings {
		list = append(list, report.Unread{File: file, Reason: "settings or dependencies: what they change in the code is not known"})
	}
	for _, p := range d.usedPackages() {
		list = append(list, report.Unread{File: p.file, Reason: fmt.Sprintf("%s, which sources import: what changed in the code is not known", human.Printable(p.described()))})
	}
	return list
}

// others reports whether anything changed besides the sources.
func (d *dependencies) others() bool {
	return len(d.pins)+len(d.settings)+len(d.own)+len(d.usedPackages()) > 0
}

// warn says why changes besides those to the sources are not compared.
func (d *dependencies) warn(log *progress.Log) {
	for _, place := range slices.Sorted(maps.Keys(d.problems)) {
		log.Warn("the submodule %s changed, with unknown effect on the code: %s; or pass the base's own build as --base-build", human.Printable(place), d.problems[place])
	}
	if n := len(d.settings); n > 0 {
		log.Warn("%s changed, with unknown effect on the code: pass the base's own build, made with its settings and dependencies, as --base-build",
			human.Printable(d.settings[0])+human.More(n-1))
	}
	for _, p := range d.usedPackages() {
		log.Warn("%s changed, and with it what sources import (%s), with unknown effect on the code: pass the base's own build, made with its dependencies, as --base-build",
			human.Printable(p.file), human.Printable(p.described()))
	}
}

// warnAlone says that settings changed without a source: there is no line to reach.
func (d *dependencies) warnAlone(log *progress.Log) {
	for i := range d.own {
		log.Warn("%s changed, which may change the code of contracts, but no source did: nothing is fuzzed", human.Printable(d.own[i].describe()))
	}
}

// causes names what changed besides the sources.
func (d *dependencies) causes() []string {
	var causes []string
	for _, pin := range d.pins {
		causes = append(causes, fmt.Sprintf("submodule %s (%s to %s)", pin.Path, commit(pin.Old), commit(pin.New)))
	}
	for _, own := range d.own {
		causes = append(causes, own.describe())
	}
	for _, p := range d.usedPackages() {
		causes = append(causes, fmt.Sprintf("%s (%s)", p.file, p.described()))
	}
	return append(causes, d.settings...)
}

// describe names a file with the settings in it that changed: "foundry.toml (evm_version)".
func (s *ownSettings) describe() string {
	return fmt.Sprintf("%s (%s)", s.file, strings.Join(s.Names, ", "))
}

// ownOf lists the base's own settings of the project of an output.
func (c *Change) ownOf(o *compile.Output) []ownSettings {
	var own []ownSettings
	for _, s := range c.deps.own {
		if affects(s.file, o, c.Paths.Root) {
			own = append(own, s)
		}
	}
	return own
}

func commit(id string) string {
	if id == "" {
		return "none"
	}
	return human.Revision(id)
}

// affects reports whether a changed settings file may decide how the project of an
// output is built: it lies in the project, or above it.
func affects(file string, o *compile.Output, root string) bool {
	folder, project := path.Dir(file), path.Join(path.Clean(root), o.Folder)
	within := func(inner, outer string) bool {
		return outer == "." || inner == outer || strings.HasPrefix(inner, outer+"/")
	}
	return within(folder, project) || within(project, folder)
}

// unknownOfBase is a changed file or submodule that makes the settings or dependencies of
// a build's base version unknown; empty where they are known.
func (c *Change) unknownOfBase(o *compile.Output) string {
	for _, file := range c.deps.settings {
		if affects(file, o, c.Paths.Root) {
			return file
		}
	}
	if p := c.packageOfOutput(o); p != "" {
		return p
	}
	for _, s := range o.Sources {
		file, below := strings.CutPrefix(s.File, filepath.ToSlash(c.Paths.Checkout)+"/")
		if place := c.unknownSubmodule(file); below && place != "" {
			return place
		}
	}
	return ""
}

// unknownSubmodule is the submodule that holds a file of the repository, if its changes
// are unknown; empty otherwise.
func (c *Change) unknownSubmodule(file string) string {
	for _, place := range slices.Sorted(maps.Keys(c.deps.problems)) {
		if strings.HasPrefix(file, place+"/") {
			return place
		}
	}
	return ""
}
