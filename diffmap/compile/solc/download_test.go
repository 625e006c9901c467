package solc

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// binaries serves a list of compilers for the system that tests run on.
type binaries struct {
	*httptest.Server
	asked []string // paths
	list  struct {
		Builds []listedBuild `json:"builds"`
	}
	files map[string]string // by name
}

// serveBinaries lists compilers of the versions.
func serveBinaries(t *testing.T, versions ...string) *binaries {
	t.Helper()
	if runtime.GOOS == "windows" || platform(runtime.GOOS, runtime.GOARCH) == "" {
		t.Fatal("the compilers of this test are shell scripts, for a system that lists have: run it on Linux or macOS")
	}
	t.Setenv("PATH", "/usr/bin:/bin")
	b := &binaries{files: map[string]string{}}
	for _, version := range versions {
		program := fmt.Sprintf("#!/bin/sh\necho 'Version: %s+commit.01234567.Linux.g++'\n", version)
		name := "solc-v" + version + "+commit.01234567"
		b.files[name] = program
		b.list.Builds = append(b.list.Builds, listedBuild{Path: name, Version: version, SHA256: fmt.Sprintf("0x%x", sha256.Sum256([]byte(program)))})
	}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.asked = append(b.asked, r.URL.Path)
		folder, name := path.Split(r.URL.Path)
		text, err := json.Marshal(b.list)
		if program, ok := b.files[name]; ok {
			text = []byte(program)
		} else if name != "list.json" {
			http.NotFound(w, r)
			return
		}
		if err != nil || folder != "/bin/"+platform(runtime.GOOS, runtime.GOARCH)+"/" {
			http.Error(w, folder, http.StatusForbidden)
			return
		}
		_, _ = w.Write(text) // the client says what is missing
	}))
	t.Cleanup(b.Close)
	return b
}

func (b *binaries) options(t *testing.T) Options {
	return Options{Home: t.TempDir(), List: b.URL + "/bin"}
}

// TestDownload: a compiler that is nowhere is downloaded once, into Foundry's
// cache.
func TestDownload(t *testing.T) {
	b := serveBinaries(t, "0.8.19", "0.8.21", "0.7.6")
	b.list.Builds = append(b.list.Builds,
		listedBuild{Path: "nightly", Version: "0.8.22", Prerelease: "nightly"},
		listedBuild{Path: "../0.8.23", Version: "0.8.23"}, listedBuild{Path: "solc.zip", Version: "0.8.24"}, listedBuild{Path: "x", Version: "newest"})
	options := b.options(t)
	for range 2 {
		c, err := Find(t.Context(), []string{"^0.8.0", "<0.9.0"}, options)
		if err != nil || c.Version() != "0.8.21+commit.01234567" {
			t.Fatalf("%v, %v", c, err)
		}
		if want := filepath.Join(options.Home, ".local", "share", "svm", "0.8.21", "solc-0.8.21"); runtime.GOOS == "linux" && c.Path() != want {
			t.Errorf("it is kept in %s, want %s", c.Path(), want)
		}
	}
	if len(b.asked) != 2 {
		t.Errorf("asked for %q", b.asked)
	}
	if err := os.Mkdir(filepath.Join(options.Home, ".svm"), 0o755); err != nil {
		t.Fatal(err)
	}
	if c, err := Find(t.Context(), []string{"=0.7.6"}, options); err != nil || !strings.Contains(c.Path(), ".svm") {
		t.Errorf("%v, %v", c, err)
	}
	// None that fits is listed, or one was named: then nothing is downloaded.
	if _, err := Find(t.Context(), []string{"=0.6.12"}, options); !errors.Is(err, ErrNoCompiler) || !strings.Contains(err.Error(), "no solc satisfies") {
		t.Errorf("error %v", err)
	}
	b.asked = nil
	options.Solc = filepath.Join(options.Home, ".svm", "0.7.6", "solc-0.7.6")
	if _, err := Find(t.Context(), []string{"^0.8.0"}, options); !errors.Is(err, ErrNoCompiler) || b.asked != nil {
		t.Errorf("error %v, asked for %q", err, b.asked)
	}
}

// TestDownloadRefused: what is not what the list says is neither kept nor run.
func TestDownloadRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *binaries, options *Options)
		want   string
	}{
		"changed":      {func(b *binaries, _ *Options) { b.files[b.list.Builds[0].Path] += "exit 0\n" }, "the download is not what the list says"},
		"cut":          {func(b *binaries, _ *Options) { b.files[b.list.Builds[0].Path] = "#!" }, "the download is not what the list says"},
		"no hash":      {func(b *binaries, _ *Options) { b.list.Builds[0].SHA256 = "" }, "the download is not what the list says"},
		"not there":    {func(b *binaries, _ *Options) { clear(b.files) }, "cannot be downloaded: 404 Not Found"},
		"no list":      {func(_ *binaries, o *Options) { o.List += "/nowhere" }, "cannot be downloaded: 403 Forbidden"},
		"no address":   {func(_ *binaries, o *Options) { o.List = "binaries" }, "not the address of a compiler list"},
		"without TLS":  {func(_ *binaries, o *Options) { o.List = "http://192.0.2.1/bin" }, "give https://"},
		"another list": {func(b *binaries, _ *Options) { b.files["list.json"] = "[" }, "invalid JSON"},
		"no server":    {func(b *binaries, _ *Options) { b.Close() }, "cannot be downloaded"},
	} {
		t.Run(name, func(t *testing.T) {
			b := serveBinaries(t, "0.8.19")
			options := b.options(t)
			c.change(b, &options)
			_, err := Find(t.Context(), []string{"^0.8.0"}, options)
			var e *reading.Error
			if !errors.As(err, &e) || !errors.Is(err, ErrNoCompiler) && name != "another list" || e.Remedy == "" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if found := cachedCompilers(options.Home, "", reading.Limits{}); len(found) > 0 {
				t.Errorf("kept %v", found[0].Path())
			}
		})
	}
}

// TestFetchBounds: an endless answer ends, and a redirection to another scheme is
// not followed.
func TestFetchBounds(t *testing.T) {
	b := serveBinaries(t)
	b.files["large"] = strings.Repeat("x", 1000)
	base, err := parseList(b.URL + "/bin")
	if err != nil {
		t.Fatal(err)
	}
	from := base.JoinPath(platform(runtime.GOOS, runtime.GOARCH), "large")
	if text, err := fetch(t.Context(), from, 1000); err != nil || len(text) != 1000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if _, err := fetch(t.Context(), from, 999); err == nil || !strings.Contains(err.Error(), "larger than 999 bytes") {
		t.Errorf("error %v", err)
	}
	away := httptest.NewServer(http.RedirectHandler("https://localhost:1/", http.StatusFound))
	defer away.Close()
	if base, err = parseList(away.URL); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t.Context(), base, 10); err == nil || !strings.Contains(err.Error(), "it leads elsewhere") {
		t.Errorf("error %v", err)
	}
}

func TestPlatform(t *testing.T) {
	var got []string
	for _, system := range []string{"linux/amd64", "linux/arm64", "linux/riscv64", "darwin/arm64", "windows/amd64", "plan9/amd64"} {
		name, architecture, _ := strings.Cut(system, "/")
		got = append(got, platform(name, architecture))
	}
	if want := []string{"linux-amd64", "linux-arm64", "", "macosx-amd64", "windows-amd64", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
