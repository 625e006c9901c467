package solc

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// cachedCompiler matches the compilers that tools keep, by the name they give
// them: svm's solc-0.8.30 (Foundry), solc-linux-amd64-v0.8.30+commit.73712a01
// and soljson-v0.8.30+commit.73712a01.js (Hardhat, after the official list).
var cachedCompiler = regexp.MustCompile(`^(?:solc|soljson)-(?:[a-z0-9]+-[a-z0-9]+-)?v?(\d+\.\d+\.\d+)(?:\+commit\.[0-9a-f]+)?(\.js|\.exe)?$`)

// maxCached bounds the compilers of one cache; solc has about 120 releases. Arbitrary.
const maxCached = 1000

// cachedCompilers lists the compilers in the caches of Foundry and Hardhat, native ones
// first, by version. They have not been run yet. node is empty where it is missing;
// soljson files are then left out.
func cachedCompilers(home, node string, limits reading.Limits) []*Compiler {
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
func cachedAt(file string, limits reading.Limits) *Compiler {
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
	return &Compiler{version: version, path: file, limits: limits, origin: fromCache}
}

// firstHome is the given home, else the user's; empty where there is none, and no
// caches then.
func firstHome(given string) string {
	if given != "" {
		return given
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// svmFolders are where Foundry's compilers lie: ~/.svm, where its first versions
// kept them, and its data folder.
func svmFolders(home string) []string {
	if home == "" {
		return nil
	}
	data := cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share"))
	switch runtime.GOOS {
	case "darwin":
		data = filepath.Join(home, "Library", "Application Support")
	case "windows":
		data = os.Getenv("APPDATA")
	}
	return []string{filepath.Join(home, ".svm"), filepath.Join(data, "svm")}
}

// cachePatterns are where Foundry's and Hardhat's compilers lie, as patterns of
// filepath.Match: Hardhat keeps them below the user's cache.
func cachePatterns(home string) []string {
	if home == "" {
		return nil
	}
	cache := filepath.Join(cmp.Or(os.Getenv("XDG_CACHE_HOME"), filepath.Join(home, ".cache")), "hardhat-nodejs")
	switch runtime.GOOS {
	case "darwin":
		cache = filepath.Join(home, "Library", "Caches", "hardhat-nodejs")
	case "windows":
		cache = filepath.Join(os.Getenv("LOCALAPPDATA"), "hardhat-nodejs", "Cache")
	}
	var patterns []string
	for _, folder := range svmFolders(home) {
		patterns = append(patterns, filepath.Join(folder, "*", "solc-*"))
	}
	return append(patterns, filepath.Join(cache, "compilers-v[23]", "*", "sol*-v*"))
}
