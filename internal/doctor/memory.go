package doctor

import (
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// This file finds out how much memory there is: what the machine has, and what a container may take.

// maxText bounds a file of the system's, bytes: /proc/meminfo has a few thousand.
const maxText = 64 << 10

// memoryLimit is the least of the machine's memory and the limits of its control groups, bytes; 0 where
// the system does not say so in these files (Linux does).
func memoryLimit(system fs.FS) uint64 {
	least := totalMemory(readText(system, "proc/meminfo"))
	for _, name := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if limit := groupLimit(readText(system, name)); limit > 0 && (least == 0 || limit < least) {
			least = limit
		}
	}
	return least
}

func readText(system fs.FS, name string) string {
	f, err := system.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxText))
	if err != nil {
		return ""
	}
	return string(text)
}

// totalMemory is MemTotal of /proc/meminfo (proc(5)), bytes; 0 where it is not there.
func totalMemory(text string) uint64 {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != "MemTotal:" || fields[2] != "kB" {
			continue
		}
		if n, err := strconv.ParseUint(fields[1], 10, 54); err == nil { // times 1,024 fits
			return n << 10
		}
	}
	return 0
}

// groupLimit is the limit of a control group, bytes: a number, or "max" for none (cgroups(7)); 0: none.
// Version 1 writes none as a number near 2^63.
func groupLimit(text string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil || n >= 1<<60 {
		return 0
	}
	return n
}

// describeMemory is "7.7 GiB".
func describeMemory(bytes uint64) string {
	if bytes == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}
