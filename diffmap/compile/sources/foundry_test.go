package sources

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestFoundrySpellings reads the same settings in the spellings that TOML has for them: the
// default profile writes to "made", the profile ci to "ci-made"; fuzz tests run 7 times, in
// ci 9; there is an endpoint "main".
func TestFoundrySpellings(t *testing.T) {
	for name, text := range map[string]string{
		"tables": `
[profile.default]
out = "made"
[profile.ci]
out = "ci-made"
[fuzz]
runs = 7
[profile.ci.fuzz]
runs = 9
[rpc_endpoints]
main = "https://node.example"
`,
		"dotted keys": `
profile.default.out = "made"
profile.ci.out = "ci-made"
fuzz.runs = 7
profile.ci.fuzz.runs = 9
rpc_endpoints.main = "https://node.example"
`,
		"dotted keys in a table": `
[profile]
default.out = "made"
ci.out = "ci-made"
ci.fuzz.runs = 9
default.fuzz.runs = 7
[rpc_endpoints]
main = "https://node.example"
`,
		"inline tables": `
profile.default = { out = "made" }
profile.ci = { out = "ci-made", fuzz = { runs = 9 } }
fuzz = { runs = 7 }
rpc_endpoints = { main = "https://node.example" }
`,
		"spaces in headers": `
[ profile . default ] # what is used
out = "made"
[	profile . ci	]
out = "ci-made"
[ fuzz ]
runs = 7
[ profile . ci . fuzz ]
runs = 9
[ rpc_endpoints ]
main = "https://node.example"
`,
		"quoted keys": `
["profile".'default']
"out" = "made"
["profile"."ci"]
'out' = "ci-made"
["fuzz"]
"runs" = 7
[profile.'ci'."fuzz"]
runs = 9
["rpc_endpoints"]
"main" = "https://node.example"
`,
		"escapes": `
["pr\u006ffile".default]
out = "\u006dade"
[profile.ci]
"o\u0075t" = "ci\U0000002dmade"
[fuzz]
runs = +7
[profile.ci.fuzz]
runs = 0x9
[rpc_endpoints]
"m\u0061in" = "https://node.example"
`,
		"strings over lines": `
[profile.default]
out = """
made"""
description = """
[profile.ci]
out = "no"
[rpc_endpoints]
not = "one"
"""
[profile.ci]
description = '''
[fuzz]
runs = 1
'''
out = '''
ci-made'''
fuzz.runs = 9
[fuzz]
runs = 7
[rpc_endpoints]
main = """https://\
    node.example"""
`,
		"comments and arrays": `
[profile.default] # [profile.ci]
libs = [ "a]", # ]
  "b", # out = "no"
]
fs_permissions = [{ access = "read", path = "out = x" }]
out = 'made' # "no"
[profile.ci]
out="ci-made"# no
[[invariants]]
out = "no"
[fuzz]
runs=7
[profile.ci.fuzz]
runs	=	9
[rpc_endpoints]
main = { endpoint = "https://node.example", retries = 3 }
`,
		"lines of Windows": "[profile.default]\r\nout = \"made\"\r\n[profile.ci]\r\nout = \"ci-made\"\r\nfuzz.runs = 9\r\n[fuzz]\r\nruns = 7\r\n[rpc_endpoints]\r\nmain = \"https://node.example\"\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			testfiles.Write(t, filepath.Join(root, "foundry.toml"), text)
			for profile, want := range map[string][2]string{"": {"made", "7"}, "ci": {"ci-made", "9"}, "other": {"made", "7"}} {
				getenv := func(string) string { return profile }
				paths, err := settings.FoundryPaths(root, getenv)
				if err != nil || paths.Out != filepath.Join(root, want[0]) {
					t.Errorf("profile %q: out is %s, %v", profile, paths.Out, err)
				}
				if values, err := settings.Foundry(root, getenv); err != nil || strings.Trim(values["out"], `"'`) != want[0] {
					t.Errorf("profile %q: out is %q, %v", profile, values["out"], err)
				}
				if values, err := settings.FoundryFuzz(root, getenv); err != nil || values["runs"] != want[1] {
					t.Errorf("profile %q: %s runs, %v", profile, values["runs"], err)
				}
			}
			if aliases, err := settings.FoundryEndpoints(root); err != nil || !slices.Equal(aliases, []string{"main"}) {
				t.Errorf("endpoints %q, %v", aliases, err)
			}
		})
	}
}

// TestFoundryRefused reads files that are not TOML, or too large: errors say where, and the
// project is still one of Foundry's.
func TestFoundryRefused(t *testing.T) {
	getenv := func(string) string { return "" }
	for name, c := range map[string]struct {
		text string
		kind error
		want string
	}{
		"no value":         {"[profile.default]\nout = \n", reading.ErrFormat, "foundry.toml: line 2: "},
		"defined twice":    {"[profile.default]\nout = 'a'\nout = 'b'\n", reading.ErrFormat, "foundry.toml: line 3: key out is already defined"},
		"table twice":      {"[fuzz]\n\n[fuzz]\n", reading.ErrFormat, "foundry.toml: line 3: table fuzz already exists"},
		"no end":           {"[profile.default]\nout = '''a\n\n", reading.ErrFormat, "foundry.toml: line "},
		"number too large": {"fuzz.runs = 9223372036854775808\n", reading.ErrFormat, "foundry.toml: line 1: "},
		"not UTF-8":        {"a = 1\nb = \"\xff\"\n", reading.ErrFormat, "foundry.toml: line 2: "},
		"nested":           {"a = " + strings.Repeat("[", 100_000), reading.ErrFormat, "foundry.toml: line 1: "},
		"too large":        {strings.Repeat("# long\n", (256<<10)/7+1), reading.ErrTooLarge, "foundry.toml: larger than 262144 bytes"},
	} {
		root := t.TempDir()
		testfiles.Write(t, filepath.Join(root, "foundry.toml"), c.text)
		_, err := settings.Foundry(root, getenv)
		_, fuzzErr := settings.FoundryFuzz(root, getenv)
		_, endpointsErr := settings.FoundryEndpoints(root)
		_, projectErr := Open(root, solc.Options{})
		for _, err := range []error{err, fuzzErr, endpointsErr, projectErr} {
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %s", name, err, c.want)
			}
		}
		if found := settings.Detect(root, getenv); len(found) != 1 || found[0].Tool != settings.ToolFoundry {
			t.Errorf("%s: the project is one of %v", name, found)
		}
	}
	if _, err := settings.Foundry(t.TempDir(), getenv); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v for a file that is not there", err)
	}
}
