package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/diffmap/unified"
)

// Repository reads a working tree and its history by calling git. It writes nothing
// and runs nothing that the repository's content names: no hook, pager, external
// diff, text conversion or file system monitor.
type Repository struct {
	Root   string         // any folder of the working tree
	Limits unified.Limits // of what a call returns

	extraEnv []string // further environment of the child, for tests
}

// Top returns the top folder of the working tree, the nearest parent of Root
// that holds ".git", with symbolic links resolved. Paths in a [unified.Diff] are relative
// to it.
func (g *Repository) Top() (string, error) {
	fail := func(msg string) error {
		return &Error{Op: "find the repository", Msg: msg, Remedy: "pass --root DIR of a git working tree, or --diff FILE"}
	}
	dir, err := filepath.Abs(g.Root)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fail(err.Error())
	}
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fail(g.Root + " is in no git working tree")
		}
		dir = parent
	}
}

// allowedEnv lists the variables a git child may see: what it needs to start and
// to find the user's own configuration, no tokens, no GIT_* variable.
var allowedEnv = []string{
	"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "TMP", "TEMP",
	"SYSTEMROOT", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "PATHEXT", "COMSPEC", // Windows
}

// childEnv returns the environment of a git child. Messages are in English
// (LC_ALL), it never asks for a password and takes no lock it can do without.
func (g *Repository) childEnv() []string {
	env := []string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0"}
	for _, name := range allowedEnv {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(env, g.extraEnv...)
}

// safeConfig returns the options in front of git's command. safe.directory lets
// git read a tree that belongs to another user, as a checkout does in a
// container. The rest undoes configuration that would run programs or change
// the form of a diff.
func safeConfig(top string) []string {
	return []string{
		"--no-pager", "--literal-pathspecs",
		"-c", "safe.directory=" + filepath.ToSlash(top),
		"-c", "core.quotePath=false",
		"-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=" + os.DevNull,
		"-c", "diff.autoRefreshIndex=true", // else unchanged files with a new time are listed
		"-c", "diff.suppressBlankEmpty=false",
	}
}

// diffOptions are those of git diff. --no-relative and --ignore-submodules undo
// configuration too; the latter also that of .gitmodules, where "ignore = all"
// would hide a submodule's new commit. Work in progress inside submodules is not
// looked at.
var diffOptions = []string{
	"--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/",
	"-M", "--no-relative", "--submodule=short", "--ignore-submodules=dirty",
}

// waitDelay is how long a killed git may keep its pipes open. Arbitrary, and
// well inside the second in which a canceled run has to stop.
const waitDelay = 500 * time.Millisecond

// maxMessage bounds what is kept of git's error output: a few lines.
const maxMessage = 4 << 10

// run calls git at the top of the working tree and returns its output.
func (g *Repository) run(ctx context.Context, op string, args ...string) ([]byte, error) {
	top, err := g.Top()
	if err != nil {
		return nil, err
	}
	killable, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(killable, "git", append(safeConfig(top), args...)...)
	cmd.Dir = top
	cmd.Env = g.childEnv()
	cmd.WaitDelay = waitDelay
	stdout := &boundedBuffer{max: g.Limits.WithDefaults().MaxBytes, full: cancel}
	stderr := &boundedBuffer{max: maxMessage}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err = cmd.Run()
	switch {
	case stdout.overflow:
		return nil, &Error{Op: op, Msg: fmt.Sprintf("git %s printed more than %d bytes", args[0], stdout.max),
			Remedy: "compare with a nearer base"}
	case ctx.Err() != nil:
		return nil, &Error{Op: op, Msg: ctx.Err().Error(), Err: ctx.Err()}
	case errors.Is(err, exec.ErrNotFound):
		return nil, &Error{Op: op, Msg: "git is not installed or not in PATH", Remedy: "install it, or pass --diff FILE", Err: err}
	case err != nil:
		msg := strings.TrimSpace(stderr.buf.String())
		if msg == "" {
			msg = err.Error()
		}
		return nil, &Error{Op: op, Msg: "git " + args[0] + ": " + msg, Err: err}
	}
	return stdout.buf.Bytes(), nil
}

// boundedBuffer keeps the first max bytes written to it.
type boundedBuffer struct {
	buf      bytes.Buffer
	max      int
	overflow bool
	full     func() // called at the first byte too many; may be nil
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	room := b.max - b.buf.Len()
	if len(p) <= room {
		return b.buf.Write(p)
	}
	b.buf.Write(p[:room])
	if !b.overflow && b.full != nil {
		b.full()
	}
	b.overflow = true
	return len(p), nil
}

// Diff compares the working tree with the revision base. Untracked source files
// (.sol, .yul, .vy) that no ignore rule covers are part of the working tree and
// appear as added files, at the end and in order of their names.
//
// The patch is checked against git diff --raw. A source file that git calls
// binary, because of a NUL byte or because .gitattributes says so, is compared
// as text nevertheless: an attribute must not hide a change.
func (g *Repository) Diff(ctx context.Context, base string) (*unified.Diff, error) {
	const op = "compare with the base"
	id, err := g.resolve(ctx, base)
	if err != nil {
		return nil, err
	}
	d, err := g.checked(ctx, op, id)
	if err != nil {
		return nil, err
	}
	return d, g.addUntracked(ctx, d)
}

// checked is the patch of some revisions, checked against git diff --raw and with
// the sources that git calls binary as text.
func (g *Repository) checked(ctx context.Context, op, revisions string) (*unified.Diff, error) {
	d, err := g.patch(ctx, op, revisions, nil, nil)
	if err != nil {
		return nil, err
	}
	rawText, err := g.run(ctx, op, slices.Concat([]string{"diff", "--raw", "-z"}, diffOptions, []string{revisions, "--"})...)
	if err != nil {
		return nil, err
	}
	raw, err := unified.ParseRaw(rawText)
	if err != nil {
		return nil, err
	}
	if err := d.CrossCheck(raw); err != nil {
		return nil, err
	}
	return d, g.uncoverBinaries(ctx, op, revisions, d)
}

// patch runs git diff on some paths, all if there are none, and parses it.
func (g *Repository) patch(ctx context.Context, op, id string, options, paths []string) (*unified.Diff, error) {
	text, err := g.run(ctx, op, slices.Concat([]string{"diff"}, diffOptions, options, []string{id, "--"}, paths)...)
	if err != nil {
		return nil, err
	}
	return unified.Parse(text, g.Limits)
}

// uncoverBinaries replaces binary source files of d by their text diff.
func (g *Repository) uncoverBinaries(ctx context.Context, op, id string, d *unified.Diff) error {
	var paths []string
	for i := range d.Files {
		f := &d.Files[i]
		if !f.Binary || !unified.IsSource(f.Path()) {
			continue
		}
		for _, p := range []string{f.OldPath, f.NewPath} {
			if p != "" && !slices.Contains(paths, p) {
				paths = append(paths, p)
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	asText, err := g.patch(ctx, op, id, []string{"--text"}, paths)
	if err != nil {
		return err
	}
	for i := range d.Files {
		f := &d.Files[i]
		for k := range asText.Files {
			t := &asText.Files[k]
			if f.Binary && f.Status == t.Status && f.OldPath == t.OldPath && f.NewPath == t.NewPath {
				*f = *t
			}
		}
		if f.Binary && unified.IsSource(f.Path()) && f.Status != unified.Renamed && f.Status != unified.Copied {
			return &Error{Op: op, Msg: fmt.Sprintf("git shows no lines of %q", f.Path()), Remedy: "remove its binary attribute from .gitattributes"}
		}
	}
	return nil
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
