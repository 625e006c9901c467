package settings

import (
	"slices"
	"testing"
)

func TestTOML(t *testing.T) {
	text := []byte(`
src = "no"
[profile.default]
src = 'contracts' # "x"
remappings = [
    "@oz/=lib/oz/", # one
    'a#b/=lib/a/',
] 
[profile.ci]
src = "other"
`)
	for profile, want := range map[string]string{"": "contracts", "default": "contracts", "ci": "other", "unknown": "contracts"} {
		folder, remappings, err := FoundrySources(text, func(string) string { return profile })
		if err != nil || folder != want || !slices.Equal(remappings, []string{"@oz/=lib/oz/", "a#b/=lib/a/"}) {
			t.Errorf("profile %q: sources in %q, remappings %q, %v", profile, folder, remappings, err)
		}
	}
}
