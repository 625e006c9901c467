package replay

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/report"
)

func TestBundleRoundTrip(t *testing.T) {
	want := Bundle{"report.json": []byte("{}\n"), "empty": {}, "reproducers/" + strings.Repeat("long", 60) + ".json": []byte("x")}
	first, err := want.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := want.Marshal()
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("equal archives give different bytes (%v)", err)
	}
	got, err := ReadBundle(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for n := 1; n < len(first); n += 97 {
		if got, err := ReadBundle(bytes.NewReader(first[:n])); err == nil && !cmp.Equal(got, want) {
			t.Errorf("the first %d of %d bytes are taken for all", n, len(first))
		}
	}
}

// TestPack: a bundle has what was rendered of a report, and of the run's files those that
// the report names.
func TestPack(t *testing.T) {
	f := &Files{
		Reproducers: map[string]*Reproducer{"reproducers/line.json": {}, "reproducers/SL-1.json": {}, "reproducers/withheld.json": {}},
		Cases:       map[string][]byte{"faults/withheld.json": []byte("2")},
		World:       []byte("deploy: []\n"), Snapshot: &Snapshot{World: &evm.World{}},
	}
	fault, err := f.AddFault(exampleFault())
	if err != nil {
		t.Fatal(err)
	}
	upgrade, err := f.AddUpgrade("SL-2", exampleUpgrade())
	if err != nil || upgrade != "upgrades/SL-2.json" {
		t.Fatal(upgrade, err)
	}
	r := &report.Report{
		Targets: []report.Target{{Reproducer: "reproducers/line.json"}, {}}, Findings: []report.Finding{{Reproducer: "reproducers/SL-1.json"}},
		Clashes: []report.Clash{{Reproducer: upgrade}, {}}, Faults: []report.Fault{{File: fault}, {Message: "another"}},
	}
	rendered := map[string][]byte{report.JSONFile: []byte("{}")}
	b, err := Pack(r, rendered, f)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{fault, report.JSONFile, "reproducers/SL-1.json", "reproducers/line.json", upgrade, SnapshotFile, WorldFile}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(b))); diff != "" {
		t.Error(diff)
	}
	if got, err := ReadFault(b[fault]); err != nil || cmp.Diff(exampleFault(), got) != "" {
		t.Errorf("the fault in it is another one (%v)", err)
	}
	if empty, err := Pack(r, rendered, &Files{}); err != nil || len(empty) != 1 || len(rendered) != 1 {
		t.Errorf("a run that had nothing to fuzz left %v (%v)", empty, err)
	}

	dir := t.TempDir()
	sum, err := b.WriteTar(filepath.Join(dir, "run.tar"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "run.tar"))
	if err != nil || fmt.Sprintf("%x", sha256.Sum256(data)) != sum {
		t.Errorf("the file's SHA-256 is not %s (%v)", sum, err)
	}
	if _, err := b.WriteTar(filepath.Join(dir, "no", "folder.tar")); err == nil || !strings.Contains(err.Error(), "name another file with --bundle") {
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

// TestHostileBundles: a bundle that Sightline did not pack is refused before any of it is used.
func TestHostileBundles(t *testing.T) {
	a := packed("a", "1")
	listed := func(files ...tarEntry) []byte { return entries(t, append([]tarEntry{sums(files...)}, files...)...) }
	link := func(kind byte) []byte {
		return entries(t, sums(), tarEntry{tar.Header{Typeflag: kind, Name: "a", Linkname: "/etc/passwd"}, ""})
	}
	extended := packed("a", "1")
	extended.header.PAXRecords = map[string]string{"SIGHTLINE.x": "1"}
	// As GNU tar writes a file with a hole of a terabyte.
	bomb := slices.Clone(entries(t, sums(), packed("a", "1")))
	copy(bomb[1024+156:], "S")
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":              {nil, "it is empty"},
		"no files":           {make([]byte, 1024), "it is empty"},
		"text":               {[]byte(strings.Repeat("not a tar\n", 100)), "not a tar file"},
		"compressed":         {append([]byte{0x1f, 0x8b}, make([]byte, 600)...), "not a tar file, or not all of one (uncompress it first if it is compressed)"},
		"out of it":          {listed(packed("../a", "1")), "not a path below the bundle"},
		"out of it, within":  {listed(packed("a/../../b", "1")), "not a path below the bundle"},
		"absolute":           {listed(packed("/etc/cron.d/a", "1")), "not a path below the bundle"},
		"backslash":          {listed(packed(`..\a`, "1")), "characters other than"},
		"drive":              {listed(packed("C:a", "1")), "characters other than"},
		"line break":         {listed(packed("a\nb", "1")), "characters other than"},
		"long":               {listed(packed(strings.Repeat("a", 301), "1")), "a path of 301 bytes"},
		"folder":             {link(tar.TypeDir), "a link, a folder or a device"},
		"symbolic link":      {link(tar.TypeSymlink), "only plain files"},
		"hard link":          {link(tar.TypeLink), "only plain files"},
		"device":             {link(tar.TypeChar), "only plain files"},
		"pipe":               {link(tar.TypeFifo), "only plain files"},
		"extension":          {listed(extended), "extension"},
		"hole":               {bomb, ""},
		"twice":              {listed(a, a), "it occurs twice"},
		"sums not first":     {entries(t, a, sums(a)), "SHA256SUMS must be the first file"},
		"sums twice":         {entries(t, sums(a), a, sums(a)), "must be the first file, and only that"},
		"no sums":            {entries(t, a), "must be the first file"},
		"changed":            {entries(t, sums(a), packed("a", "2")), `"a" was changed: its SHA-256 is d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35`},
		"missing":            {entries(t, sums(a)), `lists "a", which is missing`},
		"not listed":         {entries(t, sums(), a), `"a" is not listed`},
		"listed twice":       {entries(t, sums(a, a), a), "is not a line of it, or occurs twice"},
		"sums of themselves": {entries(t, sums(packed(SumsFile, ""))), "which is missing"},
		"no list":            {entries(t, packed(SumsFile, "all of it is fine\n")), "is not a line of it"},
		"huge":               {hugeHeader(t), "more than 1073741824 bytes"},
	} {
		got, err := ReadBundle(bytes.NewReader(c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", name, got, err, c.want)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%s: the error %q has several lines", name, err)
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
		for i := range 2 * maxBundleFiles {
			name := fmt.Sprintf("f%d", i)
			if i == 0 {
				name = SumsFile
			}
			if w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name}) != nil {
				break // the reader has stopped
			}
		}
		in.CloseWithError(errors.New("all of it was read"))
	}()
	_, err := ReadBundle(pipe)
	pipe.Close()
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("more than %d files", maxBundleFiles)) {
		t.Errorf("%v", err)
	}
}

// FuzzReadBundle: whatever is read is what was written.
func FuzzReadBundle(f *testing.F) {
	good, err := Bundle{"a": []byte("1"), "b/c": nil}.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(entries(f, sums(packed("a", "1")), packed("a", "1")))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ReadBundle(bytes.NewReader(data))
		if err != nil {
			return
		}
		again, err := a.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if b, err := ReadBundle(bytes.NewReader(again)); err != nil || !cmp.Equal(a, b) {
			t.Errorf("%v became %v (%v)", a, b, err)
		}
	})
}

// Lines that the making of the World reached have no reproducer: they are counted, and not
// held against the report.
func TestVerifySetUp(t *testing.T) {
	v := &verification{Disagrees: []string{}}
	r := &report.Report{Targets: []report.Target{
		{File: "src/Vault.sol", Line: 5, Contract: "src/Vault.sol:Vault", Status: report.Reached, Setup: "VaultTest.setUp()"},
		{File: "src/Vault.sol", Line: 6, Contract: "src/Vault.sol:Vault", Status: report.Reached},
	}}
	if err := v.replay(r, nil); err != nil {
		t.Fatal(err)
	}
	if v.Setups != 1 || v.OfLines != 1 || v.Lines != 0 || len(v.Disagrees) != 1 {
		t.Errorf("%+v", v)
	}
}
