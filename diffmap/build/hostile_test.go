package build

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// FuzzRead reads folders of files: the archive's. Seeds are the fixtures.
func FuzzRead(f *testing.F) {
	for _, name := range fixtures(f) {
		f.Add(archive(f, fixture(name)))
	}
	f.Add([]byte("-- build-info/a.json --\n{\"source_id_to_path\": {\"0\": \"a\", \"1\": \"a\"}}\n"))
	f.Add([]byte("-- a.output.json --\n{\"output\": {}}\n-- a.json --\n{\"_format\": \"hh3-sol-build-info-1\", \"input\": {}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		root := t.TempDir()
		if !unpack(root, text) {
			return
		}
		limits := Limits{FileBytes: 1 << 20, Files: 20, Depth: 200}
		checkRead(t, limits, root)
		f := finder{root: root, FindOptions: FindOptions{Limits: limits}}
		for _, s := range detect(root, func(string) string { return "ci" }) {
			f.existing(s)
		}
	})
}

// checkRead reads a folder and checks that there is a clear error or a result that
// is consistent.
func checkRead(t *testing.T, limits Limits, root string) {
	t.Helper()
	outputs, err := limits.Read(root)
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Problem == "" || e.Kind == nil {
			t.Errorf("unclear error %#v", err)
		}
		return
	}
	for _, o := range outputs {
		checkConsistent(t, o)
	}
}

// archive packs a folder into one text: a line "-- NAME --" before each file.
// (txtar's own reader panics on some texts.)
func archive(t testing.TB, root string) []byte {
	t.Helper()
	var packed bytes.Buffer
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		fmt.Fprintf(&packed, "-- %s --\n%s\n", filepath.ToSlash(relative), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// unpack writes an archive's files; false where that is not possible.
func unpack(root string, text []byte) bool {
	files := bytes.Split(append([]byte("\n"), text...), []byte("\n-- "))[1:]
	for i, file := range files {
		name, text, _ := strings.Cut(string(file), " --\n")
		if i >= 20 || len(name) > 100 || !fs.ValidPath(name) || strings.ContainsRune(name, 0) {
			return false
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		if os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.WriteFile(path, []byte(text), 0o644) != nil {
			return false
		}
	}
	return true
}

// maxNumberText is more than what a number or time has as text, however short it was
// written: 1e-300 stays as short, 0:0 does not.
const maxNumberText = 64

// FuzzSettings reads settings files, which a pull request may change.
func FuzzSettings(f *testing.F) {
	f.Add("[profile.default]\nout = 'a'\nremappings = [\n 'a=b', # c\n \"d=e\",\n]\n[profile.ci]\nsolc=\"x/y\"\n")
	f.Add("profile.default.out = \"\\u0061\"\nprofile.ci = {runs = 0x1_0, out = \"\"\"\n[a]\"\"\"}\n[ a . 'b' ]\nt = 07:32\n[[c]]\nd = 1979-05-27T07:32:00Z")
	f.Add("[a]\n[a]\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parseTOML([]byte(text))
		if problem := new(Error); err != nil && (!errors.As(err, &problem) || problem.Place == "" || !errors.Is(err, ErrFormat)) {
			t.Errorf("%q: error %#v does not say where", text, err)
		}
		for key := range file.table("profile", "default") {
			for _, s := range file.texts(key) {
				if len(s) > len(text) {
					t.Errorf("%q is not of %q", s, text)
				}
			}
		}
		for key, value := range file.scalars() {
			if _, known := file[key]; !known || len(value) > len(text)+maxNumberText {
				t.Errorf("%q has no %s = %q", text, key, value)
			}
		}
		hardhatArtifacts("root", text)
		namedVariable(text, []string{"KEY"})
		if shown := lastLines(text); strings.ContainsAny(shown, "\x1b\r\x00") || strings.HasPrefix(shown, "::") || strings.Contains(shown, "\n::") {
			t.Errorf("unsafe %q", shown)
		}
	})
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
		folders = append(folders, copyFixture(t, name))
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
		checkRead(t, Limits{}, folder)
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
	infos := filepath.Join(nodeModules(t), "@gnosis.pm", "safe-contracts", "build", "artifacts", "build-info")
	file := jsonBelow(t, infos)[1]
	intact, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if err := os.WriteFile(filepath.Join(root, "build.json"), mutilate(random, intact), 0o644); err != nil {
			t.Fatal(err)
		}
		checkRead(t, Limits{}, root)
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
