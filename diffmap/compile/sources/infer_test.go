package sources

import (
	"path/filepath"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestImportedName asks what imports mean that the project says nothing about. All is as `forge remappings` of 1.7.1
// answers: what a library's remappings.txt or foundry.toml says holds everywhere, if that library is a Foundry project.
func TestImportedName(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"foundry.toml":                              "",
		"lib/core/foundry.toml":                     "[profile.default]\nremappings = ['@books=lib/books/src']\n",
		"lib/core/remappings.txt":                   "@math/=lib/math/\n",
		"lib/core/src/Core.sol":                     "",
		"lib/core/lib/math/contracts/Sum.sol":       "",
		"lib/core/lib/books/src/Book.sol":           "",
		"lib/core/lib/deep/foundry.toml":            "",
		"lib/core/lib/deep/remappings.txt":          "@deepest/=lib/deepest/\n",
		"lib/core/lib/deep/lib/deepest/Deepest.sol": "",
		"lib/none/remappings.txt":                   "@lists/=lib/lists/\n", // no project of Foundry's
		"lib/none/lib/lists/List.sol":               "",
	} {
		testfiles.Write(t, filepath.Join(root, filepath.FromSlash(name)), text)
	}
	for _, test := range []struct{ importer, imported, want string }{
		{"src/Main.sol", "core/Core.sol", "lib/core/src/Core.sol"},
		{"src/Main.sol", "math/Sum.sol", "lib/core/lib/math/contracts/Sum.sol"},
		{"src/Main.sol", "@math/contracts/Sum.sol", "lib/core/lib/math/contracts/Sum.sol"},
		{"lib/core/src/Core.sol", "@math/contracts/Sum.sol", "lib/core/lib/math/contracts/Sum.sol"},
		{"src/Main.sol", "@books/Book.sol", "lib/core/lib/books/src/Book.sol"},
		{"src/Main.sol", "@deepest/Deepest.sol", "lib/core/lib/deep/lib/deepest/Deepest.sol"},
		{"src/Main.sol", "@lists/List.sol", "@lists/List.sol"},
		{"lib/none/src/Lists.sol", "@lists/List.sol", "lib/none/lib/lists/List.sol"},
	} {
		tree, err := Open(root, solc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := tree.ImportedName(test.imported, test.importer); got != test.want {
			t.Errorf("%s means %s in %s, want %s", test.imported, got, test.importer, test.want)
		}
	}
}
