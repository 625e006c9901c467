// Package solc finds compilers, downloads them and runs them: native programs, and
// soljson.js by node.
package solc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
	// project's foundry.toml names, the caches of Foundry and Hardhat, node_modules, and
	// what was downloaded.
	Solc string
	// Root is the project's root: node_modules is looked for there and in every
	// folder above it, as node does. Empty: no node_modules.
	Root string
	// Repository is a folder that holds Root and that sources may be read from:
	// where remappings and symbolic links of a project lead to another one's.
	// Empty: Root. A compiler in it is the change's, see TrustProject.
	Repository string
	// NodeModules are further node_modules folders, of the machine's owner.
	NodeModules []string
	// Home is the user's folder, below which Foundry and Hardhat keep compilers.
	// Empty: the environment's.
	Home string
	// Cache is the folder in which the versions of soljson files are remembered;
	// empty: nothing is.
	Cache  string
	Limits reading.Limits

	// TrustProject lets compilers run that the project brings and Solidity did not release.
	TrustProject bool
	// List is the address of a list of solc binaries as Solidity publishes it, from which a
	// release is downloaded that is in none of these places; empty: nothing is downloaded.
	List string
	// Offline forbids to download.
	Offline bool
	// Downloads is the folder that keeps what was downloaded; empty: nothing is kept.
	Downloads string
	// Say shows progress, and Warn warns of compilers that are not used, or on trust. Both
	// may be nil.
	Say, Warn func(text string)

	table releaseTable // of tests; nil: the program's
}

func (options Options) releases() releaseTable {
	if options.table != nil {
		return options.table
	}
	return released
}

func (options Options) say(format string, args ...any) {
	if options.Say != nil {
		options.Say(fmt.Sprintf(format, args...))
	}
}

func (options Options) warn(text string) {
	if options.Warn != nil {
		options.Warn(text)
	}
}

// origin says whose word a compiler's file is.
type origin int

const (
	fromOwner    origin = iota // the machine's owner: PATH, --solc, the image
	fromCache                  // the user's caches, which tools fill
	fromDownload               // our own cache
	fromProject                // the change's author
)

// Find finds the newest solc that satisfies every pragma, see
// [solidity.Pragmas] and [Range]. A compiler named by options or SOLC is the only
// candidate. The error lists the pragmas, what was found and what was tried.
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
	var doubted []*Compiler
	for _, c := range fits {
		checked, err := options.check(ctx, c)
		if err == nil && checked != nil || ctx.Err() != nil {
			if checked != nil {
				options.report(doubted, checked)
			}
			return checked, err
		}
		switch {
		case err == nil:
			doubted = append(doubted, c)
		case broken == nil && !errors.Is(err, errMislabeled):
			broken = err
		}
	}
	options.report(doubted, nil)
	found = slices.DeleteFunc(found, func(c *Compiler) bool { return slices.Contains(doubted, c) })
	if options.Named() != "" {
		return nil, noCompiler(ranges, found, nil)
	}
	c, tried := options.download(ctx, ranges)
	if c != nil || ctx.Err() != nil {
		return c, ctx.Err()
	}
	if broken != nil && tried == nil {
		return nil, broken
	}
	return nil, noCompiler(ranges, found, tried)
}

// Allows reports whether all pragmas allow a version.
func Allows(pragmas []string, version string) bool {
	ranges, err := parseRanges(pragmas)
	v, parseErr := ParseVersion(version)
	return err == nil && parseErr == nil && satisfies(v, ranges)
}

// Named is the compiler that the caller names; empty for none.
func (options Options) Named() string { return cmp.Or(options.Solc, os.Getenv("SOLC")) }

// errMislabeled is a release that goes by another one's version, as npm's solc 0.8.7, which
// holds 0.7.5. It is passed over.
var errMislabeled = errors.New("another version")

// check makes a candidate ready to run. It is nil where the candidate is not what it says:
// bytes that Solidity did not release, in a place where others write.
func (options Options) check(ctx context.Context, c *Compiler) (*Compiler, error) {
	if c.long != "" {
		return c, nil
	}
	if c.origin != fromOwner {
		if checked, ok := options.official(c.path); ok {
			if checked.version != c.version {
				return nil, errMislabeled
			}
			if checked.node == "" { // it may be built for another system
				if err := checked.runs(ctx); err != nil {
					return nil, err
				}
			}
			return checked, nil
		}
		if c.origin == fromProject && !options.TrustProject || c.origin == fromCache && options.contradicted(c) {
			return nil, nil
		}
	}
	// What lies in a cache need not run here.
	if err := c.identify(ctx); err != nil {
		return nil, err
	}
	if c.origin == fromProject {
		options.warn(trusted(c.path))
	}
	return c, nil
}

// contradicted reports whether a native compiler of a cache ought to be a release, by its
// version, and is not. Other systems' compilers are not in the table, and of soljson it has
// npm's files.
func (options Options) contradicted(c *Compiler) bool {
	_, listed := options.releases().find(c.version, platformHere())
	return c.node == "" && listed
}

// report says which compilers were not used, and were newer than the one that is, or the
// project's.
func (options Options) report(doubted []*Compiler, used *Compiler) {
	for _, c := range doubted {
		if c.origin == fromProject {
			options.warn(notOfficial(options.relative(c.path)))
		} else if used == nil || used.version != c.version {
			options.say("solc    %s is not solc %s as Solidity released it: it is not used", c.path, c.version)
		}
	}
}

// relative is a path as people see it: from the checkout, where it lies there.
func (options Options) relative(path string) string {
	c := options.checkout()
	for _, folder := range []string{c.given, c.real} {
		if rel, err := filepath.Rel(folder, path); folder != "" && err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return path
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

// noCompiler says what would fit, what there is, and why no other was had.
func noCompiler(ranges []Range, found []*Compiler, tried *attempt) error {
	wanted := make([]string, len(ranges))
	for i, r := range ranges {
		wanted[i] = fmt.Sprintf("%q", reading.Shorten(r.String()))
	}
	have := "no solc was found"
	if len(found) > 0 {
		var versions []string
		for _, c := range found {
			if text := c.version.String(); !slices.Contains(versions, text) {
				versions = append(versions, text)
			}
		}
		have = "found solc " + strings.Join(versions, ", ")
	}
	problem := fmt.Sprintf("no solc satisfies pragma %s: %s", strings.Join(wanted, " and "), have)
	remedy := "name one with --solc or SOLC, put it in PATH, or install it in the project: npm install --save-dev solc@VERSION"
	if tried != nil {
		problem += "; " + tried.problem
		remedy = cmp.Or(tried.remedy, remedy)
	}
	return &reading.Error{Kind: ErrNoCompiler, Problem: problem, Remedy: remedy}
}

// findCompilers lists the candidates; of equal versions the first one wins.
func findCompilers(ctx context.Context, options Options) ([]*Compiler, error) {
	limits := options.Limits.WithDefaults()
	if options.Named() != "" {
		c, err := openNamed(ctx, options)
		if err != nil {
			return nil, err
		}
		return []*Compiler{c}, nil
	}
	checkout := options.checkout()
	var found []*Compiler
	if program, err := checkout.lookPath("solc"); err == nil {
		// Something else may be called solc; then it is not a candidate.
		c, err := openCompiler(ctx, program, options)
		if ctx.Err() != nil {
			return nil, err
		}
		if err == nil {
			found = append(found, c)
		}
	}
	for _, program := range options.projectsOwn() {
		c, err := options.openProjects(ctx, program)
		if ctx.Err() != nil {
			return nil, err
		}
		if err == nil {
			found = append(found, c)
		}
	}
	node, err := checkout.findNode()
	if err != nil {
		node = ""
	}
	found = append(found, cachedCompilers(firstHome(options.Home), node, limits)...)
	if node != "" {
		for _, folder := range ModuleFolders(options) {
			from := fromProject
			if slices.Contains(options.NodeModules, folder) {
				from = fromOwner
			}
			for _, c := range packagedCompilers(folder) {
				c.node, c.limits, c.origin = node, limits, from
				found = append(found, c)
			}
		}
	}
	outside, _ := checkout.searchPath()
	for _, c := range found {
		c.cache, c.searchPath = options.Cache, outside
	}
	return found, nil
}

// openNamed opens the compiler that the caller names. In the checkout the caller's word is a
// path, and the change's author writes what is there.
func openNamed(ctx context.Context, options Options) (*Compiler, error) {
	named := options.Named()
	if !strings.ContainsAny(named, `/\`) { // a program's name, such as solc-0.8.30
		if program, err := options.checkout().lookPath(named); err == nil {
			named = program
		}
	}
	if !options.checkout().holds(named) {
		return openCompiler(ctx, named, options)
	}
	file := named
	if reading.IsFolder(named) {
		file = filepath.Join(named, "soljson.js")
	}
	if c, ok := options.official(file); ok {
		return c, nil
	}
	if _, err := os.Stat(file); err != nil {
		return nil, notACompiler(named, err)
	}
	if !options.TrustProject {
		return nil, refused(named)
	}
	options.warn(trusted(named))
	return openCompiler(ctx, named, options)
}

// projectsOwn are the programs that the project names or puts in PATH: the compiler that
// foundry.toml names by its path, and solc in folders of PATH that lie in the checkout.
func (options Options) projectsOwn() []string {
	var programs []string
	_, inside := options.checkout().searchPath()
	for _, folder := range inside {
		if program := executable(filepath.Join(folder, "solc")); program != "" {
			programs = append(programs, program)
		}
	}
	if options.Root == "" {
		return programs
	}
	if settings, err := settings.FoundryPaths(options.Root, os.Getenv); err == nil && settings.Solc != "" {
		programs = append(programs, settings.Solc)
	}
	return programs
}

// openProjects opens a program that the project names. What is not a release is not even
// asked for its version.
func (options Options) openProjects(ctx context.Context, program string) (*Compiler, error) {
	if c, ok := options.official(program); ok {
		return c, nil
	}
	if !options.TrustProject {
		options.warn(notOfficial(options.relative(program)))
		return nil, refused(program)
	}
	c, err := openCompiler(ctx, program, options)
	if err == nil {
		options.warn(trusted(options.relative(program)))
	}
	return c, err
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

// maxPackaged bounds the packages of one folder that are looked at. Arbitrary: projects have
// one for each version of the compiler that they use.
const maxPackaged = 100

// packagedCompilers lists the npm packages solc in a node_modules folder, by
// version: also under other names, as "npm install solc-0.8.17@npm:solc@0.8.17"
// installs them.
func packagedCompilers(folder string) []*Compiler {
	packages, err := os.ReadDir(folder)
	if err != nil {
		return nil // most folders have none
	}
	packages = slices.DeleteFunc(packages, func(e os.DirEntry) bool { return !strings.HasPrefix(e.Name(), "solc") })
	packages = packages[:min(len(packages), maxPackaged)]
	var found []*Compiler
	for _, entry := range packages {
		directory := filepath.Join(folder, entry.Name())
		text, err := readProgram(filepath.Join(directory, "package.json"))
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

// Newest is the version of the release that pragmas need, where [Find] finds none on the machine and may
// download: the newest that they allow and that runs here. False when there is none.
func Newest(pragmas []string, options Options) (Version, bool) {
	ranges, err := parseRanges(pragmas)
	if err != nil {
		return Version{}, false
	}
	return options.releases().newest(ranges, options.platforms())
}

// LookPath finds a program in PATH that is not the checkout's.
func (options Options) LookPath(name string) (string, error) {
	return options.checkout().lookPath(name)
}
