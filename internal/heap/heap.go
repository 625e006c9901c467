// Package heap gives the garbage collector room.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// room is how far a heap may grow before it is collected, in bytes, where what is in use is less than that. By Go's own rule it is
	// collected when it has doubled: of a campaign on OpenZeppelin's contracts, with 40 MB in use, that takes an eighth of the
	// time. With room it holds 340 MB at most, and held 220; heaps larger than the room are as large as they were.
	room = 192 << 20
	// least is Go's own rule, in percent of what is in use. most bounds what is asked for of a program that has hardly begun:
	// arbitrary.
	least, most = 100, 800
)

// percent is by how many hundredths of what is in use, in bytes, the heap may grow.
func percent(used uint64) int {
	return int(min(max(room*100/max(used, 1), least), most))
}

var once sync.Once

// LeaveRoom lets small heaps of this process grow further before they are collected, unless GOGC or GOMEMLIMIT
// is set in the environment: that decides then.
func LeaveRoom() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	once.Do(func() {
		debug.SetGCPercent(most)
		afterCollection(most)
	})
}

// cycle is garbage at once, and collected by the next collection. It holds a pointer, so that it shares its place with
// nothing that lives longer.
type cycle struct{ _ *byte }

// afterCollection sets the percentage anew behind each collection; set is what it is.
func afterCollection(set int) {
	runtime.AddCleanup(new(cycle), func(set int) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		next := set
		if live[0].Value.Kind() == metrics.KindUint64 {
			next = percent(live[0].Value.Uint64())
		}
		if next != set {
			debug.SetGCPercent(next)
		}
		afterCollection(next)
	}, set)
}
