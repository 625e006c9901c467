package build

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
			write(t, filepath.Join(root, "foundry.toml"), text)
			for profile, want := range map[string][2]string{"": {"made", "7"}, "ci": {"ci-made", "9"}, "other": {"made", "7"}} {
				getenv := func(string) string { return profile }
				settings, err := readFoundrySettings(root, getenv)
				if err != nil || settings.out != filepath.Join(root, want[0]) {
					t.Errorf("profile %q: out is %s, %v", profile, settings.out, err)
				}
				if values, err := FoundrySettings(root, getenv); err != nil || strings.Trim(values["out"], `"'`) != want[0] {
					t.Errorf("profile %q: out is %q, %v", profile, values["out"], err)
				}
				if values, err := FoundryFuzz(root, getenv); err != nil || values["runs"] != want[1] {
					t.Errorf("profile %q: %s runs, %v", profile, values["runs"], err)
				}
			}
			if aliases, err := FoundryEndpoints(root); err != nil || !slices.Equal(aliases, []string{"main"}) {
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
		"no value":         {"[profile.default]\nout = \n", ErrFormat, "foundry.toml: line 2: "},
		"defined twice":    {"[profile.default]\nout = 'a'\nout = 'b'\n", ErrFormat, "foundry.toml: line 3: key out is already defined"},
		"table twice":      {"[fuzz]\n\n[fuzz]\n", ErrFormat, "foundry.toml: line 3: table fuzz already exists"},
		"no end":           {"[profile.default]\nout = '''a\n\n", ErrFormat, "foundry.toml: line "},
		"number too large": {"fuzz.runs = 9223372036854775808\n", ErrFormat, "foundry.toml: line 1: "},
		"not UTF-8":        {"a = 1\nb = \"\xff\"\n", ErrFormat, "foundry.toml: line 2: "},
		"nested":           {"a = " + strings.Repeat("[", 100_000), ErrFormat, "foundry.toml: line 1: "},
		"too large":        {strings.Repeat("# long\n", maxTOML/7+1), ErrTooLarge, "foundry.toml: larger than 262144 bytes"},
	} {
		root := t.TempDir()
		write(t, filepath.Join(root, "foundry.toml"), c.text)
		_, err := FoundrySettings(root, getenv)
		_, fuzzErr := FoundryFuzz(root, getenv)
		_, endpointsErr := FoundryEndpoints(root)
		_, projectErr := openProject(root, CompilerOptions{})
		for _, err := range []error{err, fuzzErr, endpointsErr, projectErr} {
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %s", name, err, c.want)
			}
		}
		if found := detect(root, getenv); len(found) != 1 || found[0].tool != foundry {
			t.Errorf("%s: the project is one of %v", name, found)
		}
	}
	if _, err := FoundrySettings(t.TempDir(), getenv); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v for a file that is not there", err)
	}
}
