//go:build !linux

package harness

// limitMemory does nothing here: what is measured is not bounded.
func limitMemory(uint64) error { return nil }

// watchMemory does nothing here: nothing is known of a process's memory.
func watchMemory(int) (stop func() float64) { return func() float64 { return 0 } }

// CPUSeconds is the processor time that this process has taken so far; 0 where
// the system does not tell.
func CPUSeconds() float64 { return 0 }
