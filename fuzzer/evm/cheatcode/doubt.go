package cheatcode

import "strings"

// outside lists the names, or how they begin, of cheatcodes whose answers depend on what
// is outside of a World: files, and the environment that forge was started in.
var outside = []string{"env", "exists", "isFile", "isDir", "readDir", "isContext", "unixTime"}

// AsInForge reports whether the call of a cheatcode, which succeeded or failed, did what forge
// would have done, as far as can be told: only then does what a test made of it say
// anything of the code under test. A failure is as in forge where the cheatcode is
// there to fail: of others it may be ours, who have no files and artifacts in a World.
func AsInForge(input []byte, succeeded bool) bool {
	if len(input) < 4 {
		return false
	}
	c := index()[[4]byte(input)]
	if c == nil || c.Status == refused {
		return false
	}
	for _, name := range outside {
		if strings.HasPrefix(c.name, name) {
			return false
		}
	}
	if c.Status == accepted {
		return succeeded && len(c.result) == 0
	}
	return succeeded || strings.HasPrefix(c.name, "assert") || strings.HasPrefix(c.name, "assume") || c.name == "skip"
}

// ExpectsRevert reports whether input calls a cheatcode that expects the next call to revert.
func ExpectsRevert(input []byte) bool {
	if len(input) < 4 {
		return false
	}
	c := index()[[4]byte(input)]
	return c != nil && (c.name == "expectRevert" || c.name == "expectPartialRevert")
}
