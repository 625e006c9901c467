package build

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
)

// maxSettingsFile bounds a tool's configuration file. Real ones have a few KB;
// 1 MiB is arbitrary.
const maxSettingsFile = 1 << 20

// readSettingsFile reads a tool's configuration.
func readSettingsFile(file string) (string, error) {
	opened, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, maxSettingsFile+1))
	if err == nil && len(text) > maxSettingsFile {
		err = &Error{Origin: file, Kind: ErrTooLarge, Problem: "larger than " + sizeText(maxSettingsFile)}
	}
	return string(text), err
}

// setup is a build tool that a project is set up for.
type setup struct {
	tool   string // "Foundry", "Hardhat", "truffle"
	config string // the file that says so, relative to the root; empty when only builds does
	builds string // the folder where its output lies
}

// detect lists the build tools of the project at root, by their configuration files,
// Foundry first.
func detect(root string, getenv func(string) string) []setup {
	var found []setup
	// A file that is refused still says whose project it is; forge says what is wrong.
	if settings, err := readFoundrySettings(root, getenv); err == nil || isSettingsError(err) {
		s := setup{tool: foundry, config: foundryFile, builds: settings.out}
		if relative, err := filepath.Rel(settings.out, settings.buildInfos); err != nil || !filepath.IsLocal(relative) {
			// Build-infos elsewhere are read alone; the artifacts lack what is in them.
			if isFolder(settings.buildInfos) {
				s.builds = settings.buildInfos
			}
		}
		found = append(found, s)
	}
	for _, extension := range []string{"js", "ts", "cjs", "mjs", "cts", "mts"} {
		config := "hardhat.config." + extension
		if text, err := readSettingsFile(filepath.Join(root, config)); err == nil {
			found = append(found, setup{tool: hardhat, config: config, builds: filepath.Join(hardhatArtifacts(root, text), "build-info")})
			break
		}
	}
	for _, config := range []string{"truffle-config.js", "truffle.js"} {
		if _, err := os.Stat(filepath.Join(root, config)); err == nil {
			found = append(found, setup{tool: truffle, config: config, builds: filepath.Join(root, "build", "contracts")})
			break
		}
	}
	if len(found) == 0 {
		found = packaged(root)
	}
	return found
}

// packaged lists builds in their usual places where no tool is configured, as
// npm packages ship them.
func packaged(root string) []setup {
	var found []setup
	for _, s := range []setup{
		{tool: hardhat, builds: "artifacts/build-info"},
		{tool: hardhat, builds: "build/artifacts/build-info"},
		{tool: foundry, builds: "out"},
		{tool: truffle, builds: "build/contracts"},
	} {
		s.builds = filepath.Join(root, filepath.FromSlash(s.builds))
		if isFolder(s.builds) {
			found = append(found, s)
		}
	}
	return found
}

const (
	foundry = "Foundry"
	hardhat = "Hardhat"
	truffle = "truffle"
)

// artifactsSetting is where a Hardhat configuration usually says it; a
// computed path is not found by it.
var artifactsSetting = regexp.MustCompile("(?m)^[^/\n]*\\bartifacts\\s*:\\s*[\"'`]([^\"'`\n]+)[\"'`]")

// hardhatArtifacts is the artifacts folder of a project with this configuration.
func hardhatArtifacts(root, config string) string {
	folder := "artifacts"
	if m := artifactsSetting.FindStringSubmatch(config); m != nil {
		folder = m[1]
	}
	if filepath.IsAbs(folder) {
		return filepath.Clean(folder)
	}
	return filepath.Join(root, filepath.FromSlash(folder))
}
