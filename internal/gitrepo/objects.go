package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrMissing is wrapped where the repository lacks an object.
var ErrMissing = errors.New("the repository lacks the object")

// ErrTooLarge is wrapped where an object is larger than its reader takes.
var ErrTooLarge = errors.New("the object is too large")

var objectID = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// IsID reports whether a text is the full id of an object.
func IsID(text string) bool { return objectID.MatchString(text) }

// batch is a running git cat-file, which answers one question after another.
type batch struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	stop context.CancelFunc
}

func (r *Repository) startBatch(ctx context.Context) (*batch, error) {
	killable, stop := context.WithCancel(ctx)
	cmd := r.command(killable, r.view(), append(r.noUserConfig(), noProtocol), "cat-file", "--batch")
	r.owner.become(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		stop()
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = start(cmd)
	}
	if err != nil {
		stop()
		return nil, &Error{Command: "cat-file", Code: -1, Err: err}
	}
	return &batch{cmd: cmd, in: in, out: bufio.NewReader(out), stop: stop}, nil
}

func (r *Repository) stopBatch() {
	if b := r.batch; b != nil {
		b.stop()
		_ = b.in.Close()
		_ = b.cmd.Wait() // it was killed
		r.batch = nil
	}
}

// newHash returns the hash that ids are made with.
func (r *Repository) newHash() hash.Hash {
	if r.format == "sha256" {
		return sha256.New()
	}
	return sha1.New()
}

// id returns the id of an object.
func (r *Repository) id(kind string, data []byte) string {
	h := r.newHash()
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// Read reads an object of a kind (commit, tree, blob) and at most limit bytes by its full id,
// and checks that its contents are what the id says. git does not: whoever can write a
// clone's files can put other contents under an id.
func (r *Repository) Read(ctx context.Context, kind, id string, limit int64) ([]byte, error) {
	if !IsID(id) {
		return nil, fmt.Errorf("%q is not an object's id", id)
	}
	if r.batch == nil {
		b, err := r.startBatch(ctx)
		if err != nil {
			return nil, err
		}
		r.batch = b
	}
	data, err := r.batch.read(kind, id, limit)
	if err != nil {
		if !errors.Is(err, ErrMissing) {
			r.stopBatch() // the rest of its answer is in the pipe
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	if got := r.id(kind, data); got != id {
		return nil, fmt.Errorf("the repository is damaged: the %s %s has the contents of %s", kind, id, got)
	}
	return data, nil
}

func (b *batch) read(kind, id string, limit int64) ([]byte, error) {
	if _, err := io.WriteString(b.in, id+"\n"); err != nil {
		return nil, fmt.Errorf("git cat-file ended: %w", err)
	}
	header, err := b.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file ended: %w", err)
	}
	fields := strings.Fields(header)
	if len(fields) == 2 && fields[1] == "missing" {
		return nil, fmt.Errorf("%w %s", ErrMissing, id)
	}
	if len(fields) != 3 || fields[1] != kind {
		return nil, fmt.Errorf("the object %s is not a %s", id, kind)
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	if size > limit {
		return nil, fmt.Errorf("%w: it has %d bytes, and at most %d are read", ErrTooLarge, size, limit)
	}
	data := make([]byte, size+1) // with the line break that follows
	if _, err := io.ReadFull(b.out, data); err != nil {
		return nil, fmt.Errorf("git cat-file ended: %w", err)
	}
	return data[:size], nil
}

// maxCommit and maxTree bound commits and folders, bytes: a message, and a folder of some
// hundred thousand files.
const (
	maxCommit = 16 << 20
	maxTree   = 64 << 20
)

// Commit is what counts of a commit.
type Commit struct {
	Tree    string
	Parents []string
}

// Commit reads a commit by its id. Its parents are those that it names, also where a shallow
// clone lacks them.
func (r *Repository) Commit(ctx context.Context, id string) (*Commit, error) {
	data, err := r.Read(ctx, "commit", id, maxCommit)
	if err != nil {
		return nil, err
	}
	c := &Commit{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			break // the message follows
		}
		if tree, ok := strings.CutPrefix(line, "tree "); ok && c.Tree == "" && IsID(tree) {
			c.Tree = tree
		} else if parent, ok := strings.CutPrefix(line, "parent "); ok && IsID(parent) {
			c.Parents = append(c.Parents, parent)
		}
	}
	if c.Tree == "" {
		return nil, fmt.Errorf("the commit %s has no tree", id)
	}
	return c, nil
}

// Kinds of entries, by git's modes.
const (
	ModeTree      = "40000"
	ModeLink      = "120000"
	ModeSubmodule = "160000"
)

// Entry is an entry of a tree. The zero value stands for none.
type Entry struct {
	Mode string // such as 100644
	Name string
	ID   string
}

// IsFile reports whether an entry is a regular file.
func (e Entry) IsFile() bool { return strings.HasPrefix(e.Mode, "100") }

// Tree reads a tree by its id.
func (r *Repository) Tree(ctx context.Context, id string) ([]Entry, error) {
	data, err := r.Read(ctx, "tree", id, maxTree)
	if err != nil {
		return nil, err
	}
	length := r.newHash().Size()
	var entries []Entry
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, named := strings.Cut(string(head), " ")
		if !ok || !named || len(rest) < length {
			return nil, fmt.Errorf("the tree %s is malformed", id)
		}
		if name == "" || name == "." || name == ".." || strings.Contains(name, "/") {
			return nil, fmt.Errorf("the tree %s has an entry called %q", id, name)
		}
		if strings.HasPrefix(mode, "100") { // old versions of git wrote others, such as 100664
			mode = map[bool]string{false: "100644", true: "100755"}[strings.Contains(mode, "7")]
		}
		entries = append(entries, Entry{Mode: mode, Name: name, ID: hex.EncodeToString(rest[:length])})
		data = rest[length:]
	}
	return entries, nil
}

// Find finds the entry of a commit at a slash-separated path; false if there is none.
func (r *Repository) Find(ctx context.Context, commit, file string) (Entry, bool, error) {
	c, err := r.Commit(ctx, commit)
	if err != nil {
		return Entry{}, false, err
	}
	at := Entry{Mode: ModeTree, ID: c.Tree}
	for _, name := range strings.Split(path.Clean(file), "/") {
		if name == "." {
			continue
		}
		if at.Mode != ModeTree {
			return Entry{}, false, nil
		}
		entries, err := r.Tree(ctx, at.ID)
		if err != nil {
			return Entry{}, false, err
		}
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name })
		if i < 0 {
			return Entry{}, false, nil
		}
		at = entries[i]
	}
	return at, true, nil
}

// EmptyTree is the id of the tree without files.
func (r *Repository) EmptyTree() string { return r.id("tree", nil) }
