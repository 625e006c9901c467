package harness

import (
	"bytes"
	"crypto/sha1" // git's name of a file's content
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// skipped are folders of a project that hold tests and scripts; Sightline leaves
// them out as well.
var skipped = []string{"test", "tests", "script", "scripts", "node_modules"}

// AddEverything is a diff that adds every Solidity file below a folder of root,
// as git would write it: with it, every line is a changed one.
func AddEverything(root, folder string) ([]byte, error) {
	var names []string
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
		name, err := filepath.Rel(root, file)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s has no Solidity files in %s", root, folder)
	}
	if err != nil {
		return nil, err
	}
	return AddFiles(root, names)
}

// AddFiles is a diff that adds files of root, as git would write it. Their names
// are those that git need not quote.
func AddFiles(root string, names []string) ([]byte, error) {
	var diff bytes.Buffer
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		addFile(&diff, name, text)
	}
	return diff.Bytes(), nil
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
