package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Configurations are the files that say that their folder is a project's.
var Configurations = []string{
	"foundry.toml",
	"hardhat.config.js", "hardhat.config.ts", "hardhat.config.cjs", "hardhat.config.mjs", "hardhat.config.cts", "hardhat.config.mts",
	"truffle-config.js", "truffle.js",
}

// configurations are those whose names begin with a prefix.
func configurations(prefix string) []string {
	return slices.DeleteFunc(slices.Clone(Configurations), func(name string) bool { return !strings.HasPrefix(name, prefix) })
}

// IsConfigured reports whether a build tool is configured for a folder.
func IsConfigured(folder string) bool {
	return slices.ContainsFunc(Configurations, func(name string) bool {
		info, err := os.Stat(filepath.Join(folder, name))
		return err == nil && info.Mode().IsRegular()
	})
}
