package compile

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// FuzzRead reads folders of files: the archive's. Seeds are the fixtures.
func FuzzRead(f *testing.F) {
	for _, name := range fixtures(f) {
		f.Add(testfiles.Pack(f, fixture(name)))
	}
	f.Add([]byte("-- build-info/a.json --\n{\"source_id_to_path\": {\"0\": \"a\", \"1\": \"a\"}}\n"))
	f.Add([]byte("-- a.output.json --\n{\"output\": {}}\n-- a.json --\n{\"_format\": \"hh3-sol-build-info-1\", \"input\": {}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		root := t.TempDir()
		if !testfiles.Unpack(root, text) {
			return
		}
		limits := reading.Limits{FileBytes: 1 << 20, Files: 20, Depth: 200}
		checkRead(t, limits, root)
	})
}

// checkRead reads a folder and checks that there is a clear error or a result that
// is consistent.
func checkRead(t *testing.T, limits reading.Limits, root string) {
	t.Helper()
	outputs, err := Read(root, ReadOptions{Limits: limits})
	if err != nil {
		var e *reading.Error
		if !errors.As(err, &e) || e.Problem == "" || e.Kind == nil {
			t.Errorf("unclear error %#v", err)
		}
		return
	}
	for _, o := range outputs {
		checkConsistent(t, o)
	}
}

// mutilations is how many damaged copies TestMutilated reads.
const mutilations = 1000

// TestMutilated reads damaged copies of real builds: each ends in a clear error
// or a consistent result, in bounded memory.
func TestMutilated(t *testing.T) {
	const seed = 3 // arbitrary, but fixed
	random := rand.New(rand.NewPCG(seed, seed))
	var folders []string
	for _, name := range fixtures(t) {
		folders = append(folders, testfiles.Copy(t, fixture(name)))
	}
	folders = append(folders, copyExample(t))
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range mutilations {
		folder := folders[i%len(folders)]
		files := jsonBelow(t, folder)
		file := files[random.IntN(len(files))]
		intact, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, mutilate(random, intact), 0o644); err != nil {
			t.Fatal(err)
		}
		checkRead(t, reading.Limits{}, folder)
		if t.Failed() {
			t.Fatalf("copy %d of %s", i, file)
		}
		if err := os.WriteFile(file, intact, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	// The files have some 20 KB, the largest 120 KB.
	if grown := after.Sys - before.Sys; grown > 256<<20 {
		t.Errorf("memory has grown by %d MiB", grown>>20)
	}
}

// TestMutilatedSafe is the same with the files of a real project, of 6 MB, and
// few copies, since each takes half a second to read.
func TestMutilatedSafe(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	root := t.TempDir()
	infos := filepath.Join(testfiles.NodeModules(t), "@gnosis.pm", "safe-contracts", "build", "artifacts", "build-info")
	file := jsonBelow(t, infos)[1]
	intact, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if err := os.WriteFile(filepath.Join(root, "build.json"), mutilate(random, intact), 0o644); err != nil {
			t.Fatal(err)
		}
		checkRead(t, reading.Limits{}, root)
	}
}

// copyExample copies the smallest example's build.
func copyExample(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"head.input.json", "head.output.json"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "examples", "crowdsale", "build", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func jsonBelow(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".json") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// mutilate damages a copy: flipped bits, a cut, pieces left out, doubled or put
// elsewhere, and, so that not all ends at the first bracket, other digits and
// other hexadecimal digits.
func mutilate(random *rand.Rand, intact []byte) []byte {
	text := bytes.Clone(intact)
	for range 1 + random.IntN(3) {
		if len(text) == 0 {
			return text
		}
		at := random.IntN(len(text))
		end := min(at+1+random.IntN(1+min(len(text), 1<<random.IntN(12))), len(text))
		switch random.IntN(7) {
		case 0:
			text[at] ^= 1 << random.IntN(8)
		case 1:
			text = text[:at]
		case 2:
			text = slices.Delete(text, at, end)
		case 3:
			text = slices.Insert(text, at, bytes.Clone(text[at:end])...)
		case 4:
			from := random.IntN(len(text))
			copy(text[at:end], intact[min(from, len(intact)):])
		default:
			for i := at; i < end; i++ {
				switch c := text[i]; {
				case c >= '0' && c <= '9':
					text[i] = '0' + byte(random.IntN(10))
				case c >= 'a' && c <= 'f':
					text[i] = 'a' + byte(random.IntN(6))
				}
			}
		}
	}
	return text
}
