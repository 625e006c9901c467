package project

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestReadForgeResults: what forge prints before its results is passed over, and only results
// of functions without parameters count.
func TestReadForgeResults(t *testing.T) {
	const out = `Warning: nightly
{"tests/SL_1.t.sol:Sightline_SL_1":{"duration":"1ms","test_results":{
 "test_SL_1()":{"status":"Failure","reason":"assertion failed: 1 != 2","counterexample":null},
 "testFuzz_x(uint256)":{"status":"Success","reason":null}},"warnings":[]},
 "tests/SL_2.t.sol:Sightline_SL_2":{"test_results":{"setUp()":{"status":"Failure","reason":"no node"}}}}
`
	want := map[string]map[string]ForgeResult{
		"Sightline_SL_1": {"test_SL_1()": {"Failure", "assertion failed: 1 != 2"}},
		"Sightline_SL_2": {"setUp()": {"Failure", "no node"}},
	}
	got, ok := readForgeResults([]byte(out))
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Error(ok, diff)
	}
	for _, out := range []string{"", "{}", "{", "[]", "null", "Error: {1}", `{"a":{"test_results":[]}}`, `{"a":1}`} {
		if results, ok := readForgeResults([]byte(out)); ok {
			t.Errorf("%q is read as %v", out, results)
		}
	}
}

// TestRunForgeTestsElsewhere: other projects have no forge, which is said.
func TestRunForgeTestsElsewhere(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	root := t.TempDir()
	run := func() string {
		_, err := RunForgeTests(context.Background(), ForgeTests{Root: root}, func(string) { t.Error("something runs") })
		if err == nil {
			t.Fatal("there are results")
		}
		return err.Error()
	}
	if said := run(); !strings.Contains(said, "no foundry.toml") {
		t.Error(said)
	}
	testfiles.Write(t, root+"/foundry.toml", "[profile.default]\n")
	if said := run(); !strings.Contains(said, "forge is not installed") {
		t.Error(said)
	}
}

// TestRunForgeTestsFails: why forge gave no results is one line, without advice for builds.
func TestRunForgeTestsFails(t *testing.T) {
	root := t.TempDir()
	testfiles.Write(t, root+"/foundry.toml", "[profile.default]\n")
	for _, c := range []struct{ script, want string }{
		{"exec >&2; echo 'Cloning into lib/a'; echo \"fatal: destination path 'lib/a' already exists\"; echo 'and more'; exit 1", "forge test: failed: exit status 1: fatal: destination path 'lib/a' already exists"},
		{"exec >&2; echo 'Compiling 3 files'; echo 'no luck'; exit 1", "forge test: failed: exit status 1: no luck"},
		{"exit 3", "forge test: failed: exit status 3"},
	} {
		install(t, root, "forge", c.script)
		_, err := RunForgeTests(context.Background(), ForgeTests{Root: root}, func(string) {})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.script, err, c.want)
		}
	}
}
