package settings

import (
	"slices"
	"testing"
)

func TestTOML(t *testing.T) {
	file, err := ParseTOML([]byte(`
src = "no"
[profile.default]
src = 'contracts' # "x"
remappings = [
    "@oz/=lib/oz/", # one
    'a#b/=lib/a/',
] 
[profile.ci]
src = "other"
`))
	if err != nil {
		t.Fatal(err)
	}
	profile := file.Sub("profile", "default")
	if got := profile.Texts("src"); !slices.Equal(got, []string{"contracts"}) {
		t.Errorf("src %q", got)
	}
	if got := profile.Texts("remappings"); !slices.Equal(got, []string{"@oz/=lib/oz/", "a#b/=lib/a/"}) {
		t.Errorf("remappings %q", got)
	}
}
