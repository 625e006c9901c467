package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/files"
)

// Repository is a checkout's repository, read through a private git directory.
type Repository struct {
	Top string // the working tree's top folder, links resolved

	private string // our folder; Close removes it
	own     string // the checkout's git directory, of this working tree
	common  string // the one that its working trees share
	owner   *owner // who runs git; nil: we do
	format  string // of object ids: sha1 or sha256
	partial bool   // the clone lacks objects that its server has

	batch *batch   // git cat-file, if it runs
	extra []string // environment of calls that read the working tree, for tests
}

// view is the private git directory, and fetches where fetched commits go.
func (r *Repository) view() string    { return filepath.Join(r.private, "view") }
func (r *Repository) fetches() string { return filepath.Join(r.private, "fetched") }

// ErrNone says that a folder is in no working tree.
var ErrNone = errors.New("is in no git working tree")

// Find returns the top folder of a working tree, the nearest parent that holds ".git", with
// symbolic links resolved.
func Find(folder string) (string, error) {
	dir, err := filepath.Abs(folder)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("%s %w", folder, ErrNone)
		}
		dir = parent
	}
}

// Open opens the repository of the working tree that a folder is in. The environment is for
// tests: calls that read the working tree have it in addition.
func Open(ctx context.Context, folder string, environment ...string) (*Repository, error) {
	top, err := Find(folder)
	if err != nil {
		return nil, err
	}
	r := &Repository{Top: top, extra: environment}
	if err := r.locate(); err != nil {
		return nil, err
	}
	if r.owner, err = ownerOf(top); err != nil {
		return nil, err
	}
	if r.private, err = temporary(r.owner); err != nil {
		return nil, err
	}
	if err := r.makeView(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close ends git and removes the private folder.
func (r *Repository) Close() {
	r.stopBatch()
	_ = os.RemoveAll(r.private) // in a temporary folder
}

// Partial reports whether the clone lacks objects that its server has, which git would
// fetch when asked for them. Here it does not.
func (r *Repository) Partial() bool { return r.partial }

// maxSmall bounds the small files of a git directory, bytes.
const maxSmall = 64 << 10

// locate finds the git directory, which may be elsewhere: ".git" is a file in a submodule
// and in a second working tree of a repository.
func (r *Repository) locate() error {
	r.own = filepath.Join(r.Top, ".git")
	if info, err := os.Stat(r.own); err == nil && !info.IsDir() {
		text, err := files.ReadBounded(r.own, maxSmall)
		if err != nil {
			return fmt.Errorf(".git: %w", files.Plain(err))
		}
		place, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
		if !ok {
			return errors.New(".git is a file without a git directory's name")
		}
		if r.own = filepath.FromSlash(place); !filepath.IsAbs(r.own) {
			r.own = filepath.Join(r.Top, r.own)
		}
	}
	own, err := filepath.EvalSymlinks(r.own)
	if err != nil {
		return fmt.Errorf("the git directory: %w", err)
	}
	r.own, r.common = own, own
	text, err := files.ReadBounded(filepath.Join(own, "commondir"), maxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the git directory's commondir: %w", files.Plain(err))
	}
	if r.common = filepath.FromSlash(strings.TrimSpace(string(text))); !filepath.IsAbs(r.common) {
		r.common = filepath.Join(own, r.common)
	}
	return nil
}

// attributes are what the private git directory says of files, above any .gitattributes:
// no filter runs, no line is rewritten, and no attribute makes git call a source binary.
const attributes = "* !filter !ident !working-tree-encoding\n*.sol diff\n*.yul diff\n*.vy diff\n"

// makeView makes the private git directory.
func (r *Repository) makeView(ctx context.Context) error {
	view := r.view()
	objects := filepath.Join(r.common, "objects")
	if strings.ContainsAny(objects, "\n\r") {
		return errors.New("the git directory's path has a line break, which git cannot borrow objects from")
	}
	err := errors.Join(
		r.write("view/objects/info/alternates", filepath.ToSlash(objects)+"\n"),
		r.write("view/info/attributes", attributes),
		r.write("view/config", "[core]\n\trepositoryformatversion = 0\n"),
		r.write("view/HEAD", "ref: refs/heads/unknown\n"),
		r.mkdir("view/refs"),
	)
	if err != nil {
		return err
	}
	c := &copier{r: r, room: maxCopied}
	for _, name := range []string{"packed-refs", "refs", "shallow", "reftable", "logs", "info/exclude"} {
		c.copy(filepath.Join(r.common, name), filepath.Join(view, name))
	}
	for _, name := range []string{"HEAD", "logs/HEAD", "info/sparse-checkout"} {
		c.copy(filepath.Join(r.own, name), filepath.Join(view, name))
	}
	shared, _ := filepath.Glob(filepath.Join(escapeGlob(r.own), "sharedindex.*")) // the pattern is well-formed
	for _, name := range shared {
		c.copy(name, filepath.Join(view, filepath.Base(name)))
	}
	if c.err != nil {
		return c.err
	}
	return r.configure(ctx)
}

// escapeGlob returns a pattern that matches exactly a path.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// kept are the settings of a checkout that say in which form its objects, refs and files
// are, and what its branches follow. No other setting of it counts.
var kept = map[string]bool{
	"core.filemode": true, "core.symlinks": true, "core.ignorecase": true, "core.precomposeunicode": true, "core.longpaths": true,
	"core.autocrlf": true, "core.eol": true, "core.checkstat": true, "core.trustctime": true,
	"core.sparsecheckout": true, "core.sparsecheckoutcone": true, "index.sparse": true,
	"extensions.objectformat": true, "extensions.refstorage": true,
}

// configure takes over what is needed of the checkout's configuration.
func (r *Repository) configure(ctx context.Context) error {
	r.format = "sha1"
	var text strings.Builder
	text.WriteString("[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tlogAllRefUpdates = false\n")
	for _, file := range []string{filepath.Join(r.common, "config"), filepath.Join(r.own, "config.worktree")} {
		if !files.IsRegular(file) {
			continue
		}
		// git parses the file; nothing in it is in effect.
		listed, err := r.Run(ctx, Call{Args: []string{"config", "--file", file, "--no-includes", "--list", "-z"}, Limit: maxCopied})
		if err != nil {
			return fmt.Errorf("the configuration of the repository cannot be read: %w", err)
		}
		for entry := range bytes.SplitSeq(listed, []byte{0}) {
			key, value, valued := strings.Cut(string(entry), "\n")
			if !valued {
				value = "true"
			}
			if key == "extensions.objectformat" {
				if r.format = value; !slices.Contains([]string{"sha1", "sha256"}, value) {
					return errors.New("the repository's object format is unknown")
				}
			}
			if key == "extensions.partialclone" || strings.HasSuffix(key, ".promisor") {
				r.partial = true
			}
			if keep(key) {
				text.WriteString(setting(key, value))
			}
		}
	}
	return r.write("view/config", text.String())
}

// keep reports whether a setting of the checkout counts. A branch's upstream is named by two
// settings of the branch and one of its remote, which without a URL is only a name.
func keep(key string) bool {
	if kept[key] {
		return true
	}
	section, rest, _ := strings.Cut(key, ".")
	return section == "branch" && (strings.HasSuffix(rest, ".remote") || strings.HasSuffix(rest, ".merge")) ||
		section == "remote" && strings.HasSuffix(rest, ".fetch")
}

// setting writes one setting as git's configuration files have it.
func setting(key, value string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace
	header := "[" + key[:first] + "]"
	if first < last {
		header = "[" + key[:first] + ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key[first+1:last]) + `"]`
	}
	return header + "\n\t" + key[last+1:] + ` = "` + quote(value) + "\"\n"
}

// mkdir makes a folder below the private one.
func (r *Repository) mkdir(name string) error {
	return os.MkdirAll(filepath.Join(r.private, filepath.FromSlash(name)), 0o755)
}

// write writes a file below the private folder.
func (r *Repository) write(name, text string) error {
	if err := r.mkdir(filepath.ToSlash(filepath.Dir(name))); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.private, filepath.FromSlash(name)), []byte(text), 0o644)
}

// Bounds on what is copied of a git directory. Refs and logs of the largest projects have a
// few ten thousand files and a few ten million bytes.
const (
	maxCopied      = 256 << 20
	maxCopiedFiles = 200_000
)

// copier copies files of the checkout's git directory.
type copier struct {
	r     *Repository
	room  int64
	files int
	err   error
}

// copy copies a file, or a folder with all files below it. What is not there is left out,
// and so is what is neither file nor folder: a pipe would not end.
func (c *copier) copy(from, to string) {
	if c.err != nil {
		return
	}
	resolved, err := filepath.EvalSymlinks(from)
	if err != nil {
		return
	}
	c.err = filepath.WalkDir(resolved, func(file string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(resolved, file)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		if c.files++; c.files > maxCopiedFiles {
			return fmt.Errorf("the git directory has more than %d refs", maxCopiedFiles)
		}
		text, err := files.ReadBounded(file, c.room)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // git removed it
		}
		if err != nil {
			return fmt.Errorf("the git directory's %s: %w", filepath.Base(file), files.Plain(err))
		}
		c.room -= int64(len(text))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
}
