package pipeline

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// gcPercent is by how much a campaign's heap may grow before the next collection, in
	// percent: twice Go's default, as long as the limits below allow it. On the token and the vault example,
	// whose heaps are small, it takes 3 % less of the processor's time than 50 did, and 30 MB more. GOGC overrides it.
	gcPercent = 200

	// campaignMemory is the memory limit of a campaign, bytes: the closer to it, the more
	// often garbage is collected. A campaign should take less than 500 MB, and no more after
	// ten minutes than after one. Measured on openzeppelin-solidity with every line a target:
	// so it is with 300 MB, of which about 200 are in use; with 400 it went on growing for
	// five minutes. GOMEMLIMIT overrides it.
	campaignMemory = 300 << 20

	// liveMemory: a campaign may always take this multiple of the memory in use at its
	// start; with less room the collector would run all the time. Measured on
	// @aave/core-v3 with every line a target: 51 MB are in use at the start, 290 to 340
	// after two minutes, and no more after eight.
	liveMemory = 8.5

	// littleMemory, bytes, is not worth freeing: getting it from the system again takes a small project as long as all else before the
	// campaign. Where all of it is in use, the limit is still campaignMemory, see liveMemory.
	littleMemory = 32 << 20
)

// boundMemory frees what reading the project took, unless it is little, which is more than a
// campaign needs, and limits the campaign's memory from here on. The limit is soft: a campaign
// that needs more memory takes it. With GOMEMLIMIT the caller bounds it, and it is not freed either.
func boundMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	var memory runtime.MemStats
	if runtime.ReadMemStats(&memory); memory.HeapSys-memory.HeapReleased > littleMemory {
		debug.FreeOSMemory()
		runtime.ReadMemStats(&memory)
	}
	debug.SetMemoryLimit(max(campaignMemory, int64(liveMemory*float64(memory.HeapAlloc))))
}
