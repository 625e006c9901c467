//go:build unix

package compile

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByUs reports whether only this user may have written a file or folder: what another
// step of a job has left in a cache, as another user, is not believed.
func ownedByUs(info fs.FileInfo) bool {
	const others = 0o022 // the group and everybody may write
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&others == 0
}
