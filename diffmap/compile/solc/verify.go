package solc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sightline-evm/sightline/diffmap/compile/child"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/programfile"
)

// This file keeps compilers that a change brings from running. What lies in the checkout, and
// what the project's settings name, is the change's author's to write. Such a program runs
// only if its bytes are those of a release, or with --trust-project-compiler.

// maxProgram bounds a compiler, bytes. The largest release, soljson of 0.8.11, has 27 MB.
const maxProgram = 64 << 20

// checkout tells what lies in the checkout. In the zero value nothing does.
type checkout struct {
	given, real string // its folder, and that with symbolic links resolved
}

func (options Options) checkout() checkout {
	folder := cmp.Or(options.Repository, options.Root)
	if folder == "" {
		return checkout{}
	}
	given, err := filepath.Abs(folder)
	if err != nil {
		return checkout{}
	}
	real, err := filepath.EvalSymlinks(given)
	if err != nil {
		real = given
	}
	return checkout{given, real}
}

// holds reports whether a file or folder lies in the checkout, by its path or by where its
// symbolic links lead.
func (c checkout) holds(path string) bool {
	if c.given == "" {
		return false
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return true
	}
	below := func(path string) bool {
		for _, folder := range []string{c.given, c.real} {
			if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
		return false
	}
	if below(absolute) {
		return true
	}
	real, err := filepath.EvalSymlinks(absolute)
	return err == nil && below(real)
}

// searchPath is PATH without the folders of the checkout, such as node_modules/.bin, and
// without relative ones, and those folders.
func (c checkout) searchPath() (outside string, inside []string) {
	var kept []string
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		switch {
		case !filepath.IsAbs(folder):
		case c.holds(folder):
			inside = append(inside, folder)
		default:
			kept = append(kept, folder)
		}
	}
	return strings.Join(kept, string(os.PathListSeparator)), inside
}

// lookPath is exec.LookPath for programs that the checkout does not hold.
func (c checkout) lookPath(name string) (string, error) {
	outside, _ := c.searchPath()
	for _, folder := range filepath.SplitList(outside) {
		if program := executable(filepath.Join(folder, name)); program != "" && !c.holds(program) {
			return program, nil
		}
	}
	return "", fmt.Errorf("%s is not in PATH", name)
}

// executable is the program at a path, with an ending that Windows runs; empty where there is
// none.
func executable(path string) string {
	endings := []string{""}
	if text := os.Getenv("PATHEXT"); text != "" {
		endings = append(endings, strings.Split(strings.ToLower(text), ";")...)
	}
	for _, ending := range endings {
		info, err := os.Stat(path + ending)
		if err == nil && info.Mode().IsRegular() && (info.Mode().Perm()&0o111 != 0 || ending != "") {
			return path + ending
		}
	}
	return ""
}

// readProgram reads a compiler: a regular file, so that neither a pipe nor a device holds up
// the run.
func readProgram(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxProgram {
		return nil, errors.New("it is not a file of a compiler's size")
	}
	// Into memory of its size at once: doubling what has 10 MB takes longer than reading it.
	program := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if n, err := program.ReadFrom(io.LimitReader(f, maxProgram+1)); err != nil || n > maxProgram {
		return nil, cmp.Or(err, errors.New("it is not a file of a compiler's size"))
	}
	return program.Bytes(), nil
}

// official reads the compiler at a path if its bytes are a release's. The result is run from
// these bytes, whatever the file is by then.
func (options Options) official(path string) (*Compiler, bool) {
	program, err := readProgram(path)
	if err != nil {
		return nil, false
	}
	r, ok := options.releases().identify(program)
	if !ok {
		return nil, false
	}
	return options.compilerOf(r, program, path)
}

// compilerOf is the compiler that a release's bytes are; false where node is missing that
// would run it.
func (options Options) compilerOf(r release, program []byte, path string) (*Compiler, bool) {
	c := &Compiler{version: r.version, long: r.long(), path: path, program: program, limits: options.Limits.WithDefaults()}
	c.searchPath, _ = options.checkout().searchPath()
	if r.platform == soljsonPlatform {
		node, err := options.checkout().findNode()
		if err != nil {
			return nil, false
		}
		c.node = node
	}
	return c, true
}

// run runs the compiler with arguments of its own. A program that was checked runs from a
// fresh copy of the bytes that were, which the user it runs as cannot write.
func (c *Compiler) run(ctx context.Context, arguments func(path string) []string, input []byte, limit int64) ([]byte, error) {
	path := c.path
	if c.program != nil {
		folder, err := os.MkdirTemp("", "sightline-compiler-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		if path, err = c.place(folder); err != nil {
			return nil, err
		}
	}
	process := child.Process{Argv: arguments(path), Files: []string{path}, Input: input, Limit: limit, Path: c.searchPath}
	return process.Run(ctx)
}

// place writes the program into a folder of ours, where every user may read it.
func (c *Compiler) place(folder string) (string, error) {
	if err := os.Chmod(folder, 0o755); err != nil {
		return "", err
	}
	name, mode := filepath.Join(folder, "solc"), os.FileMode(0o555)
	if c.node != "" {
		name, mode = filepath.Join(folder, "soljson.js"), 0o444
		// node looks for a package.json in every folder above a script, and does as it says.
		if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte("{}\n"), 0o444); err != nil {
			return "", err
		}
	}
	return name, programfile.Write(name, c.program, mode)
}

// notOfficial says of a compiler of the checkout that it is not used.
func notOfficial(what string) string {
	return what + " is not a compiler that Solidity released (its checksum is unknown), and a change of the project can change it: it is not used; --trust-project-compiler uses it"
}

// trusted says of a compiler of the checkout that it is used.
func trusted(what string) string {
	return what + " is used as --trust-project-compiler says: it is not a compiler that Solidity released, and a change of the project can change what it compiles"
}

// refused is the error of a compiler of the checkout that was named.
func refused(path string) error {
	return &reading.Error{Origin: path, Kind: ErrNoCompiler,
		Problem: "it lies in the checkout and is not a compiler that Solidity released (its checksum is unknown), so that a change of the project could change what it compiles",
		Remedy:  "name one outside of the checkout, or give --trust-project-compiler"}
}
