package solc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/atomicfile"
)

// This file downloads a solc from a list of binaries in the form that Solidity
// publishes: PLATFORM/list.json names each build with its SHA-256, and the builds are
// next to it. A download is used only if its hash is the list's.

// Bounds of what is downloaded. Arbitrary: an entry of a list has about 300 bytes, and
// soljson.js of 0.8.30 9 MB.
const (
	maxList     = 8 << 20
	maxCompiler = 256 << 20
)

// downloadTimeout bounds one download. Arbitrary.
const downloadTimeout = 2 * time.Minute

// listedBuild is a build in list.json.
type listedBuild struct {
	Path       string `json:"path"`
	Version    string `json:"version"`
	Prerelease string `json:"prerelease"`
	SHA256     string `json:"sha256"` // 0x and 64 digits
}

// platform is what lists call the system that we run on; empty where there are no
// native builds for it.
func platform(system, architecture string) string {
	switch {
	case system == "linux" && (architecture == "amd64" || architecture == "arm64"):
		return system + "-" + architecture
	case system == "darwin": // Apple's processors run it translated
		return "macosx-amd64"
	case system == "windows" && architecture == "amd64":
		return "windows-amd64"
	}
	return ""
}

// downloadCompiler downloads the newest release that the ranges allow into
// Foundry's cache, where it is found the next time. nil where the list has none.
func downloadCompiler(ctx context.Context, ranges []Range, options Options) (*Compiler, error) {
	system := platform(runtime.GOOS, runtime.GOARCH)
	folder := svmFolder(options.Home)
	if system == "" || folder == "" {
		return nil, nil
	}
	base, err := parseList(options.List)
	if err != nil {
		return nil, err
	}
	place := base.JoinPath(system)
	text, err := fetch(ctx, place.JoinPath("list.json"), maxList)
	if err != nil {
		return nil, err
	}
	var list struct {
		Builds []listedBuild `json:"builds"`
	}
	if err := reading.DecodeJSON(text, "list.json", &list); err != nil {
		return nil, reading.At(place.String(), err)
	}
	build, version, found := newestListed(list.Builds, ranges)
	if !found {
		return nil, nil
	}
	program, err := fetch(ctx, place.JoinPath(build.Path), maxCompiler)
	if err != nil {
		return nil, err
	}
	if err := build.verify(program); err != nil {
		return nil, reading.At(place.JoinPath(build.Path).String(), err)
	}
	file := filepath.Join(folder, version.String(), "solc-"+version.String())
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	if err := keepProgram(file, program); err != nil {
		return nil, &reading.Error{Origin: file, Kind: ErrNoCompiler, Problem: "the compiler that was downloaded cannot be kept: " + err.Error(), Cause: err,
			Remedy: "make the folder writable, or name a compiler with --solc"}
	}
	return Open(ctx, file, options.Limits)
}

// CheckList is an [*reading.Error] when text is not the address of a compiler list, see
// [Options].
func CheckList(text string) error {
	_, err := parseList(text)
	return err
}

// parseList reads the address of a list. Without TLS an attacker could change it on the
// way, so that only this machine may be asked without.
func parseList(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err == nil && base.Host != "" && (base.Scheme == "https" || base.Scheme == "http" && isLoopback(base.Hostname())) {
		return base, nil
	}
	return nil, &reading.Error{Origin: reading.Shorten(text), Kind: ErrNoCompiler, Problem: "not the address of a compiler list", Cause: err,
		Remedy: "give https://HOST/FOLDER, in which PLATFORM/list.json lies"}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// newestListed is the newest release that all ranges allow. Old builds for Windows
// are archives, which are left out.
func newestListed(builds []listedBuild, ranges []Range) (newest listedBuild, version Version, found bool) {
	for _, b := range builds {
		v, err := ParseVersion(b.Version)
		if err != nil || b.Prerelease != "" || v.Pre != "" || b.Path != path.Base(b.Path) || strings.HasSuffix(b.Path, ".zip") || !satisfies(v, ranges) {
			continue
		}
		if !found || version.Less(v) {
			newest, version, found = b, v, true
		}
	}
	return newest, version, found
}

// verify compares a download with the hash of the list.
func (b listedBuild) verify(program []byte) error {
	sum := sha256.Sum256(program)
	want, err := hex.DecodeString(strings.TrimPrefix(b.SHA256, "0x"))
	if err == nil && bytes.Equal(want, sum[:]) {
		return nil
	}
	return &reading.Error{Kind: ErrNoCompiler, Problem: fmt.Sprintf("the download is not what the list says: its SHA-256 is %x, the list has %q", sum, reading.Shorten(b.SHA256)),
		Remedy: "try again; if it persists, the download may have been tampered with: name a compiler with --solc"}
}

// fetch downloads a file of at most limit bytes.
func fetch(ctx context.Context, from *url.URL, limit int64) ([]byte, error) {
	failed := func(cause error) error {
		return &reading.Error{Origin: from.String(), Kind: ErrNoCompiler, Problem: "cannot be downloaded: " + cause.Error(), Cause: cause,
			Remedy: "name a compiler with --solc or SOLC, or put it in PATH"}
	}
	limited, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodGet, from.String(), http.NoBody)
	if err != nil {
		return nil, failed(err)
	}
	client := http.Client{CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if next.URL.Scheme != from.Scheme || len(before) >= 10 { // as net/http bounds them
			return errors.New("it leads elsewhere: " + reading.Shorten(next.URL.String()))
		}
		return nil
	}}
	response, err := client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, failed(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, failed(errors.New(response.Status))
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return nil, failed(err)
	}
	if int64(len(text)) > limit {
		return nil, failed(errors.New("it is larger than " + reading.SizeText(limit)))
	}
	return text, nil
}

// keepProgram writes a program whole or not at all.
func keepProgram(file string, program []byte) error {
	if err := atomicfile.WriteInFolder(file, program); err != nil {
		return err
	}
	return os.Chmod(file, 0o755)
}

// svmFolder is where Foundry keeps compilers: ~/.svm where that is, else its data
// folder. It is empty without a home folder.
func svmFolder(home string) string {
	folders := svmFolders(firstHome(home))
	if i := slices.IndexFunc(folders, reading.IsFolder); i >= 0 {
		return folders[i]
	}
	if len(folders) == 0 {
		return ""
	}
	return folders[len(folders)-1]
}
