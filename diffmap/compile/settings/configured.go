package settings

import (
	"os"
	"path/filepath"
	"slices"
)

// Configurations are the files that say that their folder is a project's.
var Configurations = []string{
	"foundry.toml",
	"hardhat.config.js", "hardhat.config.ts", "hardhat.config.cjs", "hardhat.config.mjs", "hardhat.config.cts", "hardhat.config.mts",
	"truffle-config.js", "truffle.js",
}

// IsConfigured reports whether a build tool is configured for a folder.
func IsConfigured(folder string) bool {
	return slices.ContainsFunc(Configurations, func(name string) bool {
		info, err := os.Stat(filepath.Join(folder, name))
		return err == nil && info.Mode().IsRegular()
	})
}
