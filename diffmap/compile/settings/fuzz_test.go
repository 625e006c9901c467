package settings

import (
	"errors"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// FuzzSettings reads settings files, which a pull request may change.
func FuzzSettings(f *testing.F) {
	f.Add("[profile.default]\nout = 'a'\nremappings = [\n 'a=b', # c\n \"d=e\",\n]\n[profile.ci]\nsolc=\"x/y\"\n")
	f.Add("profile.default.out = \"\\u0061\"\nprofile.ci = {runs = 0x1_0, out = \"\"\"\n[a]\"\"\"}\n[ a . 'b' ]\nt = 07:32\n[[c]]\nd = 1979-05-27T07:32:00Z")
	f.Add("[a]\n[a]\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parseTOML([]byte(text))
		if problem := new(reading.Error); err != nil && (!errors.As(err, &problem) || problem.Place == "" || !errors.Is(err, reading.ErrFormat)) {
			t.Errorf("%q: error %#v does not say where", text, err)
		}
		for key := range file.sub("profile", "default") {
			for _, s := range file.texts(key) {
				if len(s) > len(text) {
					t.Errorf("%q is not of %q", s, text)
				}
			}
		}
		for key, value := range file.scalars() {
			if _, known := file[key]; !known || len(value) > len(text)+maxNumberText {
				t.Errorf("%q has no %s = %q", text, key, value)
			}
		}
		hardhatArtifacts("root", text)
	})
}

// maxNumberText is more than what a number or time has as text, however short it was
// written: 1e-300 stays as short, 0:0 does not.
const maxNumberText = 64
