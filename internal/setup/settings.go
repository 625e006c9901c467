package setup

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/project"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/report"
)

// This file writes sightline.yml: the settings of which a project has a use, each with its reason.

// maxReason bounds a reason in a comment, characters; arbitrary.
const maxReason = 300

// Settings is a configuration for the projects of a repository. survey is what was seen of its last
// change; nil where it could not be deployed.
func Settings(r *Repository, survey *report.Report) string {
	var b strings.Builder
	b.WriteString(`# Settings of Sightline for this project. docs/configuration.md of Sightline explains every key; flags of the command
# line and inputs of the action override them. On a pull request, the version of the base branch applies.
# sightline init --check looks for mistakes in this file and in the workflow.
`)
	b.WriteString(timeout(survey))
	b.WriteString(`

# The lowest severity of a finding that fails the check: low, medium, high or critical. To begin with, none
# reports without failing.
fail-on: high
`)
	if unbuilt := r.unbuilt(); len(unbuilt) > 0 {
		b.WriteString("\n# No build tool of this repository builds the contracts there, so that their lines cannot be fuzzed.\nignore:\n")
		for _, folder := range unbuilt {
			fmt.Fprintf(&b, "  - /%s/\n", folder)
		}
	}
	b.WriteString(`
# Failing checks of the compiler count as findings only if they are named here: overflow, division by zero, array bounds.
# panics: ["0x11", "0x12", "0x32"]
`)
	if survey != nil {
		b.WriteString(deployments(survey))
	}
	return b.String()
}

// The time for which a change is fuzzed, in seconds.
const (
	// usualTimeout is as long as people wait for a check; arbitrary.
	usualTimeout = 120
	// slowestRate is in executions per second: two cores that ran other tests as well had 1,600 with every line of
	// @openzeppelin/contracts a target.
	slowestRate = 1000
	// maxTimeout leaves a third of the time that the written workflows give a run (max-minutes) to its other steps.
	maxTimeout = 600
)

// timeout is the setting of how long to fuzz: longer than usual where what was seen has so many targets that a
// slow campaign would have too few executions for them, see [report.Needed].
func timeout(survey *report.Report) string {
	seconds := usualTimeout
	for survey != nil && seconds < maxTimeout && report.Needed(len(survey.Targets), report.Limits{Seconds: float64(seconds)}) > uint64(slowestRate*seconds) {
		seconds += 60
	}
	if seconds == usualTimeout {
		return fmt.Sprintf(`
# How long to fuzz, in seconds. Two minutes are as long as people wait for a check; lines that are not reached in
# that time need more.
timeout: %d
`, seconds)
	}
	return fmt.Sprintf(`
# How long to fuzz, in seconds. What sightline init saw has %s: a slow campaign needs so long for
# enough executions of each, and else ends as starved. A smaller change does with the usual %d.
timeout: %d
`, human.Plural(len(survey.Targets), "target"), usualTimeout, seconds)
}

// deployments are steps for the contracts that could not be deployed, as comments: the arguments are
// for people to say.
func deployments(survey *report.Report) string {
	var steps strings.Builder
	for _, blocked := range survey.Blocked() {
		if blocked.YAML == "" {
			continue
		}
		fmt.Fprintf(&steps, "#   # %s: %s\n", human.Clean(blocked.Place, maxReason), human.Clean(blocked.Why, maxReason))
		for line := range strings.Lines(blocked.YAML) {
			steps.WriteString("# " + line)
		}
	}
	if steps.Len() == 0 {
		return ""
	}
	return "\n# What is deployed, and how. These contracts could not be deployed by trying; name what else they need above them.\n# deploy:\n" + steps.String()
}

// unbuilt lists the folders below the projects that hold contracts which no build has, relative to the
// repository. Where a folder holds anything that is built, it is not among them.
func (r *Repository) unbuilt() []string {
	known, err := change.Everything(r.Root)
	if err != nil {
		return nil // the project has no sources of its own
	}
	var folders []string // relative to the root
	for _, p := range r.Projects {
		below, err := filepath.Rel(filepath.FromSlash(r.Folder), filepath.FromSlash(p.Folder))
		if err != nil || p.Tool == "" {
			return nil // solc alone compiles whatever there is
		}
		folders = append(folders, filepath.ToSlash(below))
	}
	built := map[string]bool{}
	for _, file := range project.Followed(r.Root, folders, solc.Options{Root: r.Root, Repository: r.Top}) {
		if relative, err := filepath.Rel(r.Top, filepath.FromSlash(file)); err == nil {
			built[filepath.ToSlash(relative)] = true
		}
	}
	holds := map[string]bool{} // by folder: whether something of it is built
	for i := range known.Diff.Files {
		file := known.Diff.Files[i].NewPath
		p, below := r.owner(file)
		folder, _, inFolder := strings.Cut(below, "/")
		if p == nil || !inFolder {
			continue
		}
		at := path.Join(p.Folder, folder)
		holds[at] = holds[at] || built[file] || slices.Contains(p.sources(r.Top), folder)
	}
	var unbuilt []string
	for folder, isBuilt := range holds {
		if !isBuilt && safePath.MatchString(folder) {
			unbuilt = append(unbuilt, folder)
		}
	}
	slices.Sort(unbuilt)
	return unbuilt
}

// owner is the project in whose folder a file of the repository lies, and its path from there.
func (r *Repository) owner(file string) (owner *Project, below string) {
	for i := range r.Projects {
		p := &r.Projects[i]
		rest, inside := strings.CutPrefix(file, p.Folder+"/")
		if p.Folder == "." {
			rest, inside = file, true
		}
		if inside && (owner == nil || len(p.Folder) > len(owner.Folder)) {
			owner, below = p, rest
		}
	}
	return owner, below
}

// sources are the first folders of the paths at which a tool finds what it compiles.
func (p *Project) sources(top string) []string {
	at := filepath.Join(top, filepath.FromSlash(p.Folder))
	names := []string{"contracts", "src"}
	if p.Tool == settings.ToolFoundry {
		layout, err := settings.FoundryLayout(at, noEnvironment)
		if err != nil {
			return everyFolder(at) // whatever it says is not known
		}
		names = slices.Concat(layout.Folders(), layout.Libs, names)
	} else if text, err := settings.Read(filepath.Join(at, p.Config)); err != nil || strings.Contains(text, "sources") {
		return everyFolder(at) // it may name another folder, in any way that JavaScript has
	}
	for i, name := range names {
		names[i], _, _ = strings.Cut(name, "/")
	}
	return names
}

// everyFolder lists the folders in a folder.
func everyFolder(at string) []string {
	entries, err := os.ReadDir(at)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
