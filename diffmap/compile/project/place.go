package project

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/compile/child"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// place is where a project's tool runs.
type place struct {
	checkout string // what was copied; empty: the tool runs in the project itself
	copy     string // of the checkout
	home     string // of the user who runs the tool there; empty: as our own, or the owner's
}

// placeFor is where a tool of the project runs: in its folder, as the folder's owner. A
// stranger's project that belongs to root is copied for a user without rights, since nothing of
// it may run as root; then done removes the copy, else it does nothing.
func (f *finder) placeFor(ctx context.Context) (p place, done func(), err error) {
	done = func() {}
	if !f.Strangers {
		return place{}, done, nil
	}
	owned, err := rootOwns(f.root)
	if err != nil || !owned {
		return place{}, done, err
	}
	if f.Progress != nil {
		f.Progress("copying the project, which belongs to root, for a user without rights: its tools do not run as root")
	}
	folder, err := os.MkdirTemp("", "sightline-project-")
	if err != nil {
		return place{}, done, err
	}
	shown := closeGit(cmp.Or(f.Compilers.Repository, f.root))
	done = func() {
		shown()
		_ = os.RemoveAll(folder) // what is left in a temporary folder does no harm
	}
	p = place{checkout: cmp.Or(f.Compilers.Repository, f.root), copy: filepath.Join(folder, "project"), home: filepath.Join(folder, "home")}
	err = os.Mkdir(p.home, 0o700)
	for _, own := range []string{folder, p.home} {
		err = errors.Join(err, os.Chown(own, child.Stranger, child.Stranger))
	}
	if err == nil {
		err = copyFor(ctx, p.checkout, p.copy)
	}
	if err != nil {
		done()
		if ctx.Err() != nil {
			return place{}, func() {}, context.Cause(ctx)
		}
		return place{}, func() {}, &reading.Error{Origin: f.shown, Kind: ErrTool, Cause: err,
			Problem: "the project belongs to root, and cannot be copied for a user without rights: " + err.Error(),
			Remedy:  "build it in an earlier step, and pass what it has built with the input build"}
	}
	return p, done, nil
}

// closeGit keeps all users but root out of a checkout's git folder, where a credential may be,
// until what it returns is called. Its files can be read by all as git makes them.
func closeGit(checkout string) (open func()) {
	folder := filepath.Join(checkout, ".git")
	info, err := os.Lstat(folder)
	if err != nil || !info.IsDir() || os.Chmod(folder, 0o700) != nil {
		return func() {}
	}
	return func() { _ = os.Chmod(folder, info.Mode().Perm()) } // root does not need it
}

// of is what a path of the checkout is in the place.
func (p place) of(path string) string {
	if p.checkout == "" || !filepath.IsAbs(path) {
		return path
	}
	relative, err := filepath.Rel(p.checkout, path)
	if err != nil || !filepath.IsLocal(relative) {
		return path
	}
	return filepath.Join(p.copy, relative)
}

// from is what a path of the place is in the checkout.
func (p place) from(path string) string {
	if p.copy == "" {
		return path
	}
	relative, err := filepath.Rel(p.copy, path)
	if err != nil || !filepath.IsLocal(relative) {
		return path
	}
	return filepath.Join(p.checkout, relative)
}

// command is a command with the paths that it has in the place.
func (p place) command(c command) command {
	c.argv = slices.Clone(c.argv)
	c.argv[0] = p.of(c.argv[0])
	if !c.temporary {
		c.Builds = p.of(c.Builds)
	}
	return c
}
