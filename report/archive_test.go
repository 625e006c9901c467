package report

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArchiveRoundTrip(t *testing.T) {
	want := Archive{"report.json": []byte("{}\n"), "empty": {}, "reproducers/" + strings.Repeat("long", 60) + ".json": []byte("x")}
	first, err := want.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := want.Marshal()
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("equal archives give other bytes (%v)", err)
	}
	got, err := ReadArchive(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for n := 1; n < len(first); n += 97 {
		if got, err := ReadArchive(bytes.NewReader(first[:n])); err == nil && !cmp.Equal(got, want) {
			t.Errorf("the first %d of %d bytes are taken for all", n, len(first))
		}
	}
}

// A report's files and their archive are the same.
func TestPack(t *testing.T) {
	r, o, dir := load(t, "fail"), testOptions(), t.TempDir()
	o.Cases = Cases{"faults/named.json": []byte("1"), "faults/withheld.json": []byte("2")}
	r.Faults = []Fault{{Message: "machines disagree", File: "faults/named.json"}, {Message: "another"}}
	a, err := Pack(r, o, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, r, o); err != nil {
		t.Fatal(err)
	}
	written := Archive{}
	for _, name := range []string{JSONFile, SARIFFile, CommentFile, SummaryFile, "faults/named.json"} {
		if written[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(written, a); diff != "" {
		t.Error(diff)
	}
	sum, err := a.Write(filepath.Join(dir, "run.tar"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "run.tar"))
	if err != nil || fmt.Sprintf("%x", sha256.Sum256(data)) != sum {
		t.Errorf("the file's SHA-256 is not %s (%v)", sum, err)
	}
	if _, err := a.Write(filepath.Join(dir, "no", "folder.tar")); err == nil || !strings.Contains(err.Error(), "name another file with --bundle") {
		t.Errorf("%v", err)
	}
}

// entries is a tar file of headers and what is in them.
func entries(t testing.TB, all ...tarEntry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range all {
		e.header.Size = int64(len(e.data))
		if err := w.WriteHeader(&e.header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type tarEntry struct {
	header tar.Header
	data   string
}

func packed(name, data string) tarEntry {
	return tarEntry{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644}, data}
}

// sums lists files as sha256sum does.
func sums(files ...tarEntry) tarEntry {
	text := ""
	for _, f := range files {
		text += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(f.data)), f.header.Name)
	}
	return packed(SumsFile, text)
}

// What others pack is refused before any of it is used.
func TestHostileArchives(t *testing.T) {
	a := packed("a", "1")
	listed := func(files ...tarEntry) []byte { return entries(t, append([]tarEntry{sums(files...)}, files...)...) }
	link := func(kind byte) []byte {
		return entries(t, sums(), tarEntry{tar.Header{Typeflag: kind, Name: "a", Linkname: "/etc/passwd"}, ""})
	}
	extended := packed("a", "1")
	extended.header.PAXRecords = map[string]string{"SIGHTLINE.x": "1"}
	// What GNU tar writes of a file with a hole of a terabyte.
	bomb := slices.Clone(entries(t, sums(), packed("a", "1")))
	copy(bomb[1024+156:], "S")
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":              {nil, "it is empty"},
		"no files":           {make([]byte, 1024), "it is empty"},
		"text":               {[]byte(strings.Repeat("no archive\n", 100)), "not a tar file"},
		"compressed":         {append([]byte{0x1f, 0x8b}, make([]byte, 600)...), "not a tar file, or not all of one (a compressed one has to be unpacked first)"},
		"out of it":          {listed(packed("../a", "1")), "leads out of the bundle"},
		"out of it, within":  {listed(packed("a/../../b", "1")), "leads out of the bundle"},
		"absolute":           {listed(packed("/etc/cron.d/a", "1")), "leads out of the bundle"},
		"backslash":          {listed(packed(`..\a`, "1")), "other characters"},
		"drive":              {listed(packed("C:a", "1")), "other characters"},
		"line break":         {listed(packed("a\nb", "1")), "other characters"},
		"long":               {listed(packed(strings.Repeat("a", 301), "1")), "a path of 301 bytes"},
		"folder":             {link(tar.TypeDir), "a link, a folder or a device"},
		"symbolic link":      {link(tar.TypeSymlink), "only plain files"},
		"hard link":          {link(tar.TypeLink), "only plain files"},
		"device":             {link(tar.TypeChar), "only plain files"},
		"pipe":               {link(tar.TypeFifo), "only plain files"},
		"extension":          {listed(extended), "extension"},
		"hole":               {bomb, ""},
		"twice":              {listed(a, a), "already"},
		"sums not first":     {entries(t, a, sums(a)), "the first file, and no other, has to be SHA256SUMS"},
		"sums twice":         {entries(t, sums(a), a, sums(a)), "the first file, and no other"},
		"no sums":            {entries(t, a), "the first file"},
		"changed":            {entries(t, sums(a), packed("a", "2")), `"a" was changed: its SHA-256 is d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35`},
		"missing":            {entries(t, sums(a)), `lists "a", which is not there`},
		"not listed":         {entries(t, sums(), a), `"a" is not listed`},
		"listed twice":       {entries(t, sums(a, a), a), "is no line of it, or twice"},
		"sums of themselves": {entries(t, sums(packed(SumsFile, ""))), "which is not there"},
		"no list":            {entries(t, packed(SumsFile, "all of it is fine\n")), "is no line of it"},
		"huge":               {hugeHeader(t), "more than 1073741824 bytes"},
	} {
		got, err := ReadArchive(bytes.NewReader(c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", name, got, err, c.want)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%s: the error %q is not of one line", name, err)
		}
	}
}

// hugeHeader is a tar file that says that a file of two gigabytes follows.
func hugeHeader(t *testing.T) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: SumsFile, Size: 2 << 30})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestManyFiles: the number of files is bounded, whatever their size.
func TestManyFiles(t *testing.T) {
	pipe, in := io.Pipe()
	go func() {
		w := tar.NewWriter(in)
		for i := range 2 * maxArchiveFiles {
			name := fmt.Sprintf("f%d", i)
			if i == 0 {
				name = SumsFile
			}
			if w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name}) != nil {
				break // nobody reads any more
			}
		}
		in.CloseWithError(errors.New("all of it was read"))
	}()
	_, err := ReadArchive(pipe)
	pipe.Close()
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("more than %d files", maxArchiveFiles)) {
		t.Errorf("%v", err)
	}
}

// FuzzReadArchive: whatever is read is what was written.
func FuzzReadArchive(f *testing.F) {
	good, err := Archive{"a": []byte("1"), "b/c": nil}.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(entries(f, sums(packed("a", "1")), packed("a", "1")))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ReadArchive(bytes.NewReader(data))
		if err != nil {
			return
		}
		again, err := a.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if b, err := ReadArchive(bytes.NewReader(again)); err != nil || !cmp.Equal(a, b) {
			t.Errorf("%v became %v (%v)", a, b, err)
		}
	})
}
