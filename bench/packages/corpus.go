package main

import (
	"bytes"
	"crypto/sha1" // git's name of a file's content
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/frame"
)

// pkg is a package and where its sources and its build are.
type pkg struct {
	name    string
	version string
	sources string // folder in the package
	build   string // shipped build: a file or folder in the package; empty: compiled from the sources
	solc    string // version of the compiler for it
}

// corpus are the packages: three that ship their build, each in another form,
// and five of sources, over all compiler versions that matter.
var corpus = []pkg{
	{"@gnosis.pm/safe-contracts", "1.3.0", "contracts", "build/artifacts/build-info", "0.7.6"},
	{"@aave/core-v3", "1.19.3", "contracts", "artifacts/build-info", "0.8.10"},
	{"openzeppelin-solidity", "2.5.1", "contracts", "build/contracts", "0.5.17"},
	{"zeppelin-solidity", "1.12.0", "contracts", "", "0.4.24"},
	{"@uniswap/v2-core", "1.0.1", "contracts", "", "0.5.16"},
	{"@uniswap/v3-core", "1.0.1", "contracts", "", "0.7.6"},
	{"solmate", "6.8.0", "src", "", "0.8.17"},
	{"erc721a", "4.3.0", "contracts", "", "0.8.17"},
}

// packages are the corpus and its compilers, to be installed.
func packages() frame.Packages {
	list := frame.Packages{}
	for _, p := range corpus {
		list[p.name] = p.version
		list.Solc(p.solc)
	}
	return list
}

// skipped are folders of a package's sources that hold its tests; Sightline
// leaves them out as well.
var skipped = []string{"test", "tests", "script", "scripts", "node_modules"}

// addEverything is a diff that adds every Solidity file below a folder of root,
// as git would write it.
func addEverything(root, folder string) ([]byte, error) {
	var diff bytes.Buffer
	files := 0
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(folder)), func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(skipped, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".sol") || strings.HasSuffix(file, ".t.sol") || strings.HasSuffix(file, ".s.sol") {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		files++
		addFile(&diff, filepath.ToSlash(name), text)
		return nil
	})
	if err == nil && files == 0 {
		err = fmt.Errorf("%s has no Solidity files in %s", root, folder)
	}
	return diff.Bytes(), err
}

// addFile writes the part of a diff that adds one file.
func addFile(diff *bytes.Buffer, name string, text []byte) {
	blob := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))
	fmt.Fprintf(diff, "diff --git a/%s b/%s\nnew file mode 100644\nindex 0000000..%x\n", name, name, blob[:4])
	if len(text) == 0 {
		return
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	fmt.Fprintf(diff, "--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n", name, len(lines))
	for _, line := range lines {
		diff.WriteByte('+')
		diff.Write(line)
	}
	if text[len(text)-1] != '\n' {
		diff.WriteString("\n\\ No newline at end of file\n")
	}
}
