package settings

import (
	"path/filepath"
	"testing"

	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestFoundryFuzz: profiles go over the table that all have.
func TestFoundryFuzz(t *testing.T) {
	root := t.TempDir()
	testfiles.Write(t, filepath.Join(root, "foundry.toml"), "[fuzz]\nruns = 5\nfail_on_revert = false\n[profile.default.fuzz]\nruns = 6\n[profile.ci.fuzz]\nfail_on_revert = true\n")
	for profile, want := range map[string]string{"": "6 false", "default": "6 false", "ci": "6 true"} {
		settings, err := FoundryFuzz(root, func(string) string { return profile })
		if got := settings["runs"] + " " + settings["fail_on_revert"]; err != nil || got != want {
			t.Errorf("profile %q: %s, %v, want %s", profile, got, err, want)
		}
	}
	if _, err := FoundryFuzz(t.TempDir(), func(string) string { return "" }); err == nil {
		t.Error("settings of a file that is not there")
	}
}
