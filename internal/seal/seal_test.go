package seal

import (
	"archive/tar"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const secret = "0123456789abcdef0123456789abcdef"

// tree writes files into a new folder.
func tree(t *testing.T, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	content := map[string]string{}
	for name := range walk(t, dir) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		content[filepath.ToSlash(name)] = string(data)
	}
	return content
}

func walk(t *testing.T, dir string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		found[name] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestSeal(t *testing.T) {
	content := map[string]string{"shard.json": "{}", "sequences/abc.txt": "vault.drain()", "empty": ""}
	file, again := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	dir := tree(t, content)
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{file, again} {
		if err := Write(f, dir, secret); err != nil {
			t.Fatal(err)
		}
	}
	sealed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for text := range maps.Values(content) {
		if text != "" && text != "{}" && bytes.Contains(sealed, []byte(text)) {
			t.Errorf("the sealed file holds %q", text)
		}
	}
	if other, err := os.ReadFile(again); err != nil || bytes.Equal(sealed, other) {
		t.Errorf("the same folder is sealed in the same way twice (%v)", err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := Read(file, out, secret); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(content, read(t, out)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for name, c := range map[string]struct {
		data   []byte
		secret string
		want   string
	}{
		"another secret": {sealed, secret + "0", "the secret is not the one"},
		"changed":        {slices.Concat(sealed[:len(sealed)-1], []byte{sealed[len(sealed)-1] ^ 1}), secret, "the secret is not the one"},
		"cut":            {sealed[:len(magic)+saltSize+3], secret, "the secret is not the one"},
		"no salt":        {sealed[:len(magic)], secret, "not a sealed file"},
		"something else": {[]byte("{}"), secret, "not a sealed file"},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Read(path, t.TempDir(), c.secret); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if CheckSecret("password") == nil || CheckSecret(secret) != nil {
		t.Error("secrets are judged by something else than their length")
	}
}

// archive is a tar with entries.
func archive(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := range headers {
		headers[i].Size = 2
		if headers[i].Typeflag != tar.TypeReg {
			headers[i].Size = 0
		}
		if err := w.WriteHeader(&headers[i]); err != nil {
			t.Fatal(err)
		}
		if headers[i].Size > 0 {
			if _, err := w.Write([]byte("ab")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What is in a sealed file is files of a folder, and nothing else.
func TestUnpack(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"a file":    {archive(t, tar.Header{Typeflag: tar.TypeReg, Name: "a/b"}), ""},
		"nothing":   {archive(t), ""},
		"twice":     {archive(t, tar.Header{Typeflag: tar.TypeReg, Name: "a"}, tar.Header{Typeflag: tar.TypeReg, Name: "a"}), "twice"},
		"leads out": {archive(t, tar.Header{Typeflag: tar.TypeReg, Name: "../a"}), "not a file of a folder"},
		"absolute":  {archive(t, tar.Header{Typeflag: tar.TypeReg, Name: "/a"}), "not a file of a folder"},
		"a link":    {archive(t, tar.Header{Typeflag: tar.TypeSymlink, Name: "a", Linkname: "/"}), "not a file of a folder"},
		"a folder":  {archive(t, tar.Header{Typeflag: tar.TypeDir, Name: "a/"}), "not a file of a folder"},
		"long":      {archive(t, tar.Header{Typeflag: tar.TypeReg, Name: strings.Repeat("a/", 200) + "b"}), "not a file of a folder"},
		"not whole": {archive(t, tar.Header{Typeflag: tar.TypeReg, Name: "a"})[:513], "not whole"},
		"not a tar": {[]byte(strings.Repeat("x", 600)), "not whole"},
	} {
		if _, err := unpack(c.data); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// FuzzUnpack: whatever is in it, names lead below the folder, and no more bytes come out than went in.
func FuzzUnpack(f *testing.F) {
	f.Add(archive(f, tar.Header{Typeflag: tar.TypeReg, Name: "a/b"}))
	f.Add(archive(f, tar.Header{Typeflag: tar.TypeReg, Name: "../a"}))
	f.Add(archive(f, tar.Header{Typeflag: tar.TypeSymlink, Name: "a", Linkname: ".."}, tar.Header{Typeflag: tar.TypeReg, Name: "a/b"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		content, err := unpack(data)
		size := 0
		for name, text := range content {
			if size += len(text); !filepath.IsLocal(name) {
				t.Errorf("the file %q", name)
			}
		}
		if err == nil && size > len(data) {
			t.Errorf("%d bytes of %d", size, len(data))
		}
	})
}
