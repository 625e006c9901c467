package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFaults: everything that is wrong is listed, with its line, where a run says the first.
func TestFaults(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "waivers.yml"), []byte("waivers: []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		config string
		want   []string
	}{
		"empty":           {"", nil},
		"fine":            {"timeout: 60\nfail-on: low\nwaivers: waivers.yml\nseq-len: 4\n", nil},
		"no YAML":         {"a: [\n", []string{"1: "}},
		"a list":          {"- a\n", []string{"1: want settings"}},
		"several":         {"timout: 3\nfail-on: hihg\nworkers: many\nfail-on: low\n", []string{`1: unknown key "timout"`, `2: fail-on "hihg"`, `3: workers "many"`, `4: "fail-on" is set twice`}},
		"command line":    {"out: x\n", []string{"1: \"out\" belongs on the command line"}},
		"values":          {"seq-len: 99\ngate: foo >\noracles: [nonsense]\n", []string{"1: seq-len 99", "2: gate", "3: oracles"}},
		"no file":         {"waivers: none.yml\n", []string{"1: waivers none.yml"}},
		"a limit":         {"timeout: 0\ntest-limit: 5\nmin-reached: 120%\n", []string{"3: min-reached"}},
		"no limit":        {"timeout: 0\ntest-limit: 0\n", []string{"0: timeout 0 without"}},
		"a block":         {"block: 7\n", nil},
		"a step":          {"deploy:\n  - contract: A\n    argumens: []\n", []string{"3: a step has no key"}},
		"a step, a value": {"senders:\n  a: zero\nseq-len: 0\n", []string{"2: senders: a", "3: seq-len 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			found := Faults(root, "sightline.yml", []byte(test.config))
			if len(found) != len(test.want) {
				t.Fatalf("%v, want %v", found, test.want)
			}
			for i, f := range found {
				if got := fmt.Sprintf("%d: %s", f.Line, f.Text); !strings.HasPrefix(got, test.want[i]) {
					t.Errorf("%q, want %q", got, test.want[i])
				}
			}
		})
	}
}

// FuzzFaults: what is listed is what Apply refuses, and no text breaks it.
func FuzzFaults(f *testing.F) {
	for _, text := range []string{"", "timeout: 5\n", "timout: 5\ntimout: 6\n", "deploy: [{contract: A}]\n", "- a", "a: &x [*x]\n", "senders: {a: b}\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		found := Faults(t.TempDir(), "sightline.yml", data)
		if err := registered().Apply("sightline.yml", data); err != nil && len(found) == 0 {
			t.Errorf("a run says %v, and no fault is listed", err)
		}
	})
}
