package project

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/child"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
)

// This file says what to do when a project's own tool fails because something is
// missing here: an environment variable, which children do not get, or a dependency
// that is not installed.

// remedyTool is the advice when nothing better is known.
const remedyTool = "run it in the project's folder and repair what it says, or give a build with --build"

// advise says what to do about a tool's failure, given the end of what it said, and the lines
// of a workflow that do it where they are known.
func (f *finder) advise(c command, said string) (remedy, workflow string) {
	missing := f.missingVariables(c)
	if name := namedVariable(said, missing); name != "" {
		return needsVariables([]string{name})
	}
	if name := missingDependency(said); name != "" {
		command, workflow := installCommand(f.root, cmp.Or(f.Compilers.Repository, f.root), name)
		return fmt.Sprintf("the dependency %s is not installed: %s", reading.Shorten(name), cmp.Or(command, "install it before Sightline runs")), workflow
	}
	if len(missing) > 0 && failsForVariables(said) {
		return needsVariables(missing)
	}
	return remedyTool, ""
}

// needsVariables is the advice for variables that a build does not get.
func needsVariables(names []string) (remedy, workflow string) {
	var flags []string
	env, with := "", ""
	for _, name := range names {
		flags = append(flags, "--build-env "+name)
		env += fmt.Sprintf("    %s: \"…\"  # any value of the right form\n", name)
		with += fmt.Sprintf("      %s\n", name)
	}
	noun, them := "variable", "it"
	if len(names) > 1 {
		noun, them = "variables", "them"
	}
	return fmt.Sprintf("the project's configuration reads the %s %s of the environment, which the build does not get: set %s, for compiling to any value of the right form, and name %s with %s",
		noun, strings.Join(names, ", "), them, them, strings.Join(flags, " ")), "# in the step of Sightline\n- env:\n" + env + "  with:\n    build-env: |\n" + with
}

// missingVariables lists the variables that the configuration reads and that the
// build does not get, in their order.
func (f *finder) missingVariables(c command) []string {
	given := map[string]bool{}
	for _, name := range slices.Concat(child.AllowedEnvironment, toolEnvironment) {
		given[name] = true // as far as they are set
	}
	for _, variable := range f.environment(place{}, c) {
		name, _, _ := strings.Cut(variable, "=")
		given[name] = true
	}
	var missing []string
	for _, config := range settings.Configurations {
		text, err := settings.Read(filepath.Join(f.root, config))
		if err != nil {
			continue
		}
		for _, name := range readVariables(text) {
			if !given[name] && !slices.Contains(missing, name) {
				missing = append(missing, name)
			}
		}
	}
	return missing
}

// variableRead is how configurations read variables: process.env.NAME and
// process.env["NAME"], Hardhat 3's configVariable("NAME"), "${NAME}" in
// foundry.toml, and, second, Hardhat 2's vars.get("NAME"). In JavaScript "${NAME}"
// is any expression; by custom none looks like a variable's name.
var variableRead = regexp.MustCompile(`(?:process\.env\.|process\.env\[["']|configVariable\(\s*["']|\$\{)([A-Za-z_]\w*)|vars\.get\(\s*["']([A-Za-z_]\w*)`)

// hardhatPrefix is what the names of Hardhat 2's configuration variables have in
// front in the environment (vars-manager.ts of 2.26).
const hardhatPrefix = "HARDHAT_VAR_"

// readVariables lists the names of the variables that a configuration reads; they
// are written in capitals.
func readVariables(config string) []string {
	const most = 20 // arbitrary: what a message can list
	var names []string
	for line := range strings.Lines(config) {
		if text := strings.TrimSpace(line); strings.HasPrefix(text, "//") || strings.HasPrefix(text, "#") {
			continue
		}
		for _, m := range variableRead.FindAllStringSubmatch(line, -1) {
			name := m[1]
			if m[2] != "" {
				name = hardhatPrefix + m[2]
			}
			if len(names) < most && !slices.Contains(names, name) && strings.ToUpper(name) == name {
				names = append(names, name)
			}
		}
	}
	return names
}

// toldVariable are the ways in which Hardhat says that a configuration variable is
// not set (HH1201 of 2.26, HHE7 of 3.18), and those of configurations.
var toldVariable = regexp.MustCompile(`(?i:configuration variable|environment variable|env var)\s+["'` + "`" + `]?([A-Z][A-Z0-9_]{2,60})\b`)

// namedVariable is the variable that a tool says it misses: by its own words, or a
// missing one that it mentions. Empty when it mentions none.
func namedVariable(said string, missing []string) string {
	if m := toldVariable.FindStringSubmatch(said); m != nil {
		if strings.Contains(said, "hardhat vars set "+m[1]) {
			return hardhatPrefix + m[1]
		}
		return m[1]
	}
	for _, name := range missing {
		if mentioned, err := regexp.MatchString(`\b`+regexp.QuoteMeta(name)+`\b`, said); err == nil && mentioned {
			return name
		}
	}
	return ""
}

// configFailures are what a configuration leads to that reads a variable which is
// not set: Hardhat's HH8 (2.26) and HHE15 (3.18), and JavaScript's own errors with
// the configuration on the stack.
var configFailures = regexp.MustCompile(`\bHH8\b|\bHHE15\b|hardhat\.config\.[cm]?[jt]s:\d|truffle-config\.js:\d`)

func failsForVariables(said string) bool { return configFailures.MatchString(said) }

// dependencyMissing are the ways in which tools say that something is not
// installed: solc and forge of an import, Hardhat 2 (HH411) and 3 of one, node of a
// module.
var dependencyMissing = regexp.MustCompile(`Source "([^"\n]+)" not found|The library ([^,\n]+), imported from [^,\n]+, is not installed|` +
	`error while resolving the import "([^"\n]+)" from|Cannot find (?:module|package) '([^'\n]+)'`)

// missingDependency is what a tool says is not installed; empty when it does not.
func missingDependency(said string) string {
	for _, m := range dependencyMissing.FindAllStringSubmatch(said, -1) {
		if name := cmp.Or(m[1:]...); !strings.HasPrefix(name, ".") && !filepath.IsAbs(name) {
			return name
		}
	}
	return ""
}

// lockFiles are the lock files of package managers, and what installs what they
// say.
var lockFiles = []struct{ file, command string }{
	{"package-lock.json", "npm ci"},
	{"npm-shrinkwrap.json", "npm ci"},
	{"yarn.lock", "yarn install --frozen-lockfile"},
	{"pnpm-lock.yaml", "pnpm install --frozen-lockfile"},
	{"bun.lock", "bun install --frozen-lockfile"},
	{"bun.lockb", "bun install --frozen-lockfile"},
	{"soldeer.lock", "forge soldeer install"},
	{"package.json", "npm install"},
	{"foundry.toml", "forge install"},
}

// LockFile is the nearest file that names the JavaScript packages of the project at root, a lock file or else
// package.json, and the folder that has it: root or one above, up to the repository. Empty when there is none.
func LockFile(root, repository string) (folder, file string) {
	for folder := root; ; folder = filepath.Dir(folder) {
		for _, lock := range lockFiles {
			if strings.HasPrefix(lock.command, "forge ") {
				continue
			}
			if info, err := os.Lstat(filepath.Join(folder, lock.file)); err == nil && info.Mode().IsRegular() {
				return folder, lock.file
			}
		}
		if folder == repository || folder == filepath.Dir(folder) {
			return "", ""
		}
	}
}

// installCommand says what installs the dependencies of the project at root: a
// submodule that is not checked out, else by the nearest lock file, for people and as
// lines of a workflow. Empty when nothing says so. missing is what was not found, if known.
func installCommand(root, repository, missing string) (command, workflow string) {
	if place := emptySubmodule(repository, missing); place != "" {
		return fmt.Sprintf("the submodule %s is not checked out, run `git submodule update --init --recursive` (in a workflow, `submodules: recursive` of the checkout step)", place), workflowSubmodules
	}
	for folder := root; ; folder = filepath.Dir(folder) {
		for _, lock := range lockFiles {
			if _, err := os.Stat(filepath.Join(folder, lock.file)); err != nil {
				continue
			}
			if by := installerOf(missing); by != "" && exists(filepath.Join(folder, "foundry.toml")) {
				lock.command = by
			}
			where, step := "", "- run: "+lock.command+"  # before Sightline\n"
			if strings.HasPrefix(lock.command, "forge ") {
				step = "- uses: foundry-rs/foundry-toolchain@v1.4.0\n" + step
			}
			if relative, err := filepath.Rel(repository, folder); err == nil && relative != "." && filepath.IsLocal(relative) {
				where = " in " + filepath.ToSlash(relative)
				step += fmt.Sprintf("  working-directory: %q\n", filepath.ToSlash(relative))
			}
			return fmt.Sprintf("run `%s`%s before Sightline (in a workflow, in a step of its own)", lock.command, where), step
		}
		if folder == repository || folder == filepath.Dir(folder) {
			return "", ""
		}
	}
}

// installerOf is what installs below the folder of a Foundry project that a missing file would be in; empty: no folder says so.
func installerOf(missing string) string {
	switch folder, _, _ := strings.Cut(missing, "/"); folder {
	case "dependencies":
		return "forge soldeer install"
	case "lib":
		return "forge install"
	}
	return ""
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// workflowSubmodules checks out submodules.
const workflowSubmodules = `- uses: actions/checkout@v4
  with:
    fetch-depth: 2
    submodules: recursive
    persist-credentials: false
`

// emptySubmodule is a submodule whose folder has nothing in it: the one whose folder's name
// is part of the path that is missing, else the first. Empty when there is none.
func emptySubmodule(repository, missing string) string {
	text, err := settings.Read(filepath.Join(repository, ".gitmodules"))
	if err != nil {
		return ""
	}
	first := ""
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "=")
		place := strings.TrimSpace(value)
		if strings.TrimSpace(key) != "path" || !filepath.IsLocal(filepath.FromSlash(place)) {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(repository, filepath.FromSlash(place)))
		if !os.IsNotExist(err) && (err != nil || len(entries) > 0) {
			continue
		}
		if slices.Contains(strings.Split(missing, "/"), path.Base(place)) {
			return place
		}
		first = cmp.Or(first, place)
	}
	return first
}
