package solidity

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCorpusTokenize splits every source of the corpus: none has an illegal token
// and the tokens cover all of it.
func TestCorpusTokenize(t *testing.T) {
	files := 0
	for _, pkg := range []string{"oz-4.9.4", "@gnosis.pm/safe-contracts"} {
		root := filepath.Join("../../.cache/npm/node_modules", pkg) // where ./test installs it
		if _, err := os.Stat(root); err != nil {
			t.Fatalf("%v: run ./test once, it installs the npm packages the tests need", err)
		}
		err := filepath.WalkDir(root, func(name string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(name) != ".sol" {
				return err
			}
			files++
			src, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			tokens := Tokenize(src)
			if msg := checkTokenStream(src, tokens); msg != "" {
				t.Errorf("%s: %s", name, msg)
			}
			for _, tok := range tokens {
				if tok.Kind == Illegal {
					t.Errorf("%s: illegal token %q at %d", name, src[tok.Start:tok.End], tok.Start)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 200 {
		t.Errorf("only %d sources", files)
	}
}
