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

// isolate puts the child into a process group of its own, which is killed as
// one, and, where we are root, gives it another user: a process of the same
// user can read our environment, tokens included, through /proc. Only where
// that user could not read the files the child needs does it stay ours.
func isolate(cmd *exec.Cmd, files []string) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if os.Geteuid() != 0 {
		return
	}
	for _, file := range files {
		if !readableByAll(file) {
			return
		}
	}
	if os.Chown(cmd.Dir, nobody, nobody) == nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
}

// readableByAll tells whether every user can read the file, behind symbolic
// links too.
func readableByAll(path string) bool {
	path, err := filepath.EvalSymlinks(path)
	if err != nil || !filepath.IsAbs(path) {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o004 == 0 {
		return false
	}
	for path != filepath.Dir(path) {
		path = filepath.Dir(path)
		if info, err = os.Stat(path); err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
	}
	return true
}
