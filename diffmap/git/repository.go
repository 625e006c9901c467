package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/gitrepo"
)

// Repository reads a working tree and its history by calling git. It writes nothing
// and runs nothing that the repository's content or configuration names.
type Repository struct {
	Root   string         // any folder of the working tree
	Limits unified.Limits // of what a call returns
	// Matters reports whether the lines of a file matter; nil: those of sources do. A diff has
	// the others without lines, as if they were binary: they are not read, however large.
	Matters func(path string) bool
	// Commits compares submodules' commits with each other, instead of the old one with the
	// files that are checked out.
	Commits bool

	opened   *gitrepo.Repository
	extraEnv []string // further environment of the child, for tests
}

// Top returns the top folder of the working tree, the nearest parent of Root
// that holds ".git", with symbolic links resolved. Paths in a [unified.Diff] are relative
// to it.
func (g *Repository) Top() (string, error) {
	top, err := gitrepo.Find(g.Root)
	if err != nil {
		return "", &Error{Op: "find the repository", Msg: err.Error(), Remedy: "pass --root DIR of a git working tree, or --diff FILE"}
	}
	return top, nil
}

// open opens the repository for a call, and returns a function that closes it again.
func (g *Repository) open(ctx context.Context) (closing func(), err error) {
	if g.opened != nil {
		return func() {}, nil
	}
	if _, err := g.Top(); err != nil {
		return nil, err
	}
	if g.opened, err = gitrepo.Open(ctx, g.Root, g.extraEnv...); err != nil {
		return nil, describe("open the repository", err)
	}
	return func() { g.opened.Close(); g.opened = nil }, nil
}

// diffOptions are those of git diff. --no-relative and --ignore-submodules undo
// configuration too; the latter also that of .gitmodules, where "ignore = all"
// would hide a submodule's new commit. Work in progress inside submodules is not
// looked at.
var diffOptions = []string{
	"--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/",
	"-M", "--no-relative", "--submodule=short", "--ignore-submodules=dirty",
}

// run calls git at the top of the working tree and returns its output.
func (g *Repository) run(ctx context.Context, op string, args ...string) ([]byte, error) {
	closing, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	defer closing()
	out, err := g.opened.Run(ctx, gitrepo.Call{Args: args, Tree: true, Limit: g.Limits.WithDefaults().MaxBytes})
	if err != nil && g.opened.Partial() && exitCode(err) > 1 {
		return nil, &Error{Op: op, Msg: err.Error(), Err: err,
			Remedy: "this is a partial clone: run `git diff` with the base once, which fetches what it lacks"}
	}
	return out, describe(op, err)
}

// describe makes an [Error] of a failure of git.
func describe(op string, err error) error {
	var failed *gitrepo.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gitrepo.ErrOutput):
		return &Error{Op: op, Msg: err.Error(), Remedy: "compare with a nearer base", Err: err}
	case errors.As(err, &failed) && failed.NotInstalled():
		return &Error{Op: op, Msg: "git is not installed or not in PATH", Remedy: "install it, or pass --diff FILE", Err: err}
	}
	return &Error{Op: op, Msg: err.Error(), Err: err}
}

// Diff compares the working tree with the revision base. Untracked source files
// (.sol, .yul, .vy) that no ignore rule covers are part of the working tree and
// appear as added files, at the end and in order of their names.
//
// The patch is checked against git diff --raw. A file that git calls binary,
// because of a NUL byte or because .gitattributes says so, is compared as text
// if its lines matter: an attribute must not hide a change.
func (g *Repository) Diff(ctx context.Context, base string) (*unified.Diff, error) {
	const op = "compare with the base"
	closing, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	defer closing()
	id, err := g.resolve(ctx, base)
	if err != nil {
		return nil, err
	}
	rawText, err := g.run(ctx, op, slices.Concat([]string{"diff", "--raw", "-z"}, diffOptions, []string{id, "--"})...)
	if err != nil {
		return nil, err
	}
	raw, err := unified.ParseRaw(rawText)
	if err != nil {
		return nil, err
	}
	d, err := g.patch(ctx, op, id, raw)
	if err != nil {
		return nil, err
	}
	if err := d.CrossCheck(raw); err != nil {
		return nil, err
	}
	return d, g.addUntracked(ctx, d)
}

// maxNamed bounds the paths that are named to git, bytes: a command line takes 128 KB on
// Linux and 32 KB on Windows.
const maxNamed = 16 << 10

// patch runs git diff on the files that matter, as text, and adds the others to what it says.
func (g *Repository) patch(ctx context.Context, op, id string, raw []unified.RawEntry) (*unified.Diff, error) {
	var left []unified.File
	var named []string
	size, shown := 0, 0
	for i := range raw {
		e := &raw[i]
		if e.OldMode != submoduleMode && e.NewMode != submoduleMode && !g.matters(e.OldPath) && !g.matters(e.NewPath) {
			left = append(left, leftOut(e)...)
			continue
		}
		shown++
		for _, p := range []string{e.OldPath, e.NewPath} {
			if p != "" && (len(named) == 0 || named[len(named)-1] != p) {
				named, size = append(named, p), size+len(p)+1
			}
		}
	}
	if shown == 0 {
		return &unified.Diff{Files: left}, nil
	}
	if size > maxNamed || len(left) == 0 {
		named, left = nil, nil // all files
	}
	text, err := g.run(ctx, op, slices.Concat([]string{"diff", "--text"}, diffOptions, []string{id, "--"}, named)...)
	if err != nil {
		return nil, err
	}
	d, err := unified.Parse(text, g.Limits)
	if err != nil {
		return nil, err
	}
	addLeft(d, left)
	return d, nil
}

// matters reports whether the lines of a file matter.
func (g *Repository) matters(path string) bool {
	if g.Matters == nil {
		return unified.IsSource(path)
	}
	return path != "" && g.Matters(path)
}

// Modes of entries, as in git's raw output.
const (
	linkMode      = "120000"
	submoduleMode = "160000"
	noMode        = "000000"
)

// leftOut are the files of a raw entry whose lines do not matter.
func leftOut(e *unified.RawEntry) []unified.File {
	same := e.OldID == e.NewID
	f := unified.File{OldPath: e.OldPath, NewPath: e.NewPath, Status: unified.Modified, Binary: !same, ModeOnly: same, Symlink: e.NewMode == linkMode}
	switch e.Status {
	case 'A':
		f.Status = unified.Added
	case 'D':
		f.Status, f.Symlink = unified.Deleted, e.OldMode == linkMode
	case 'R':
		f.Status, f.ModeOnly = unified.Renamed, false
	case 'C':
		f.Status, f.ModeOnly = unified.Copied, false
	case 'T':
		return []unified.File{
			{OldPath: e.OldPath, Status: unified.Deleted, Binary: true, Symlink: e.OldMode == linkMode},
			{NewPath: e.NewPath, Status: unified.Added, Binary: true, Symlink: e.NewMode == linkMode},
		}
	}
	return []unified.File{f}
}

// addLeft adds files whose lines do not matter to a diff, in order of the paths.
func addLeft(d *unified.Diff, left []unified.File) {
	d.Files = append(d.Files, left...)
	slices.SortStableFunc(d.Files, func(a, b unified.File) int { return strings.Compare(a.Path(), b.Path()) })
}

// addUntracked adds the untracked source files of the working tree to d.
func (g *Repository) addUntracked(ctx context.Context, d *unified.Diff) error {
	const op = "read the untracked files"
	names, err := g.untracked(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	limits := g.Limits.WithDefaults()
	if len(d.Files)+len(names) > limits.MaxFiles {
		return &Error{Op: op, Msg: fmt.Sprintf("there are more than %d changed files", limits.MaxFiles),
			Remedy: "add generated files and dependencies to .gitignore"}
	}
	top, err := g.Top()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return &Error{Op: op, Msg: err.Error(), Err: err}
	}
	defer root.Close()
	room := limits.MaxBytes
	for _, name := range names {
		f, size, err := untrackedFile(root, name, room)
		if err != nil {
			return &Error{Op: op, Msg: fmt.Sprintf("%q: %v", name, err), Remedy: "remove it or add it to .gitignore", Err: err}
		}
		room -= size
		d.Files = append(d.Files, f)
	}
	return nil
}

// untracked lists the untracked source files, sorted.
func (g *Repository) untracked(ctx context.Context) ([]string, error) {
	// Pathspecs are literal (see safeConfig), so the names are filtered here.
	out, err := g.run(ctx, "list the untracked files", "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range strings.Split(string(out), "\x00") {
		if unified.IsSource(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// untrackedFile makes the added File of an untracked file of at most room bytes.
func untrackedFile(root *os.Root, name string, room int) (f unified.File, size int, err error) {
	f = unified.File{NewPath: name, Status: unified.Added}
	info, err := root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return f, 0, err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		f.Symlink = true
		return f, 0, nil
	}
	if !info.Mode().IsRegular() {
		return f, 0, errors.New("it is not a regular file")
	}
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return f, 0, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, int64(room)+1))
	if err != nil {
		return f, 0, err
	}
	if len(text) > room {
		return f, 0, fmt.Errorf("the changes have more than the allowed number of bytes")
	}
	return unified.AddedFile(name, text), len(text), nil
}
