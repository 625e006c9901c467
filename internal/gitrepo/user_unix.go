//go:build unix

package gitrepo

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
)

// owner is the user who owns a working tree, where we are root and that is another.
type owner struct{ user, group uint32 }

func ownerOf(top string) (*owner, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	info, err := os.Stat(top)
	if err != nil {
		return nil, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 {
		return nil, nil
	}
	o := &owner{stat.Uid, stat.Gid}
	for folder := filepath.Dir(top); ; folder = filepath.Dir(folder) {
		if info, err = os.Stat(folder); err != nil || !o.passes(info) {
			return nil, err // the owner cannot get there: it was given away below a closed folder
		}
		if folder == filepath.Dir(folder) {
			return o, nil
		}
	}
}

// passes reports whether the owner may pass a folder. One of their own counts: they could
// close it to have git run as root.
func (o *owner) passes(folder fs.FileInfo) bool {
	stat, ok := folder.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == o.user || folder.Mode().Perm()&0o001 != 0 || stat.Gid == o.group && folder.Mode().Perm()&0o010 != 0)
}

// become makes the child run as the owner.
func (o *owner) become(cmd *exec.Cmd) {
	if o != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: o.user, Gid: o.group}
	}
}

// group puts the child into a process group of its own, which is killed as one.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// start starts a command. A sandbox may forbid changing the user, even to root.
func start(cmd *exec.Cmd) error {
	err := cmd.Start()
	if err != nil && errors.Is(err, fs.ErrPermission) && cmd.SysProcAttr.Credential != nil {
		cmd.SysProcAttr.Credential, cmd.Process = nil, nil
		err = cmd.Start()
	}
	return err
}

// temporary makes a folder that only we can write, and that the owner can read: the first
// place for temporary files whose folders everyone may pass.
func temporary(o *owner) (string, error) {
	if o == nil {
		return os.MkdirTemp("", "sightline-git-")
	}
	places := []string{os.TempDir(), "/tmp", "/var/tmp"}
	i := slices.IndexFunc(places, passable)
	folder, err := os.MkdirTemp(places[max(i, 0)], "sightline-git-")
	if err != nil {
		return "", err
	}
	return folder, os.Chmod(folder, 0o755)
}

// passable reports whether everyone may pass a folder and those that lead to it.
func passable(folder string) bool {
	for {
		info, err := os.Stat(folder)
		if err != nil || !info.IsDir() || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if folder == filepath.Dir(folder) {
			return true
		}
		folder = filepath.Dir(folder)
	}
}
