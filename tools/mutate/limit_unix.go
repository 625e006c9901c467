//go:build unix

package main

import "syscall"

// limitMemory bounds what each program started from here on may take: a mistake may make a loop endless that appends. 4 GiB
// is more than the compiler and the tests of any package take, and two of it are there on a machine of GitHub's.
func limitMemory() error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: 4 << 30, Max: 4 << 30})
}
