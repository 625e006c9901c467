package settings

import (
	"os"
	"path/filepath"
	"regexp"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// Setup is a build tool that a project is set up for.
type Setup struct {
	Tool   string // "Foundry", "Hardhat", "truffle"
	Config string // the file that says so, relative to the root; empty when only builds does
	Builds string // the folder where its output lies
}

// Detect lists the build tools of the project at root, by their configuration files,
// Foundry first.
func Detect(root string, getenv func(string) string) []Setup {
	var found []Setup
	// A file that is refused still says whose project it is; forge says what is wrong.
	if settings, err := FoundryPaths(root, getenv); err == nil || IsRefused(err) {
		s := Setup{Tool: ToolFoundry, Config: FoundryFile, Builds: settings.Out}
		if relative, err := filepath.Rel(settings.Out, settings.buildInfos); err != nil || !filepath.IsLocal(relative) {
			// Build-infos elsewhere are read alone; the artifacts lack what is in them.
			if reading.IsFolder(settings.buildInfos) {
				s.Builds = settings.buildInfos
			}
		}
		found = append(found, s)
	}
	for _, config := range configurations("hardhat.config.") {
		if text, err := Read(filepath.Join(root, config)); err == nil {
			found = append(found, Setup{Tool: ToolHardhat, Config: config, Builds: filepath.Join(hardhatArtifacts(root, text), "build-info")})
			break
		}
	}
	for _, config := range configurations("truffle") {
		if _, err := os.Stat(filepath.Join(root, config)); err == nil {
			found = append(found, Setup{Tool: ToolTruffle, Config: config, Builds: filepath.Join(root, "build", "contracts")})
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
func packaged(root string) []Setup {
	var found []Setup
	for _, s := range []Setup{
		{Tool: ToolHardhat, Builds: "artifacts/build-info"},
		{Tool: ToolHardhat, Builds: "build/artifacts/build-info"},
		{Tool: ToolFoundry, Builds: "out"},
		{Tool: ToolTruffle, Builds: "build/contracts"},
	} {
		s.Builds = filepath.Join(root, filepath.FromSlash(s.Builds))
		if reading.IsFolder(s.Builds) {
			found = append(found, s)
		}
	}
	return found
}

// The tools that a [Setup] may be of.
const (
	ToolFoundry = "Foundry"
	ToolHardhat = "Hardhat"
	ToolTruffle = "truffle"
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
