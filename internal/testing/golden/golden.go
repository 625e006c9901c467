// Package golden compares what tests produce with files of expected output, which
// go test -update rewrites.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update says that expected output is to be rewritten rather than compared.
var Update = flag.Bool("update", false, "rewrite expected output")

// Section compares the part of a document between <!-- name --> and <!-- end --> with what
// the program says.
func Section(t testing.TB, document, name, got string) {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(document))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), "<!-- "+name+" -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end -->")
	if !found || !ended {
		t.Fatalf("%s has no section %q", document, name)
	}
	Check(t, document, before+"<!-- "+name+" -->\n"+got+"<!-- end -->"+after)
}

// Check compares got with a file, given by its slash-separated path from the test's folder.
func Check(t testing.TB, file, got string) {
	t.Helper()
	file = filepath.FromSlash(file)
	if *Update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; go test -update rewrites it):\n%s", file, diff)
	}
}
