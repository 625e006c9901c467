// Package solc finds compilers, downloads them and runs them: native programs, and
// soljson.js by node.
package solc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
)

// Options say where a solc may be looked for.
type Options struct {
	// Solc is the path of the compiler to use (--solc), see [Open].
	// Empty: the environment variable SOLC, then PATH, the compiler that the
	// project's foundry.toml names, the caches of Foundry and Hardhat, and
	// node_modules.
	Solc string
	// Root is the project's root: node_modules is looked for there and in every
	// folder above it, as node does. Empty: no node_modules.
	Root string
	// Repository is a folder that holds Root and that sources may be read from:
	// where remappings and symbolic links of a project lead to another one's.
	// Empty: Root.
	Repository string
	// NodeModules are further node_modules folders.
	NodeModules []string
	// Home is the user's folder, below which Foundry and Hardhat keep compilers.
	// Empty: the environment's.
	Home string
	// List is the address of a list of solc binaries, from which a compiler is
	// downloaded that is in none of these places; empty for none.
	List string
	// Cache is the folder in which the versions of soljson files are remembered;
	// empty: nothing is.
	Cache  string
	Limits reading.Limits
}

// Find finds the newest solc that satisfies every pragma, see
// [solidity.Pragmas] and [Range]. A compiler named by options or SOLC is the only
// candidate. The error lists the pragmas and what was found.
func Find(ctx context.Context, pragmas []string, options Options) (*Compiler, error) {
	ranges, err := parseRanges(pragmas)
	if err != nil {
		return nil, err
	}
	found, err := findCompilers(ctx, options)
	if err != nil {
		return nil, err
	}
	fits := slices.DeleteFunc(slices.Clone(found), func(c *Compiler) bool { return !satisfies(c.version, ranges) })
	// Stable: of equal versions the first one wins.
	slices.SortStableFunc(fits, func(a, b *Compiler) int { return b.version.Compare(a.version) })
	var broken error
	for _, c := range fits {
		if c.long != "" {
			return c, nil
		}
		// What lies in a cache need not run here.
		err := c.identify(ctx)
		if err == nil || ctx.Err() != nil {
			return c, err
		}
		if broken == nil {
			broken = err
		}
	}
	if c, err := options.download(ctx, ranges); c != nil || err != nil {
		return c, err
	}
	if broken != nil {
		return nil, broken
	}
	return nil, noCompiler(ranges, found)
}

// download downloads a compiler, where that is wanted and none was named.
func (options Options) download(ctx context.Context, ranges []Range) (*Compiler, error) {
	if options.List == "" || cmp.Or(options.Solc, os.Getenv("SOLC")) != "" {
		return nil, nil
	}
	return downloadCompiler(ctx, ranges, options)
}

// parseRanges reads the distinct pragmas.
func parseRanges(pragmas []string) ([]Range, error) {
	distinct := slices.Clone(pragmas)
	slices.Sort(distinct)
	var ranges []Range
	for _, text := range slices.Compact(distinct) {
		r, err := ParseRange(text)
		if err != nil {
			return nil, &reading.Error{Kind: ErrNoCompiler, Problem: err.Error(), Cause: err, Remedy: "correct the pragma"}
		}
		ranges = append(ranges, r)
	}
	return ranges, nil
}

func satisfies(v Version, ranges []Range) bool {
	return !slices.ContainsFunc(ranges, func(r Range) bool { return !r.Matches(v) })
}

// noCompiler says what would fit and what there is.
func noCompiler(ranges []Range, found []*Compiler) error {
	wanted := make([]string, len(ranges))
	for i, r := range ranges {
		wanted[i] = fmt.Sprintf("%q", reading.Shorten(r.String()))
	}
	have := "no solc was found"
	if len(found) > 0 {
		versions := make([]string, len(found))
		for i, c := range found {
			versions[i] = c.version.String()
		}
		have = "found solc " + strings.Join(versions, ", ")
	}
	return &reading.Error{Kind: ErrNoCompiler,
		Problem: fmt.Sprintf("no solc satisfies pragma %s: %s", strings.Join(wanted, " and "), have),
		Remedy:  "name one with --solc or SOLC, put it in PATH, or install it in the project: npm install --save-dev solc@VERSION"}
}

// findCompilers lists the candidates; of equal versions the first one wins.
func findCompilers(ctx context.Context, options Options) ([]*Compiler, error) {
	limits := options.Limits.WithDefaults()
	if named := cmp.Or(options.Solc, os.Getenv("SOLC")); named != "" {
		if !strings.ContainsAny(named, `/\`) { // a program's name, such as solc-0.8.30
			if program, err := exec.LookPath(named); err == nil {
				named = program
			}
		}
		c, err := openCompiler(ctx, named, options)
		if err != nil {
			return nil, err
		}
		return []*Compiler{c}, nil
	}
	var found []*Compiler
	for _, program := range namedCompilers(options.Root) {
		// Something else may be called solc; then it is not a candidate.
		c, err := openCompiler(ctx, program, options)
		if ctx.Err() != nil {
			return nil, err
		}
		if err == nil {
			found = append(found, c)
		}
	}
	node, err := findNode()
	if err != nil {
		node = ""
	}
	found = append(found, cachedCompilers(firstHome(options.Home), node, limits)...)
	if node != "" {
		for _, folder := range ModuleFolders(options) {
			for _, c := range packagedCompilers(folder) {
				c.node, c.limits = node, limits
				found = append(found, c)
			}
		}
	}
	for _, c := range found {
		c.cache = options.Cache
	}
	return found, nil
}

// namedCompilers are the solc of PATH and the one that foundry.toml names by its
// path.
func namedCompilers(root string) []string {
	var programs []string
	if program, err := exec.LookPath("solc"); err == nil {
		programs = append(programs, program)
	}
	if root == "" {
		return programs
	}
	if settings, err := settings.FoundryPaths(root, os.Getenv); err == nil && settings.Solc != "" {
		programs = append(programs, settings.Solc)
	}
	return programs
}

// ModuleFolders lists where node would look for packages, nearest first.
func ModuleFolders(options Options) []string {
	var folders []string
	if options.Root != "" {
		if root, err := filepath.Abs(options.Root); err == nil {
			for {
				folders = append(folders, filepath.Join(root, "node_modules"))
				parent := filepath.Dir(root)
				if parent == root {
					break
				}
				root = parent
			}
		}
	}
	return append(folders, options.NodeModules...)
}

// packagedCompilers lists the npm packages solc in a node_modules folder, by
// version: also under other names, as "npm install solc-0.8.17@npm:solc@0.8.17"
// installs them.
func packagedCompilers(folder string) []*Compiler {
	packages, err := os.ReadDir(folder)
	if err != nil {
		return nil // most folders have none
	}
	var found []*Compiler
	for _, entry := range packages {
		if !strings.HasPrefix(entry.Name(), "solc") {
			continue
		}
		directory := filepath.Join(folder, entry.Name())
		text, err := os.ReadFile(filepath.Join(directory, "package.json"))
		if err != nil {
			continue
		}
		var description struct{ Name, Version string }
		if json.Unmarshal(text, &description) != nil || description.Name != "solc" {
			continue
		}
		version, err := ParseVersion(description.Version)
		if err != nil {
			continue
		}
		path, err := filepath.Abs(filepath.Join(directory, "soljson.js"))
		if err != nil {
			continue
		}
		if _, err := os.Stat(path); err == nil {
			found = append(found, &Compiler{version: version, path: path})
		}
	}
	slices.SortStableFunc(found, func(a, b *Compiler) int { return a.version.Compare(b.version) })
	return found
}
