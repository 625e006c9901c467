package build

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// cachedCompiler matches the compilers that tools keep, by the name they give
// them: svm's solc-0.8.30 (Foundry), solc-linux-amd64-v0.8.30+commit.73712a01
// and soljson-v0.8.30+commit.73712a01.js (Hardhat, after the official list).
var cachedCompiler = regexp.MustCompile(`^(?:solc|soljson)-(?:[a-z0-9]+-[a-z0-9]+-)?v?(\d+\.\d+\.\d+)(?:\+commit\.[0-9a-f]+)?(\.js|\.exe)?$`)

// maxCached bounds the compilers of one cache; there are some 120 releases of
// solc. Arbitrary.
const maxCached = 1000

// cachedCompilers lists the compilers in the caches of Foundry and Hardhat,
// native ones first, by version. They are asked for nothing yet. node is empty
// where it is missing; soljson files are no compilers then.
func cachedCompilers(home, node string, limits Limits) []*Compiler {
	var native, scripts []*Compiler
	for _, pattern := range cachePatterns(home) {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) > maxCached {
			continue
		}
		for _, file := range files {
			c := cachedAt(file, limits)
			switch {
			case c == nil:
			case !strings.HasSuffix(file, ".js"):
				native = append(native, c)
			case node != "":
				c.node = node
				scripts = append(scripts, c)
			}
		}
	}
	for _, list := range [][]*Compiler{native, scripts} {
		slices.SortStableFunc(list, func(a, b *Compiler) int { return a.version.Compare(b.version) })
	}
	return append(native, scripts...)
}

// cachedAt is the compiler in a file of a cache; nil when it is none.
func cachedAt(file string, limits Limits) *Compiler {
	m := cachedCompiler.FindStringSubmatch(filepath.Base(file))
	if m == nil {
		return nil
	}
	version, err := ParseVersion(m[1])
	if err != nil {
		return nil
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	if m[2] == "" && info.Mode().Perm()&0o111 == 0 {
		return nil // a download that did not end
	}
	if _, err := os.Stat(file + ".does.not.work"); err == nil {
		return nil // Hardhat's own mark: built for another C library
	}
	return &Compiler{version: version, path: file, limits: limits}
}

// cachePatterns are where Foundry's and Hardhat's compilers lie, as patterns of
// filepath.Match. svm keeps them below its data folder, and below ~/.svm where
// that exists from its first versions; Hardhat below the user's cache.
func cachePatterns(home string) []string {
	if home == "" {
		return nil
	}
	data := []string{firstOf(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share"))}
	caches := []string{filepath.Join(firstOf(os.Getenv("XDG_CACHE_HOME"), filepath.Join(home, ".cache")), "hardhat-nodejs")}
	switch runtime.GOOS {
	case "darwin":
		data = []string{filepath.Join(home, "Library", "Application Support")}
		caches = []string{filepath.Join(home, "Library", "Caches", "hardhat-nodejs")}
	case "windows":
		data = []string{os.Getenv("APPDATA")}
		caches = []string{filepath.Join(os.Getenv("LOCALAPPDATA"), "hardhat-nodejs", "Cache")}
	}
	patterns := []string{filepath.Join(home, ".svm", "*", "solc-*")}
	for _, folder := range data {
		patterns = append(patterns, filepath.Join(folder, "svm", "*", "solc-*"))
	}
	for _, folder := range caches {
		patterns = append(patterns, filepath.Join(folder, "compilers-v[23]", "*", "sol*-v*"))
	}
	return patterns
}
