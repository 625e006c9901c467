package pipeline

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

	// campaignMemory is what a campaign keeps below where it can, bytes: closer to
	// it garbage is collected more often. A campaign should take less than 500 MB,
	// and no more after ten minutes than after one. Measured: with 300 MB that is
	// so on openzeppelin-solidity with every line a target, of which some 200 are in
	// use; with 400 it went on growing for five minutes. GOMEMLIMIT overrides it.
	campaignMemory = 300 << 20

	// liveMemory is how many times the memory in use at its start a campaign may
	// always take: under a limit with less room the collector would run all the
	// time. Measured on @aave/core-v3 with every line a target: 51 MB are in use at
	// the start, 290 to 340 after two minutes, and no more after eight.
	liveMemory = 8.5
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
	debug.SetMemoryLimit(max(campaignMemory, int64(liveMemory*float64(memory.HeapAlloc))))
}
