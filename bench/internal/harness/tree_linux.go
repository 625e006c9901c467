package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// sampleEvery is how often the processes below one are looked at: a compiler that
// runs for less is missed. With 50 ms, looking took 15 % of a core on a machine with
// some hundred processes.
const sampleEvery = 200 * time.Millisecond

// Tree follows a running process and its descendants, until Stop.
type Tree struct {
	stop, done chan struct{}
	mu         sync.Mutex
	most       float64
	others     time.Duration
}

// WatchTree begins to follow a process. Descendants called as in apart do not count
// as other programs.
func WatchTree(pid int, apart ...string) *Tree {
	t := &Tree{stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(t.done)
		ticker := time.NewTicker(sampleEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				t.sample(pid, apart)
			case <-t.stop:
				return
			}
		}
	}()
	return t
}

// Stop ends it.
func (t *Tree) Stop() {
	close(t.stop)
	<-t.done
}

// Memory is the most that the process and its descendants held at once until now,
// bytes; pages that several of them share count several times.
func (t *Tree) Memory() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.most
}

// Others is for how long until now a descendant ran.
func (t *Tree) Others() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.others
}

// sample looks at the processes once.
func (t *Tree) sample(pid int, apart []string) {
	type process struct {
		parent   int
		name     string
		resident float64
	}
	processes := map[int]process{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is a good one
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// proc_pid_stat(5): "pid (name) state parent …"; the name may hold anything.
		begin, end := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
		if begin < 0 || end < begin {
			continue
		}
		id, _ := strconv.Atoi(strings.TrimSpace(string(text[:begin])))
		fields := strings.Fields(string(text[end+1:]))
		const parent, resident = 1, 21 // of the fields after the name
		if len(fields) <= resident || fields[0] == "Z" {
			continue
		}
		p := process{name: string(text[begin+1 : end])}
		p.parent, _ = strconv.Atoi(fields[parent])
		pages, _ := strconv.Atoi(fields[resident])
		p.resident = float64(pages * os.Getpagesize())
		processes[id] = p
	}
	sum, other := 0.0, false
	for id, p := range processes {
		at := id
		for at != pid && at > 1 {
			at = processes[at].parent
		}
		if at != pid {
			continue
		}
		sum += p.resident
		other = other || id != pid && !slices.Contains(apart, p.name)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.most = max(t.most, sum)
	if other {
		t.others += sampleEvery
	}
}
