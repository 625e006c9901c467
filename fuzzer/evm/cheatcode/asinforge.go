package cheatcode

import "strings"

// outside lists the names, or their beginnings, of cheatcodes whose answers depend on the
// world outside: files, and the environment that forge was started in.
var outside = []string{"env", "exists", "isFile", "isDir", "readDir", "isContext", "unixTime"}

// AsInForge reports whether the call of a cheatcode, which succeeded or failed, did what
// forge would have done, as far as is known: only then does the outcome of a test say
// anything about the code under test. Cheatcodes that are meant to fail do so in forge, too;
// others may fail only here, since a World has no files and artifacts.
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
