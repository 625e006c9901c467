package solc

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/programfile"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// binaries is a list of compilers for the system that tests run on, and the table that has
// their sums.
type binaries struct {
	*httptest.Server
	table releaseTable
	asked []string // paths
	files map[string]string
	busy  int // answers before the first one that counts
}

// fakeNative is a native solc that answers for its version.
func fakeNative(version string) string {
	return fmt.Sprintf("#!/bin/sh\necho 'Version: %s+commit.01234567.Linux.g++'\n", version)
}

func fakeRelease(t *testing.T, version, platform, program string) release {
	t.Helper()
	v, err := ParseVersion(version)
	if err != nil {
		t.Fatal(err)
	}
	return release{v, "01234567", platform, sha256.Sum256([]byte(program))}
}

// serveBinaries lists compilers of the versions.
func serveBinaries(t *testing.T, versions ...string) *binaries {
	t.Helper()
	system := platformHere()
	if runtime.GOOS == "windows" || system == "" {
		t.Fatal("the compilers of this test are shell scripts, for a system that lists have: run it on Linux or macOS")
	}
	t.Setenv("PATH", "/usr/bin:/bin")
	b := &binaries{files: map[string]string{}, table: releaseTable{}}
	for _, version := range versions {
		r := fakeRelease(t, version, system, fakeNative(version))
		b.table = append(b.table, r)
		b.files["/mirror/"+r.path()] = fakeNative(version)
	}
	slices.SortFunc(b.table, func(x, y release) int { return x.version.Compare(y.version) })
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.asked = append(b.asked, r.URL.Path)
		if b.busy--; b.busy >= 0 {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		program, ok := b.files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(program)) // the client says what is missing
	}))
	t.Cleanup(b.Close)
	t.Cleanup(forgetDownloads)
	return b
}

// forgetDownloads makes this process one that has downloaded nothing.
func forgetDownloads() {
	downloads.Lock()
	defer downloads.Unlock()
	downloads.programs, downloads.failures = nil, nil
}

func (b *binaries) options(t *testing.T) Options {
	return Options{Home: t.TempDir(), List: b.URL + "/mirror", Downloads: filepath.Join(t.TempDir(), "solc"), table: b.table}
}

// TestDownload: the newest release that fits and is nowhere is downloaded once and kept.
func TestDownload(t *testing.T) {
	b := serveBinaries(t, "0.8.19", "0.8.21", "0.7.6")
	options := b.options(t)
	var said []string
	options.Say = func(line string) { said = append(said, line) }
	b.busy = 1
	for range 2 {
		c, err := Find(t.Context(), []string{"^0.8.0", "<0.9.0"}, options)
		if err != nil || c.Version() != "0.8.21+commit.01234567" {
			t.Fatalf("%v, %v", c, err)
		}
		if output, err := c.Compile(t.Context(), nil); err != nil || !strings.Contains(string(output), "0.8.21") {
			t.Errorf("%q, %v", output, err)
		}
		forgetDownloads()
	}
	if len(b.asked) != 2 || b.asked[0] != "/mirror/"+b.table[2].path() || len(said) != 2 || !strings.Contains(said[0], "0.8.21 is not on this machine: downloading it from http://127.0.0.1") {
		t.Errorf("asked for %q, said %q", b.asked, said)
	}
	// What is there is used before anything newer is downloaded, also without the network.
	if c, err := Find(t.Context(), []string{">=0.7.0"}, func() Options { o := options; o.Offline = true; return o }()); err != nil || c.Number().Patch != 21 {
		t.Errorf("%v, %v", c, err)
	}
	// What spoilt the cache is not run, and it is mended.
	kept, err := filepath.Glob(filepath.Join(options.Downloads, "solc-0.8.21-*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%q, %v", kept, err)
	}
	canary := filepath.Join(t.TempDir(), "ran")
	for range 2 {
		if err := programfile.Write(kept[0], []byte("#!/bin/sh\ntouch "+canary+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		forgetDownloads()
		if c, err := Find(t.Context(), []string{"=0.8.21"}, options); err != nil || c.Number().Patch != 21 {
			t.Errorf("%v, %v", c, err)
		}
		options.Offline = false
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("a poisoned cache was run")
	}
	if text, err := os.ReadFile(kept[0]); err != nil || string(text) != fakeNative("0.8.21") {
		t.Errorf("the cache has %q, %v", text, err)
	}
	// Where a compiler was named, nothing is downloaded.
	asked := len(b.asked)
	options.Solc = filepath.Join(t.TempDir(), "solc")
	nativeSolc(t, options.Solc, "0.7.6")
	if _, err := Find(t.Context(), []string{"^0.8.0"}, options); !errors.Is(err, ErrNoCompiler) || len(b.asked) != asked {
		t.Errorf("error %v, asked for %q", err, b.asked)
	}
}

// TestDownloadRefused: what is not a release is neither kept nor run, and the error says
// what was tried.
func TestDownloadRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *binaries, options *Options)
		pragma string
		want   []string
	}{
		"changed":   {func(b *binaries, _ *Options) { b.files["/mirror/"+b.table[0].path()] += "exit 0\n" }, "", []string{"is not solc 0.8.19 as Solidity released it", "name a compiler with --solc"}},
		"cut":       {func(b *binaries, _ *Options) { b.files["/mirror/"+b.table[0].path()] = "#!" }, "", []string{"(its checksum differs)"}},
		"missing":   {func(b *binaries, _ *Options) { clear(b.files) }, "", []string{"solc 0.8.19 cannot be downloaded: http://127.0.0.1", "404 Not Found"}},
		"busy":      {func(b *binaries, _ *Options) { b.busy = 2 }, "", []string{"503 Service Unavailable"}},
		"no TLS":    {func(_ *binaries, o *Options) { o.List = "http://192.0.2.1/bin" }, "", []string{"not the address of a compiler list", "give https://"}},
		"no server": {func(b *binaries, _ *Options) { b.Close() }, "", []string{"connection refused"}},
		"offline":   {func(_ *binaries, o *Options) { o.Offline = true }, "", []string{"no solc satisfies pragma \"=0.8.19\"", "solc 0.8.19 is not on this machine, and --offline forbids to download it; run once without --offline"}},
		"unknown":   {func(*binaries, *Options) {}, "=0.8.99", []string{"nor does any of the releases that this version of Sightline knows, 0.8.19 to 0.8.19", "update Sightline"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := serveBinaries(t, "0.8.19")
			options := b.options(t)
			c.change(b, &options)
			if c.pragma == "" {
				c.pragma = "=0.8.19"
			}
			_, err := Find(t.Context(), []string{c.pragma}, options)
			var e *reading.Error
			if !errors.As(err, &e) || !errors.Is(err, ErrNoCompiler) || e.Remedy == "" {
				t.Fatalf("error %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
			}
			if kept, _ := filepath.Glob(filepath.Join(options.Downloads, "*")); len(kept) > 0 {
				t.Errorf("kept %q", kept)
			}
			// The failure is remembered: the next question costs no time.
			asked := len(b.asked)
			if _, err := Find(t.Context(), []string{c.pragma}, options); err == nil || len(b.asked) != asked {
				t.Errorf("error %v, asked for %q", err, b.asked)
			}
		})
	}
}

// TestNPM: where the list does not have a release, npm is asked for its soljson.js, in a
// folder of its own and by a program that is not the checkout's.
func TestNPM(t *testing.T) {
	b := serveBinaries(t)
	root, tools := t.TempDir(), t.TempDir()
	soljson := "exports.cwrap = () => () => '0.8.7+commit.01234567.Emscripten.clang'; exports._solidity_version = () => {};"
	r := fakeRelease(t, "0.8.7", soljsonPlatform, soljson)
	options := b.options(t)
	options.table, options.Root = releaseTable{r}, root
	package_ := filepath.Join(t.TempDir(), "package")
	testfiles.Write(t, filepath.Join(package_, "soljson.js"), soljson)
	program := func(folder, script string) {
		t.Helper()
		testfiles.Write(t, filepath.Join(folder, "npm"), script)
		if err := os.Chmod(filepath.Join(folder, "npm"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	record := filepath.Join(t.TempDir(), "record")
	program(tools, "#!/bin/sh\necho \"$2 $(ls) $GITHUB_TOKEN\" >"+record+"\ntar -czf solc-0.8.7-fixed.tgz -C "+filepath.Dir(package_)+" package/soljson.js\n")
	program(filepath.Join(root, "node_modules", ".bin"), "#!/bin/sh\ntouch "+record+".evil\n")
	node, err := checkout{}.findNode()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", strings.Join([]string{filepath.Join(root, "node_modules", ".bin"), tools, filepath.Dir(node), "/usr/bin", "/bin"}, string(os.PathListSeparator)))
	t.Setenv("GITHUB_TOKEN", "secret")
	c, err := Find(t.Context(), []string{"=0.8.7"}, options)
	if err != nil || c.Version() != "0.8.7+commit.01234567" {
		t.Fatalf("%v, %v", c, err)
	}
	if text, err := os.ReadFile(record); err != nil || string(text) != "solc@0.8.7-fixed package.json \n" {
		t.Errorf("npm got %q, %v", text, err)
	}
	if _, err := os.Stat(record + ".evil"); err == nil {
		t.Error("the checkout's npm was run")
	}
	// npm fails, and what it sends may be anything.
	for script, want := range map[string]string{
		"#!/bin/sh\necho no network >&2\nexit 1\n":      "npm pack solc@0.8.7-fixed: exit status 1: no network",
		"#!/bin/sh\necho x >solc-1.tgz\n":               "npm's package cannot be read",
		"#!/bin/sh\ntrue\n":                             "left no package",
		"#!/bin/sh\ntar -czf solc-1.tgz package.json\n": "no soljson.js",
		"#!/bin/sh\nmkdir package; echo x >package/soljson.js; tar -czf solc-1.tgz package/soljson.js\n": "its checksum differs",
	} {
		forgetDownloads()
		program(tools, script)
		options.Downloads = ""
		if _, err := Find(t.Context(), []string{"=0.8.7"}, options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestFetchBounds: an endless answer ends, and a redirection to another scheme is
// not followed.
func TestFetchBounds(t *testing.T) {
	b := serveBinaries(t)
	b.files["/large"] = strings.Repeat("x", 1000)
	from, err := url.Parse(b.URL + "/large")
	if err != nil {
		t.Fatal(err)
	}
	if text, _, err := fetch(t.Context(), from, 1000); err != nil || len(text) != 1000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if _, again, err := fetch(t.Context(), from, 999); err == nil || again || !strings.Contains(err.Error(), "larger than 999 bytes") {
		t.Errorf("error %v", err)
	}
	away := httptest.NewServer(http.RedirectHandler("https://localhost:1/", http.StatusFound))
	defer away.Close()
	if from, err = url.Parse(away.URL); err != nil {
		t.Fatal(err)
	}
	if _, _, err := fetch(t.Context(), from, 10); err == nil || !strings.Contains(err.Error(), "it leads elsewhere") {
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

// TestReleases: the table has every release since 0.4.11 in some form, each sum once, and
// what npm's packages hold that ./test installs.
func TestReleases(t *testing.T) {
	patches := map[string]int{"0.4": 26, "0.5": 17, "0.6": 12, "0.7": 6, "0.8": 37}
	for minor, last := range patches {
		for patch := range last + 1 {
			v, err := ParseVersion(fmt.Sprintf("%s.%d", minor, patch))
			if err != nil {
				t.Fatal(err)
			}
			if minor == "0.4" && patch < 11 {
				continue
			}
			_, native := released.find(v, "linux-amd64")
			_, soljson := released.find(v, soljsonPlatform)
			// See releasesText and hack/solc-releases.sh.
			if lacksNative, lacksSoljson := slices.Contains([]string{"0.8.32", "0.8.34", "0.8.37"}, v.String()), slices.Contains([]string{"0.4.12", "0.8.1"}, v.String()); native == lacksNative || soljson == lacksSoljson {
				t.Errorf("%s: native %v, soljson %v", v, native, soljson)
			}
		}
	}
	if !slices.IsSortedFunc(released, func(a, b release) int { return a.version.Compare(b.version) }) {
		t.Error("the table is not in order")
	}
	seen := map[[sha256.Size]byte]string{}
	for _, r := range released {
		if other := seen[r.sum]; other != "" {
			t.Errorf("%s and %s have one sum", other, r.long())
		}
		seen[r.sum] = r.long()
	}
	for name, want := range map[string]string{"solc": "0.8.30+commit.73712a01", "solc-0.4.11": "0.4.11+commit.68ef5810", "solc-0.8.17": "0.8.17+commit.8df45f5f"} {
		program, err := os.ReadFile(filepath.Join(testfiles.NodeModules(t), name, "soljson.js"))
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := released.identify(program); !ok || r.long() != want {
			t.Errorf("%s is %s, %v", name, r.long(), ok)
		}
	}
}
