//go:build !linux

package harness

import "time"

// limitMemory does nothing here: what is measured is not bounded.
func limitMemory(uint64) error { return nil }

// WatchMemory does nothing here: nothing is known of a process's memory.
func WatchMemory(int) (stop func() float64) { return func() float64 { return 0 } }

// CPUSeconds is the processor time that this process has taken so far; 0 where
// the system does not tell.
func CPUSeconds() float64 { return 0 }

// Tree follows a running process; here, nothing is known of it.
type Tree struct{}

// WatchTree does nothing here.
func WatchTree(int, ...string) *Tree { return &Tree{} }

// Stop does nothing here.
func (*Tree) Stop() {}

// Memory is 0 here.
func (*Tree) Memory() float64 { return 0 }

// Others is 0 here.
func (*Tree) Others() time.Duration { return 0 }
