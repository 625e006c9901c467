package setup

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/docs/workflows"
)

// This file writes a workflow: the published one for the kind of project, with its folders, its package
// manager and its build in their places.

// template is a published workflow, cut into the steps of its jobs.
type template struct {
	parts []string   // the text before the steps of each job
	steps [][]string // of each job, each with its line breaks
	rest  string     // after the last step
}

const stepsKey, stepStart = "    steps:\n", "      - "

// cut cuts a workflow that is laid out as ours are: steps are the last key of a job.
func cut(text string) template {
	var t template
	var part strings.Builder
	inSteps := false
	for line := range strings.Lines(text) {
		switch {
		case inSteps && strings.HasPrefix(line, stepStart):
			last := len(t.steps) - 1
			t.steps[last] = append(t.steps[last], line)
		case inSteps && strings.HasPrefix(line, "      ") && len(t.steps[len(t.steps)-1]) > 0:
			last := len(t.steps) - 1
			t.steps[last][len(t.steps[last])-1] += line
		default:
			inSteps = line == stepsKey
			part.WriteString(line)
			if inSteps {
				t.parts, t.steps = append(t.parts, part.String()), append(t.steps, nil)
				part.Reset()
			}
		}
	}
	t.rest = part.String()
	return t
}

// text is the workflow as one text again.
func (t *template) text() string {
	var b strings.Builder
	for i, part := range t.parts {
		b.WriteString(part)
		b.WriteString(strings.Join(t.steps[i], ""))
	}
	return b.String() + t.rest
}

// step is the step of a job that has a text.
func (t *template) step(job int, with string) string {
	i := slices.IndexFunc(t.steps[job], func(s string) bool { return strings.Contains(s, with) })
	return t.steps[job][i] // a test holds that the published workflows have them
}

// What the published workflows have where a project's own goes.
const (
	action       = "uses: sightline-evm/sightline@" // and main, or in a release's sources its tag
	publishedRef = action + "main\n"
	forgeBuild   = "run: forge build --build-info --ast\n"
	forgeOut     = "out/build-info"
	hardhatBuild = "run: npx hardhat compile --force\n"
	hardhatOut   = "artifacts/build-info"
	npmInstall   = "run: npm ci\n"
	npmCache     = "          cache: npm\n"
	uploads      = "actions/upload-artifact@"
	downloads    = "actions/download-artifact@"
	toolchain    = "foundry-rs/foundry-toolchain@"
	setupNode    = "actions/setup-node@"
	artifactName = "          name: build\n"
	maxMinutes   = "          max-minutes: 15\n"
	corpusKey    = "sightline-corpus:.:"
)

// release is a version that was released: its workflows name the tag.
var release = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// Workflow is the workflow for the projects of a repository. version is the program's: a release
// names itself.
func Workflow(r *Repository, version string) string {
	var built []Project
	for _, p := range r.Projects {
		if p.Tool != "" {
			built = append(built, p)
		}
	}
	var text string
	if len(built) == 0 {
		text = plain(r)
	} else {
		text = withBuild(built)
	}
	if r.Folder != "." {
		text = strings.Replace(text, maxMinutes, "          root: "+r.Folder+"\n"+maxMinutes, 1)
		text = strings.ReplaceAll(text, corpusKey, "sightline-corpus:"+r.Folder+":")
	}
	if release.MatchString(version) {
		text = strings.ReplaceAll(text, publishedRef, action+"v"+version+"\n")
	}
	return text
}

// plain is the workflow where solc alone compiles everything.
func plain(r *Repository) string {
	t := cut(workflows.Plain)
	for _, p := range r.Projects {
		if p.Packages.Manager == "" {
			continue
		}
		steps := t.steps[0]
		t.steps[0] = slices.Concat(steps[:1], p.Packages.install(true), steps[1:])
		break // the others' are in the same place, or they are built by a tool
	}
	return t.text()
}

// withBuild is the workflow with a job that builds projects.
func withBuild(built []Project) string {
	foundry, hardhat := cut(workflows.Foundry), cut(workflows.Hardhat)
	t := foundry
	isFoundry := func(p Project) bool { return p.Tool == settings.ToolFoundry }
	if !slices.ContainsFunc(built, isFoundry) {
		t = hardhat
	}
	build := slices.Clone(t.steps[0][:1]) // the checkout
	if slices.ContainsFunc(built, isFoundry) {
		build = append(build, foundry.step(0, toolchain))
	}
	if i := slices.IndexFunc(built, func(p Project) bool { return p.needsNode() }); i >= 0 {
		build = append(build, built[i].Packages.node(hardhat.step(0, setupNode))...)
	}
	var installed []Packages
	for i, p := range built {
		if !slices.Contains(installed, p.Packages) {
			installed = append(installed, p.Packages)
			build = append(build, p.Packages.install(false)...)
		}
		command := strings.TrimPrefix(p.command(), "run: ")
		build = append(build, in(stepStart+"run: "+command, p.Folder),
			numbered(t.step(0, uploads), i, len(built), p.Build))
	}
	t.steps[0] = build
	var fuzz []string
	for _, s := range t.steps[1] {
		switch {
		case strings.Contains(s, downloads):
			for i, p := range built {
				fuzz = append(fuzz, numbered(s, i, len(built), p.Build))
			}
		case strings.Contains(s, action):
			fuzz = append(fuzz, naming(s, built))
		default:
			fuzz = append(fuzz, s)
		}
	}
	t.steps[1] = fuzz
	text := t.text()
	if len(built) == 1 && built[0].Tool == settings.ToolTruffle {
		text = strings.Replace(text, "# A Hardhat project. A build runs code of the pull request (hardhat.config.js,", "# A truffle project. A build runs code of the pull request ("+built[0].Config+",", 1)
	}
	return text
}

// needsNode reports whether a build runs in Node.js, or installs packages with it.
func (p *Project) needsNode() bool {
	return p.Tool != settings.ToolFoundry || p.Packages.Manager != "" && p.Packages.Manager != "soldeer"
}

// command is what builds a project, as a step's key.
func (p *Project) command() string {
	switch p.Tool {
	case settings.ToolFoundry:
		return forgeBuild
	case settings.ToolTruffle:
		return "run: npx truffle compile --all\n"
	}
	return hardhatBuild
}

// in runs a step in a folder.
func in(step, folder string) string {
	if folder == "." {
		return step
	}
	return step + "        working-directory: " + folder + "\n"
}

// numbered is a step that hands a build on, of one of several projects.
func numbered(step string, i, of int, build string) string {
	if of > 1 {
		step = strings.Replace(step, artifactName, fmt.Sprintf("          name: build-%d\n", i+1), 1)
	}
	for _, published := range []string{forgeOut, hardhatOut} {
		step = strings.Replace(step, "path: "+published+"\n", "path: "+build+"\n", 1)
	}
	return step
}

// naming names the builds to the action.
func naming(step string, built []Project) string {
	builds := " " + built[0].Build + "\n"
	if len(built) > 1 {
		builds = " |\n"
		for _, p := range built {
			builds += "            " + p.Build + "\n"
		}
	}
	for _, published := range []string{forgeOut, hardhatOut} {
		step = strings.Replace(step, "build: "+published+"\n", "build:"+builds, 1)
	}
	return step
}

// node are the steps that set up Node.js for a package manager: the published one caches npm's packages.
func (k *Packages) node(published string) []string {
	cache := ""
	if k.Lock != "package.json" && (k.Manager == "npm" || k.Manager == "yarn" && !k.Berry) { // pnpm and yarn 2 must be there before
		cache = strings.Replace(npmCache, "npm", k.Manager, 1)
		if k.Folder != "." {
			cache += "          cache-dependency-path: " + path.Join(k.Folder, k.Lock) + "\n"
		}
	}
	steps := []string{strings.Replace(published, npmCache, cache, 1)}
	if k.Manager == "pnpm" || k.Berry {
		steps = append(steps, stepStart+"run: corepack enable\n")
	}
	return steps
}

// Command installs the packages; empty where none are needed.
func (k *Packages) Command() string {
	switch {
	case k.Manager == "":
		return ""
	case k.Manager == "soldeer":
		return "forge soldeer install"
	case k.Berry:
		return "yarn install --immutable"
	case k.Manager == "bun":
		return "npx --yes bun install --frozen-lockfile"
	case k.Manager != "npm":
		return k.Manager + " install --frozen-lockfile"
	case k.Lock == "package.json":
		return "npm install"
	}
	return strings.TrimSuffix(strings.TrimPrefix(npmInstall, "run: "), "\n")
}

// install are the steps that install packages; next to the check, they run none of what they install.
func (k *Packages) install(nextToCheck bool) []string {
	command := k.Command()
	if command == "" {
		return nil
	}
	var steps []string
	if nextToCheck {
		command += map[bool]string{true: " --mode=skip-build", false: " --ignore-scripts"}[k.Berry]
		if k.Manager == "pnpm" || k.Berry {
			steps = append(steps, stepStart+"run: corepack enable\n")
		}
	}
	return append(steps, in(stepStart+"run: "+command+"\n", k.Folder))
}
