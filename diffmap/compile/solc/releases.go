package solc

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// releasesText is the table of the releases of solc that Sightline takes for what they are,
// a line each: version, commit, platform ("soljson" or a native one) and the SHA-256 of the
// program. The sums of soljson were computed from the npm packages solc; Solidity's own list
// of binaries has other files of the same builds before 0.6.2 and since 0.8.13. npm's 0.8.1
// holds 0.8.0 and is left out, its 0.8.7 holds 0.7.5 and is replaced by 0.8.7-fixed. The native
// sums up to 0.8.31 are from Solidity's list (linux-amd64/list.json), and all but that of
// 0.4.26 were compared with a second record of it; those of 0.8.33, 0.8.35 and 0.8.36 are as
// independent projects pin them. A sum that is wrong refuses the genuine compiler, and lets
// nothing else through.
//
// hack/solc-releases.sh prints the rows of a release that is not here yet.
//
//go:embed releases.txt
var releasesText string

// soljsonPlatform is the platform of Emscripten builds, which node runs.
const soljsonPlatform = "soljson"

// release is a program that Solidity released.
type release struct {
	version  Version
	commit   string
	platform string
	sum      [sha256.Size]byte
}

// long is the version with its commit.
func (r release) long() string { return r.version.String() + "+commit." + r.commit }

// path is where Solidity's list of binaries has a native program, below its address.
func (r release) path() string { return r.platform + "/solc-" + r.platform + "-v" + r.long() }

// releaseTable has releases in the order of their versions.
type releaseTable []release

// released is the table that is part of the program.
var released = parseReleases(releasesText)

// parseReleases reads a table; a line that is not one breaks the program's build.
func parseReleases(text string) releaseTable {
	var table releaseTable
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 4 {
			panic(fmt.Sprintf("releases.txt: %q", line))
		}
		r := release{commit: fields[1], platform: fields[2]}
		var err error
		if r.version, err = ParseVersion(fields[0]); err != nil {
			panic("releases.txt: " + err.Error())
		}
		if n, err := hex.Decode(r.sum[:], []byte(fields[3])); err != nil || n != sha256.Size {
			panic(fmt.Sprintf("releases.txt: %q", line))
		}
		table = append(table, r)
	}
	return table
}

// identify is the release that a program's bytes are.
func (t releaseTable) identify(program []byte) (release, bool) {
	sum := sha256.Sum256(program)
	if i := slices.IndexFunc(t, func(r release) bool { return r.sum == sum }); i >= 0 {
		return t[i], true
	}
	return release{}, false
}

// find is the release of a version for a platform.
func (t releaseTable) find(v Version, platform string) (release, bool) {
	if i := slices.IndexFunc(t, func(r release) bool { return r.version == v && r.platform == platform }); i >= 0 {
		return t[i], true
	}
	return release{}, false
}

// newest is the newest version that all ranges allow and that is there for one of the
// platforms.
func (t releaseTable) newest(ranges []Range, platforms []string) (newest Version, found bool) {
	for _, r := range t {
		if slices.Contains(platforms, r.platform) && satisfies(r.version, ranges) && (!found || newest.Less(r.version)) {
			newest, found = r.version, true
		}
	}
	return newest, found
}

// span is the oldest and the newest version of the table, for messages.
func (t releaseTable) span() (oldest, newest Version) {
	for i, r := range t {
		if i == 0 || r.version.Less(oldest) {
			oldest = r.version
		}
		if i == 0 || newest.Less(r.version) {
			newest = r.version
		}
	}
	return oldest, newest
}
