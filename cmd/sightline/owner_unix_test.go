//go:build unix

package main

import (
	"io/fs"
	"syscall"
)

// ownedByRoot reports whether a file belongs to root.
func ownedByRoot(info fs.FileInfo) bool { return info.Sys().(*syscall.Stat_t).Uid == 0 }
