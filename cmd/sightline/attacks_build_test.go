package main

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// cmdBuildInfo is "buildinfo [-as FOLDER] [-settings JSON] SOURCES FILE": compiles the sources
// of a folder with solc 0.8.30, and writes a build-info as Hardhat does. With -as it is forged:
// sources, their ASTs and the settings are those of another folder, and only the contracts are
// of SOURCES. Files of a folder "unbuilt" are left out.
func cmdBuildInfo(ts *testscript.TestScript, neg bool, args []string) {
	const text = "buildinfo [-as FOLDER] [-settings JSON] SOURCES FILE"
	usage(ts, !neg && len(args) >= 2, text)
	flags := map[string]string{}
	for len(args) > 2 {
		usage(ts, len(args) >= 4 && (args[0] == "-as" || args[0] == "-settings"), text)
		flags[args[0]] = args[1]
		args = args[2:]
	}
	settings := map[string]any{"optimizer": map[string]any{"enabled": false}}
	if flags["-settings"] != "" {
		var own map[string]any
		ts.Check(json.Unmarshal([]byte(flags["-settings"]), &own))
		maps.Copy(settings, own)
	}
	input, output := standardJSON(ts, args[0], settings)
	if as := flags["-as"]; as != "" {
		theirs, shown := standardJSON(ts, as, settings)
		input, output["sources"] = theirs, shown["sources"]
	}
	info, err := json.Marshal(map[string]any{"_format": "hh-sol-build-info-1", "id": "1", "solcVersion": "0.8.30",
		"solcLongVersion": "0.8.30+commit.73712a01", "input": input, "output": output})
	ts.Check(err)
	file := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
	ts.Check(os.WriteFile(file, info, 0o644))
}

// standardJSON compiles the sources of a folder.
func standardJSON(ts *testscript.TestScript, folder string, settings map[string]any) (input, output map[string]any) {
	root := ts.MkAbs(folder)
	sources := map[string]string{}
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".sol") {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		sources[filepath.ToSlash(name)] = string(text)
		return err
	}))
	in, out := testbuild.Write(attackOf(ts).t, ts.Getenv("TMPDIR"), "build", "0.8.30", sources, settings)
	for path, into := range map[string]*map[string]any{in: &input, out: &output} {
		text, err := os.ReadFile(path)
		ts.Check(err)
		ts.Check(json.Unmarshal(text, into))
	}
	return input, output
}

// cmdReplace is "replace FILE OLD NEW": replaces a text in a file, all over.
func cmdReplace(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 3, "replace FILE OLD NEW")
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not have %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o644))
}

// buildCommands are the commands of attacks on builds.
var buildCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"buildinfo": cmdBuildInfo, "replace": cmdReplace,
}
