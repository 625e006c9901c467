package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

// modules is where ./test installs the packages that the page is bundled from.
const modules = "../../.cache/page/node_modules"

// maxBundle bounds the script and the style together: it is in every report.
const maxBundle = 120_000 // bytes

// notice is what the licenses of the packages ask for.
const notice = "/*! With Preact (MIT, copyright (c) 2015-present Jason Miller) and uPlot (MIT, copyright (c) 2022 Leon Sorokin), under the terms in https://opensource.org/license/mit */"

// TestBundle: the embedded script and style are what src makes. After a change there, run with -update.
func TestBundle(t *testing.T) {
	folder, err := filepath.Abs(modules)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "preact", "package.json")); err != nil {
		t.Fatalf("%v: run ./test once, it installs the packages that the page is bundled from", err)
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{"src/main.tsx"},
		Outfile:     "page.js",
		Bundle:      true,
		Format:      api.FormatIIFE,
		Target:      api.ES2020,
		Charset:     api.CharsetASCII, // the page is read as what it is, whatever a server says

		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		LegalComments:   api.LegalCommentsNone,
		Banner:          map[string]string{"js": notice, "css": notice},
		NodePaths:       []string{folder},
		JSX:             api.JSXAutomatic,
		JSXImportSource: "preact",
		TsconfigRaw:     "{}",
	})
	for _, m := range append(result.Errors, result.Warnings...) {
		where := ""
		if l := m.Location; l != nil {
			where = l.File + ": " + l.LineText + ": "
		}
		t.Errorf("%s%s", where, m.Text)
	}
	if t.Failed() {
		return
	}
	size := 0
	for _, f := range result.OutputFiles {
		size += len(f.Contents)
		if text := string(f.Contents); strings.Contains(text, "</") && strings.Contains(text, "</script") {
			t.Errorf("%s would end its element", f.Path)
		}
		golden.Check(t, filepath.Base(f.Path), string(f.Contents))
	}
	if size > maxBundle {
		t.Errorf("the bundle has %d bytes, at most %d", size, maxBundle)
	}
	t.Logf("the bundle has %d bytes", size)
}
