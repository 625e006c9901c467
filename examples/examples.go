// Package examples holds small contract projects, each as the two sides of a pull request, with their
// built output. The demo command and tests run on them without a compiler.
package examples

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// files has one folder per example. README.md says what each example is for; build.mjs writes pr.diff and
// build.
//
//go:embed crowdsale token vault
var files embed.FS

// Compiler is the version of solc that build.mjs made the built output with; it
// is the one of testdata/npm, which a test holds.
const Compiler = "0.8.30"

// Names lists the examples in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(fmt.Sprintf("examples: the embedded root cannot be read: %v", err))
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// Load returns the files of an example:
//
//   - base/src/*.sol and head/src/*.sol, the sources of the two sides
//   - pr.diff, the unified diff from base to head, with paths relative to a side's folder (a/src/…, b/src/…)
//   - build/{base,head}.{input,output}.json, solc's standard JSON, with the same relative paths as source
//     unit names
//   - README.md, what the pull request changes and what a campaign is to find
//
// An unknown name is an error that lists the known ones.
func Load(name string) (fs.FS, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("no example is named %q; there are: %s", name, strings.Join(Names(), ", "))
	}
	return fs.Sub(files, name)
}
