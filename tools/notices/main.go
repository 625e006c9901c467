// Command notices lists what a release contains of others: as an SBOM, as a page with their licenses, and as the texts
// that have to come with the binary.
//
//	main.go      the command line, and what is read
//	licenses.go  which license a text is
//	write.go     the three files
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const doc = `go run -C tools ./notices [flags]

Reads which Go modules the program is made of, and which npm packages are in the bundle of
report.html, from its lock file; finds their licenses in the module cache and in .cache/page, and writes what flags ask for.
A module whose license is not among those that are known is an error. ./test has to have run once: it installs .cache/page.

  go run -C tools ./notices -goos linux -goarch amd64 -page ../docs/licenses.md
  go run -C tools ./notices -version v0.1.0 -sbom sbom.json -texts THIRD-PARTY-LICENSES

`

// module is something of others that is in the program.
type module struct {
	kind          string // of its package URL: "golang" or "npm"
	name, version string
	license       string // SPDX
	texts         []text
}

// text is a file about rights.
type text struct{ name, text string }

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("notices", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), doc)
		flags.PrintDefaults()
	}
	goos := flags.String("goos", runtime.GOOS, "the system that the program is for")
	goarch := flags.String("goarch", runtime.GOARCH, "the processor that the program is for")
	version := flags.String("version", "(devel)", "of the program, for the SBOM")
	sbom := flags.String("sbom", "", "write an SBOM to this file, CycloneDX as JSON")
	texts := flags.String("texts", "", "write all license texts to this file")
	page := flags.String("page", "", "write a table of the licenses to this Markdown file")
	check := flags.Bool("check", false, "write nothing: the exit code is 1 if -page would change")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	modules, err := goModules(ctx, "GOOS="+*goos, "GOARCH="+*goarch)
	if err != nil {
		return err
	}
	packages, err := npmPackages("../report/page/package-lock.json", "../.cache/page/node_modules")
	if err != nil {
		return err
	}
	modules = append(modules, packages...)
	for i := range modules {
		if modules[i].license, err = licenseOf(modules[i].texts); err != nil {
			return fmt.Errorf("%s %s: %w", modules[i].name, modules[i].version, err)
		}
	}
	return write(outputs{sbom: *sbom, texts: *texts, page: *page, check: *check}, strings.TrimPrefix(*version, "v"), modules)
}

// goModules are those that Go links into the program, with the texts of the module cache, by their names.
func goModules(ctx context.Context, system ...string) ([]module, error) {
	out, err := command(ctx, system, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{.Replace}}{{end}}{{end}}", "./cmd/sightline")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	slices.Sort(lines)
	// The runtime and the standard library are in the program, too.
	root, err := command(ctx, nil, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	folder, version, _ := strings.Cut(strings.TrimSpace(root), "\n")
	standard := module{kind: "golang", name: "std", version: strings.TrimPrefix(version, "go")}
	if standard.texts, err = rights(folder); err != nil {
		return nil, err
	}
	modules := []module{standard}
	for _, line := range slices.Compact(lines) { // a line for each package
		fields := strings.Split(line, "\t")
		if len(fields) != 4 || fields[3] != "<nil>" {
			return nil, fmt.Errorf("%q: want a path, a version and a folder, and that nothing replaces the module", line)
		}
		found := module{kind: "golang", name: fields[0], version: fields[1]}
		if found.texts, err = rights(fields[2]); err != nil {
			return nil, err
		}
		if name := inSources[found.name]; name != "" {
			comment, err := firstComment(filepath.Join(fields[2], name))
			if err != nil {
				return nil, err
			}
			found.texts = append(found.texts, text{name, comment})
		}
		modules = append(modules, found)
	}
	return modules, nil
}

// command runs the go command in the repository's root.
func command(ctx context.Context, environment []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Dir, cmd.Stderr = "..", os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return string(out), nil
}

// firstComment is the comment that a Go file begins with.
func firstComment(file string) (string, error) {
	data, err := os.ReadFile(file)
	comment, _, _ := strings.Cut(string(data), "\npackage ")
	return strings.TrimSpace(comment), err
}

// npmPackages are those of a lock file that are bundled: all but the ones for development.
func npmPackages(lockFile, folder string) ([]module, error) {
	data, err := os.ReadFile(lockFile)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version string
			Dev     bool
		}
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", lockFile, err)
	}
	var modules []module
	for path, p := range lock.Packages {
		name := strings.TrimPrefix(path, "node_modules/")
		if p.Dev || name == "" {
			continue
		}
		found := module{kind: "npm", name: name, version: p.Version}
		if found.texts, err = rights(filepath.Join(folder, filepath.FromSlash(name))); err != nil {
			return nil, err
		}
		modules = append(modules, found)
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.name, b.name) })
	return modules, nil
}

// rights reads the files about rights at the top of a folder.
func rights(folder string) ([]text, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var texts []text
	for _, entry := range entries {
		upper := strings.ToUpper(entry.Name())
		about := slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}, func(word string) bool { return strings.HasPrefix(upper, word) })
		if !about || entry.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, text{entry.Name(), string(bytes.TrimSpace(data))})
	}
	return texts, nil
}
