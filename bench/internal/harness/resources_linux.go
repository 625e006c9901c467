package harness

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// limitMemory bounds what this process and each of its children may allocate,
// bytes: a program under test that runs away must not take the machine, and
// whatever else is measured on it, along.
func limitMemory(bytes uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return err
	}
	limit.Cur = min(bytes, limit.Max) // the caller may have set a lower limit
	limit.Max = limit.Cur
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)
}

// WatchMemory follows the memory of a process until stop is called, which gives
// the most it held at once, bytes. It asks the system again and again for what
// the process has held at most until then: what a process that ended has used, the
// system tells together with its children, and a compiler holds more than the
// fuzzer that calls it.
func WatchMemory(pid int) (stop func() float64) {
	end, peak := make(chan struct{}), make(chan float64)
	go func() {
		most := 0.0
		ticker := time.NewTicker(watchEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				most = max(most, peakOf(pid))
			case <-end:
				peak <- max(most, peakOf(pid))
				return
			}
		}
	}()
	return func() float64 {
		close(end)
		return <-peak
	}
}

// CPUSeconds is the processor time that this process has taken so far, on all
// processors; 0 where the system does not tell.
func CPUSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// watchEvery is how long the last growth of a process may go unseen. Arbitrary.
const watchEvery = 20 * time.Millisecond

// peakOf is the most memory that a running process has held until now, bytes; 0
// where it does not run.
func peakOf(pid int) float64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kib float64 // proc_pid_status(5)
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kib); n == 1 {
			return kib * 1024
		}
	}
	return 0
}
