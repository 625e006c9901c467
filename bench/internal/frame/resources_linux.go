package frame

import (
	"os"
	"syscall"
)

// limitMemory bounds what this process and each of its children may allocate,
// bytes: a program under test that runs away must not take the machine, and
// whatever else is measured on it, along.
func limitMemory(bytes uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return err
	}
	limit.Cur = min(bytes, limit.Max) // somebody may have bounded us already
	limit.Max = limit.Cur
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)
}

// PeakMemory is the most memory that a process which ended held at once, bytes;
// 0 where the system does not tell.
func PeakMemory(state *os.ProcessState) float64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(usage.Maxrss) * 1024 // KiB, getrusage(2)
}
