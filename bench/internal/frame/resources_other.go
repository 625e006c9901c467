//go:build !linux

package frame

import "os"

// limitMemory does nothing here: what is measured is not bounded.
func limitMemory(uint64) error { return nil }

// PeakMemory is the most memory that a process which ended held at once, bytes;
// 0 where the system does not tell.
func PeakMemory(*os.ProcessState) float64 { return 0 }
