package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFoundryLayout(t *testing.T) {
	for _, test := range []struct {
		file, folders string // of the project, to make
		want          string
	}{
		{"", "", "src test script; lib; "},
		{"[profile.default]\nsrc = 'contracts/'\ntest = 'contracts/test'\nlibs = ['node_modules', './lib']", "", "contracts script; node_modules lib; "},
		{"[profile.default]\n", "contracts node_modules", "contracts test script; node_modules; "},
		{"[profile.default]\nskip = 'test'\n[profile.ci]\nsrc = '.'\nskip = ['a/*']", "", ".; lib; a/*"},
		{"[profile.default]\nsrc = '../elsewhere'", "", "src test script; lib; "},
	} {
		root := t.TempDir()
		for _, folder := range strings.Fields(test.folders) {
			if err := os.Mkdir(filepath.Join(root, folder), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if test.file != "" {
			if err := os.WriteFile(filepath.Join(root, FoundryFile), []byte(test.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l, err := FoundryLayout(root, func(string) string { return "ci" })
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(l.Folders(), " ") + "; " + strings.Join(l.Libs, " ") + "; " + strings.Join(l.Skip, " "); got != test.want {
			t.Errorf("%q: %s", test.file, got)
		}
	}
}

func TestLayoutSkips(t *testing.T) {
	for _, test := range []struct {
		pattern, file string
		want          bool
	}{
		{"test", "src/test/A.t.sol", true},
		{"test", "test/A.sol", false},
		{"scripts", "script/A.s.sol", true},
		{"Broken", "src/BrokenVault.sol", true},
		{"old", "src/old/A.sol", false},
		{"src/old/**", "src/old/deep/A.sol", true},
		{"./src/old/*", "src/old/deep/A.sol", true},
		{"**/old/*.sol", "old/A.sol", true},
		{"*/fork/**", "test/fork/A.t.sol", true},
		{"src/{a,b}/?.sol", "src/b/A.sol", true},
		{"src/[!a].sol", "src/b.sol", true},
		{"src/[!a].sol", "src/a.sol", false},
		{"src/(", "src/(", true},
		{"src/{", "src/a", false},
	} {
		if got := (Layout{Skip: []string{test.pattern}}).Skips(test.file); got != test.want {
			t.Errorf("%s, %s: %t", test.pattern, test.file, got)
		}
	}
}
