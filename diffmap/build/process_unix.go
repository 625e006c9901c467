//go:build unix

package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// nobody is the user without rights of most Unix systems.
const nobody = 65534

// group puts the child into a process group of its own, which is killed as one.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// demote gives the child another user where we are root: a process of the same
// user can read our environment, tokens included, through /proc. Only where
// that user could not read the files the child needs does it stay ours. It
// tells whether the child's user is another.
func demote(cmd *exec.Cmd, files []string) bool {
	if os.Geteuid() != 0 {
		return false
	}
	for _, file := range append([]string{cmd.Path, filepath.Dir(cmd.Dir)}, files...) {
		if !readableByAll(file) {
			return false
		}
	}
	if err := os.Chown(cmd.Dir, nobody, nobody); err != nil {
		return false
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	return true
}

// readableByAll tells whether every user can read the file, behind symbolic
// links too.
func readableByAll(path string) bool {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil || !filepath.IsAbs(path) {
		return false
	}
	info, err := os.Stat(resolved)
	return err == nil && info.Mode().Perm()&0o004 != 0 && reachableByAll(path) && reachableByAll(resolved)
}

// reachableByAll tells whether every user may pass the folders that lead to a
// file.
func reachableByAll(path string) bool {
	for path != filepath.Dir(path) {
		path = filepath.Dir(path)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
	}
	return true
}

// becomeOwner makes the child run as the user who owns the project's folder,
// where we are root and that is another: as it would without us, and so that it
// cannot read our environment. Where the project is root's own it runs as we do.
// A folder that was made for its output becomes the user's. It tells whether
// the child's user is another.
func becomeOwner(cmd *exec.Cmd, root, folder string, made bool) (changed bool, err error) {
	if os.Geteuid() != 0 {
		return false, nil
	}
	info, err := os.Stat(root)
	if err != nil {
		return false, err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return false, nil
	}
	if made {
		if err := os.Chown(folder, int(owner.Uid), int(owner.Gid)); err != nil {
			return false, err
		}
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
	return true, nil
}
