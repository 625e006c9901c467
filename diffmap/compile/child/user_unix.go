//go:build unix

package child

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Unprivileged is the user id that most Unix systems reserve for processes without rights.
const Unprivileged = 65534

// Stranger is the user id of tools of a stranger's project that belongs to root: not that of
// compilers, since a process may open the pipes of another of its user through /proc, and what
// a tool leaves running could then answer in a compiler's place. No user of Debian has it, and
// dynamic users of systemd end at 65519.
const Stranger = 65533

// Group puts the child into a process group of its own, which is killed as one.
func Group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// demote gives the child another user where we are root: a process of the same
// user can read our environment, tokens included, through /proc. Only where
// that user could not read the files the child needs does it stay ours. It
// reports whether the child's user is another.
func demote(cmd *exec.Cmd, files []string) bool {
	if os.Geteuid() != 0 {
		return false
	}
	for _, file := range append([]string{cmd.Path, filepath.Dir(cmd.Dir)}, files...) {
		if !ReadableByAll(file) {
			return false
		}
	}
	if err := os.Chown(cmd.Dir, Unprivileged, Unprivileged); err != nil {
		return false
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: Unprivileged, Gid: Unprivileged}
	return true
}

// ReadableByAll reports whether every user can read the file, through symbolic links
// too.
func ReadableByAll(path string) bool {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil || !filepath.IsAbs(path) {
		return false
	}
	info, err := os.Stat(resolved)
	return err == nil && info.Mode().Perm()&0o004 != 0 && reachableByAll(path) && reachableByAll(resolved)
}

// reachableByAll reports whether every user may pass the folders that lead to a
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

// BecomeOwner makes the child run as the user who owns the project's folder,
// where we are root and that is another: as it would without us, and so that it
// cannot read our environment through /proc. A folder that was made for its output
// becomes the user's, and so does HOME. It reports whether the child's user is
// another.
//
// Where the project is root's own the child runs as we do: another user could neither
// write the project's folders, as Hardhat does, nor read compilers below root's home. A
// workflow that checks out as root in a container and gives us secrets has to build in
// a step of its own and pass --build.
func BecomeOwner(cmd *exec.Cmd, root, folder string, made bool) (changed bool, err error) {
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
	cmd.Env = withHome(cmd.Env, owner.Uid)
	return true, nil
}

// withHome is an environment in which HOME is the user's own. What the runner or
// the user has set stays if it belongs to them.
func withHome(env []string, uid uint32) []string {
	i := slices.IndexFunc(env, func(variable string) bool { return strings.HasPrefix(variable, "HOME=") })
	if i >= 0 && owns(uid, strings.TrimPrefix(env[i], "HOME=")) {
		return env
	}
	home := os.TempDir() // tools want some folder that they can write
	if u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10)); err == nil && owns(uid, u.HomeDir) {
		home = u.HomeDir
	}
	env = slices.DeleteFunc(slices.Clone(env), func(variable string) bool { return strings.HasPrefix(variable, "HOME=") })
	return append(env, "HOME="+home)
}

// owns reports whether a folder belongs to the user.
func owns(uid uint32, folder string) bool {
	info, err := os.Stat(folder)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == uid
}
