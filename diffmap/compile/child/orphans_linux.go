package child

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Orphans ends what a program leaves running in the background, in whatever process group and
// session it put itself, so that a stranger's program does not watch what comes after it.
// Call it before the program starts, and what it returns once it has ended; no other program may
// be started in between.
func Orphans() (end func()) {
	// Processes whose parent ends become our children instead of the system's (prctl(2)). Where that
	// is refused, all that is missed are some orphans.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	ours := children()
	return func() {
		// A killed process leaves its own children to us. Arbitrary bound: a program that starts others
		// faster than this can be ended only with the container.
		for range 100 {
			left := slices.DeleteFunc(children(), func(pid int) bool { return slices.Contains(ours, pid) })
			if len(left) == 0 {
				return
			}
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
			}
			for _, pid := range left {
				_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// children are the processes that are ours, by proc_pid_children(5).
func children() []int {
	var pids []int
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread that has ended has none
		for field := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
