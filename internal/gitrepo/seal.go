package gitrepo

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Sealed is a repository of ours with two trees of files that were read and checked. It has
// no other object, no working tree and no attributes, so that nothing that a pull request
// may have written decides what git says of them.
type Sealed struct {
	Old, New string   // the trees
	Left     []Change // those with a file that is too large

	r   *Repository
	dir string
}

// Seal makes the two trees of changes: the files that differ, without what is equal. Changes
// with a file larger than limit bytes are left out.
func (r *Repository) Seal(ctx context.Context, changes []Change, limit int64) (*Sealed, error) {
	s := &Sealed{r: r, dir: filepath.Join(r.private, "sealed")}
	config := "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = " + r.format + "\n"
	if err := r.write("sealed/config", config); err != nil {
		return nil, err
	}
	// No commit: without a HEAD, git reads no attributes from it.
	if err := r.write("sealed/HEAD", "ref: refs/heads/none\n"); err != nil {
		return nil, err
	}
	for _, folder := range []string{"sealed/objects", "sealed/refs"} {
		if err := r.mkdir(folder); err != nil {
			return nil, err
		}
	}
	var old, head folder
	for _, c := range changes {
		err := errors.Join(s.blob(ctx, c.Old, limit), s.blob(ctx, c.New, limit))
		if errors.Is(err, ErrTooLarge) {
			s.Left = append(s.Left, c)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", c.Path, err)
		}
		old.add(strings.Split(c.Path, "/"), c.Old)
		head.add(strings.Split(c.Path, "/"), c.New)
	}
	var err error
	if s.Old, err = s.writeTree(&old); err != nil {
		return nil, err
	}
	s.New, err = s.writeTree(&head)
	return s, err
}

// blob copies a file's contents. A submodule's commit is in another repository.
func (s *Sealed) blob(ctx context.Context, e Entry, limit int64) error {
	if e.Mode == "" || e.Mode == ModeSubmodule {
		return nil
	}
	data, err := s.r.Read(ctx, "blob", e.ID, limit)
	if err != nil {
		return err
	}
	_, err = s.write("blob", data)
	return err
}

// folder is a tree that is being made.
type folder struct {
	files   map[string]Entry
	folders map[string]*folder
}

func (f *folder) add(path []string, e Entry) {
	if e.Mode == "" {
		return
	}
	if len(path) == 1 {
		if f.files == nil {
			f.files = map[string]Entry{}
		}
		f.files[path[0]] = e
		return
	}
	if f.folders == nil {
		f.folders = map[string]*folder{}
	}
	if f.folders[path[0]] == nil {
		f.folders[path[0]] = &folder{}
	}
	f.folders[path[0]].add(path[1:], e)
}

// writeTree writes a folder and those below it, and returns its id.
func (s *Sealed) writeTree(f *folder) (string, error) {
	entries := maps.Clone(f.files)
	if entries == nil {
		entries = map[string]Entry{}
	}
	for name, below := range f.folders {
		id, err := s.writeTree(below)
		if err != nil {
			return "", err
		}
		entries[name+"/"] = Entry{Mode: ModeTree, ID: id} // folders are in order as if their names ended so
	}
	var data bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		id, err := hex.DecodeString(entries[name].ID)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&data, "%s %s\x00%s", entries[name].Mode, strings.TrimSuffix(name, "/"), id)
	}
	return s.write("tree", data.Bytes())
}

// write writes an object, and returns its id.
func (s *Sealed) write(kind string, data []byte) (string, error) {
	id := s.r.id(kind, data)
	file := filepath.Join(s.dir, "objects", id[:2], id[2:])
	var packed bytes.Buffer
	w, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(w, "%s %d\x00", kind, len(data))
	_, _ = w.Write(data) // a buffer takes all
	if err := w.Close(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", err
	}
	return id, os.WriteFile(file, packed.Bytes(), 0o644)
}

// Diff calls git diff on the two trees.
func (s *Sealed) Diff(ctx context.Context, limit int, options ...string) ([]byte, error) {
	return s.r.run(ctx, limit, func(ctx context.Context) *exec.Cmd {
		cmd := s.r.command(ctx, s.dir, append(s.r.noUserConfig(), noProtocol), slices.Concat([]string{"diff"}, options, []string{s.Old, s.New, "--"})...)
		s.r.owner.become(cmd)
		return cmd
	})
}
