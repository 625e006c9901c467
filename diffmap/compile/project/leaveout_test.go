package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestPlain compiles the projects of testdata/plain, where forge is not at hand, for a change of the files
// that the first line of an archive's comment names. The other lines say what comes out: the
// project's own contracts of each output, warnings, and the error. -update rewrites them.
func TestPlain(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "plain", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(string(archive.Comment), "\n")
			list, _ := strings.CutPrefix(first, "changed:")
			root := extract(t, archive)
			got := first + "\n"
			warn := func(text string) { got += "warning " + text + "\n" }
			options := FindOptions{Compilers: compilers(t), Debug: kept(t), Warn: warn}
			if list = strings.TrimSpace(list); list != "everything" {
				options.Changed = strings.Fields(list)
			}
			f := finder{root: root, shown: ".", FindOptions: options}
			f.Compilers.Warn = warn
			outputs, err := f.compilePlain(t.Context())
			if err != nil {
				got += "error " + err.Error() + "\n"
			}
			for _, o := range outputs {
				got += "output " + o.Compiler + "\n"
				var names []string
				for _, c := range o.Contracts {
					names = append(names, "  "+c.UnitName()+"\n")
				}
				got += strings.Join(slices.Sorted(slices.Values(names)), "")
			}
			got = strings.ReplaceAll(strings.ReplaceAll(got, root, "ROOT"), testfiles.NodeModules(t), "NODE_MODULES")
			if *golden.Update {
				archive.Comment = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if want := string(archive.Comment); got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}
