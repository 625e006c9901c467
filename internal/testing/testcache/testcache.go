// Package testcache keeps what compilers answer tests, for all checkouts of a user: a compiler takes a second to
// load, and gives the same input the same answer.
package testcache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// start is the folder of the package under test, before a test changes it, and user that of the user's caches. A user
// without one has it among temporary files.
var start, user = func() (string, string) {
	start, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return start, filepath.Join(os.TempDir(), "sightline-tests-"+strconv.Itoa(os.Getuid()))
	}
	return start, filepath.Join(user, "sightline-tests")
}()

// base is named after the code that asks compilers and changes what they answer: once that is edited, all are asked again, since
// what an earlier version of it kept would hide a mistake.
var base = sync.OnceValue(func() string {
	root := start
	for root != filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		root = filepath.Dir(root)
	}
	hash := sha256.New()
	for _, folder := range []string{"internal/soljson", "diffmap/compile"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case d.IsDir() || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(path)
			fmt.Fprintf(hash, "%s %d\n%s", strings.TrimPrefix(path, root), len(text), text)
			return err
		})
		if err != nil {
			panic(err)
		}
	}
	folder := filepath.Join(user, hex.EncodeToString(hash.Sum(nil)[:8]))
	_ = os.Chtimes(folder, time.Time{}, time.Now()) //nolint:forbidigo // no result: ./test removes what has not been used for long
	return folder
})

// Folder is where answers of one kind are kept. It need not exist.
func Folder(kind string) string { return filepath.Join(base(), kind) }

// Answer is what a compiler answered the same input before, or what ask gives, which is kept then. The compiler is
// named with its version. Packages are tested side by side, so a file is written whole or not at all.
func Answer(kind, compiler string, input []byte, ask func() ([]byte, error)) ([]byte, error) {
	hash := sha256.Sum256(append([]byte(compiler+"\x00"), input...))
	file := filepath.Join(Folder(kind), hex.EncodeToString(hash[:12])+".json")
	if kept, err := os.ReadFile(file); err == nil {
		return kept, nil
	}
	answer, err := ask()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), "*.tmp")
	if err != nil {
		return nil, err
	}
	defer os.Remove(temporary.Name())
	if _, err := temporary.Write(answer); err != nil {
		return nil, err
	}
	if err := temporary.Close(); err != nil {
		return nil, err
	}
	return answer, os.Rename(temporary.Name(), file)
}
