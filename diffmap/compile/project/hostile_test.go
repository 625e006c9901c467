package project

import (
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// FuzzExisting looks for builds in folders of files: the archive's. Seeds are the
// fixtures.
func FuzzExisting(f *testing.F) {
	for _, name := range fixtures(f) {
		f.Add(testfiles.Pack(f, fixture(name)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		root := t.TempDir()
		if !testfiles.Unpack(root, text) {
			return
		}
		f := finder{root: root, FindOptions: FindOptions{Limits: reading.Limits{FileBytes: 1 << 20, Files: 20, Depth: 200}}}
		for _, s := range settings.Detect(root, func(string) string { return "ci" }) {
			f.existing(t.Context(), s)
		}
	})
}

// FuzzToolOutput reads what a project's tool may say.
func FuzzToolOutput(f *testing.F) {
	f.Add("Error HHE7: Configuration Variable \"KEY\" not found\n    at a.js:1\n")
	f.Fuzz(func(t *testing.T, text string) {
		namedVariable(text, []string{"KEY"})
		if shown := lastLines(text); strings.ContainsAny(shown, "\x1b\r\x00") || strings.HasPrefix(shown, "::") || strings.Contains(shown, "\n::") {
			t.Errorf("unsafe %q", shown)
		}
	})
}
