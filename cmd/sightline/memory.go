package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// gcPercent is how much a campaign's memory may grow over what it uses before
	// it is collected, in percent. Runners are small, and half of Go's default
	// costs a campaign 0 to 5 % of its time (measured on the vault example and on
	// openzeppelin-solidity with every line a target). GOGC overrides it.
	gcPercent = 50

	// campaignMemory is what a campaign keeps below where it can, bytes: a campaign
	// should take less than 500 MB, of which the program's own pages are some 40
	// (measured), and some remain for what the runtime does not count. Closer to it
	// garbage is collected more often. GOMEMLIMIT overrides it.
	campaignMemory = 400 << 20

	// liveMemory is how many times the memory in use at its start a campaign may
	// always take: under a limit with less room the collector would run all the
	// time. Measured: over ten minutes no project came to three times.
	liveMemory = 3
)

// boundMemory gives back what reading the project took, which is more than a
// campaign needs, and bounds what the campaign may take from here on. It is no
// hard limit: where more is in use, more is taken.
func boundMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	debug.FreeOSMemory()
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	debug.SetMemoryLimit(max(campaignMemory, liveMemory*int64(memory.HeapAlloc)))
}
