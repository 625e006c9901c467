//go:build unix

package solc

import (
	"os"
	"path/filepath"
	"syscall"
)

// private reports whether only we and root can change where a folder is, so that what
// we write to it is not led elsewhere: a container's home may belong to the user whose
// project is built. The folder need not be there yet. A group may write only where we are not
// root: many systems give every user one of their own.
func private(folder string) bool {
	others := os.FileMode(0o002)
	if os.Geteuid() == 0 {
		others = 0o022
	}
	for {
		real, err := filepath.EvalSymlinks(folder)
		if err == nil {
			folder = real
			break
		}
		parent := filepath.Dir(folder)
		if !os.IsNotExist(err) || parent == folder {
			return false
		}
		folder = parent
	}
	for {
		info, err := os.Stat(folder)
		if err != nil {
			return false
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok || stat.Uid != 0 && int(stat.Uid) != os.Geteuid() || info.Mode().Perm()&others != 0 && info.Mode()&os.ModeSticky == 0 {
			return false
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return true
		}
		folder = parent
	}
}
