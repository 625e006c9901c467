//go:build unix

package project

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/sightline-evm/sightline/diffmap/compile/child"
)

// rootOwns reports whether the tool of a project would run as root: we are root, and so
// is the project's owner.
func rootOwns(folder string) (bool, error) {
	if os.Geteuid() != 0 {
		return false, nil
	}
	info, err := os.Stat(folder)
	if err != nil {
		return false, err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && owner.Uid == 0, nil
}

// copyFor copies a project for a user without rights, who becomes the owner of the copy.
func copyFor(ctx context.Context, from, to string) error {
	return copyTree(ctx, from, to, func(path string) error { return os.Lchown(path, child.Stranger, child.Stranger) })
}

// copyTree copies the files, folders and symbolic links below from into the new folder to, and calls own for each. Git's folders,
// which may hold credentials, are left out. No link is followed, whatever becomes of the files meanwhile.
func copyTree(ctx context.Context, from, to string, own func(path string) error) error {
	tree, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer tree.Close()
	return fs.WalkDir(tree.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case d.Name() == ".git" && d.IsDir():
			return fs.SkipDir
		case d.Name() == ".git":
			return nil
		}
		path := filepath.Join(to, filepath.FromSlash(name))
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			err = os.Mkdir(path, info.Mode().Perm()|0o700)
		case d.Type() == fs.ModeSymlink:
			var target string
			if target, err = tree.Readlink(name); err == nil {
				err = os.Symlink(target, path)
			}
		case d.Type().IsRegular():
			err = copyFile(tree, name, path, info.Mode().Perm()|0o600)
		default:
			return nil // a socket or a device: no build reads it
		}
		if err != nil {
			return err
		}
		return own(path)
	})
}

// copyFile copies one regular file of a tree.
func copyFile(tree *os.Root, name, to string, mode fs.FileMode) error {
	// Without waiting: it may be a pipe by now.
	in, err := tree.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("%s is not a file", name))
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
