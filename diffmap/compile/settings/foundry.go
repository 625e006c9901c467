// Package settings reads the configuration files of build tools: which tool a project is
// set up for, where its output lies, and what foundry.toml says.
package settings

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// FoundryFile is the name of Foundry's configuration file.
const FoundryFile = "foundry.toml"

// Paths are the paths that a Foundry project names, absolute.
type Paths struct {
	Out        string
	buildInfos string
	Cache      string
	Solc       string // empty when the compiler is named by its version, or not at all
}

// Foundry are the settings in root's foundry.toml that are neither arrays nor
// tables, by name: strings without quotes, integers in decimal. Those of the profile that
// FOUNDRY_PROFILE names override the default profile's. The error wraps fs.ErrNotExist
// when the file is missing, and [reading.ErrFormat] when it is not TOML.
func Foundry(root string, getenv func(string) string) (map[string]string, error) {
	profile, err := foundryProfile(root, getenv)
	return profile.scalars(), err
}

// FoundryFuzz are the settings of fuzz tests in root's foundry.toml, as [Foundry]
// has them: those of the table fuzz, overridden by those of the profiles.
func FoundryFuzz(root string, getenv func(string) string) (map[string]string, error) {
	file, err := readTOML(filepath.Join(root, FoundryFile))
	if err != nil {
		return nil, err
	}
	values := file.sub("fuzz").scalars()
	for _, name := range profileNames(getenv) {
		maps.Copy(values, file.sub("profile", name, "fuzz").scalars())
	}
	return values, nil
}

// FoundryEndpoints are the aliases, sorted, that foundry.toml in root has for endpoints of
// chains. It does not return their addresses, which often hold a key.
func FoundryEndpoints(root string) ([]string, error) {
	file, err := readTOML(filepath.Join(root, FoundryFile))
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(file.sub("rpc_endpoints"))), nil
}

// profileNames are the profiles of foundry.toml that apply; later ones override.
func profileNames(getenv func(string) string) []string {
	names := []string{"default"}
	if name := getenv("FOUNDRY_PROFILE"); name != "" && name != "default" {
		names = append(names, name)
	}
	return names
}

// foundryProfile is the table of settings that apply to the project at root.
func foundryProfile(root string, getenv func(string) string) (table, error) {
	file, err := readTOML(filepath.Join(root, FoundryFile))
	if err != nil {
		return nil, err
	}
	return file.profile(getenv), nil
}

// profile is the table of settings that apply.
func (t table) profile(getenv func(string) string) table {
	profile := table{}
	for _, name := range profileNames(getenv) {
		maps.Copy(profile, t.sub("profile", name))
	}
	return profile
}

// FoundrySources are the folder of sources ("" for forge's default) and the remappings that
// the text of a foundry.toml has.
func FoundrySources(text []byte, getenv func(string) string) (folder string, remappings []string, err error) {
	file, err := parseTOML(text)
	if err != nil {
		return "", nil, err
	}
	profile := file.profile(getenv)
	if src := profile.texts("src"); len(src) == 1 {
		folder = src[0]
	}
	return folder, profile.texts("remappings"), nil
}

// FoundryPaths reads foundry.toml in root, and knows forge's defaults. When the
// file is there but is refused, it returns the defaults and the error.
func FoundryPaths(root string, getenv func(string) string) (Paths, error) {
	profile, err := foundryProfile(root, getenv)
	if err != nil && !IsRefused(err) {
		return Paths{}, err
	}
	folder := func(key, otherwise string) string {
		if given := profile.texts(key); len(given) == 1 && given[0] != "" {
			otherwise = given[0]
		}
		if filepath.IsAbs(otherwise) {
			return filepath.Clean(otherwise)
		}
		return filepath.Join(root, filepath.FromSlash(otherwise))
	}
	s := Paths{Out: folder("out", "out"), Cache: folder("cache_path", "cache")}
	s.buildInfos = filepath.Join(s.Out, "build-info")
	if len(profile.texts("build_info_path")) == 1 {
		s.buildInfos = folder("build_info_path", "")
	}
	if solc := profile.texts("solc"); len(solc) == 1 && strings.ContainsAny(solc[0], `/\\`) {
		s.Solc = folder("solc", "")
	}
	return s, err
}

// IsRefused reports whether a settings file is there and its text is refused.
func IsRefused(err error) bool {
	return errors.Is(err, reading.ErrFormat) || errors.Is(err, reading.ErrTooLarge)
}
