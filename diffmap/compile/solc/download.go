package solc

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/atomicfile"
)

// This file downloads a release that is nowhere on the machine: the native program from
// Solidity's list of binaries, or soljson.js as the npm package solc. Whatever sends it, it is
// run only if its SHA-256 is the one that [released] has.

// OfficialList is Solidity's list of binaries, by its documentation.
const OfficialList = "https://binaries.soliditylang.org"

// Bounds of a download. Arbitrary: 30 MB take some seconds, and who cannot be reached in ten
// is not.
const (
	downloadTimeout = 2 * time.Minute
	dialTimeout     = 10 * time.Second
)

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

// platformHere is the platform of this machine.
func platformHere() string { return platform(runtime.GOOS, runtime.GOARCH) }

// attempt says why no compiler was downloaded.
type attempt struct {
	problem, remedy string
}

// download downloads the newest release that the ranges allow. Without a compiler it says
// what was tried; nil where downloading is not wanted.
func (options Options) download(ctx context.Context, ranges []Range) (*Compiler, *attempt) {
	if c := options.downloaded(ctx, ranges); c != nil {
		return c, nil
	}
	if options.List == "" && !options.Offline {
		return nil, nil
	}
	table := options.releases()
	version, found := table.newest(ranges, options.platforms())
	if !found { // the reason why not is one of the failures
		version, found = table.newest(ranges, []string{platformHere(), soljsonPlatform})
	}
	if !found {
		oldest, newest := table.span()
		return nil, &attempt{problem: fmt.Sprintf("nor does any of the releases that this version of Sightline knows, %s to %s", oldest, newest),
			remedy: "correct the pragma, update Sightline, or name a compiler with --solc"}
	}
	var failures []string
	for _, source := range []struct {
		platform string
		name     string
		get      func(ctx context.Context, r release) ([]byte, error)
	}{{platformHere(), options.List, options.fromList}, {soljsonPlatform, "npm", options.fromNPM}} {
		r, listed := table.find(version, source.platform)
		if !listed {
			continue
		}
		c, err := options.obtain(ctx, r, source.name, source.get)
		if err == nil {
			return c, nil
		}
		if ctx.Err() != nil {
			return nil, nil
		}
		failures = append(failures, err.Error())
	}
	if options.Offline {
		return nil, &attempt{problem: fmt.Sprintf("solc %s is not on this machine, and --offline forbids to download it", version),
			remedy: "run once without --offline, name a compiler with --solc or SOLC, put it in PATH, or install it in the project: npm install --save-dev solc@" + version.String()}
	}
	return nil, &attempt{problem: fmt.Sprintf("solc %s cannot be downloaded: %s", version, strings.Join(failures, "; ")),
		remedy: "let this machine reach " + options.List + " or npm's registry, name a compiler with --solc or SOLC, put it in PATH, or install it in the project: npm install --save-dev solc@" + version.String()}
}

// platforms are those whose releases could be had and run here.
func (options Options) platforms() []string {
	platforms := []string{platformHere()}
	_, node := options.checkout().findNode()
	if _, npm := options.checkout().lookPath("npm"); node == nil && npm == nil {
		platforms = append(platforms, soljsonPlatform)
	}
	return platforms
}

// kept is the file that keeps a release.
func (options Options) kept(r release) string {
	return filepath.Join(options.Downloads, fmt.Sprintf("solc-%s-%x", r.version, r.sum[:8]))
}

// downloaded is the newest release that the ranges allow and that was downloaded before; nil
// for none. It comes after what is installed on the machine, so that a run does not depend on
// what earlier ones needed.
func (options Options) downloaded(ctx context.Context, ranges []Range) *Compiler {
	if options.Downloads == "" {
		return nil
	}
	platforms := []string{platformHere(), soljsonPlatform}
	for _, r := range slices.Backward(options.releases()) { // from the newest
		if !slices.Contains(platforms, r.platform) || !satisfies(r.version, ranges) {
			continue
		}
		program, err := readProgram(options.kept(r))
		if err != nil || sha256.Sum256(program) != r.sum {
			continue
		}
		if c, ok := options.compilerOf(r, program, options.kept(r)); ok && (c.node != "" || c.runs(ctx) == nil) {
			return c
		}
	}
	return nil
}

// runs is why a native compiler does not run on this machine; nil where it does.
func (c *Compiler) runs(ctx context.Context) error {
	_, err := c.ask(ctx, native("--version"))
	return err
}

// obtain gets a release from a source, checks it and tries whether it runs.
func (options Options) obtain(ctx context.Context, r release, from string, get func(context.Context, release) ([]byte, error)) (*Compiler, error) {
	if _, err := options.checkout().findNode(); err != nil && r.platform == soljsonPlatform {
		return nil, errors.New("soljson.js needs node, which is not in PATH")
	}
	kept := options.kept(r)
	program, fresh, err := options.bytesOf(ctx, r, from, get)
	if err != nil {
		return nil, err
	}
	c, ok := options.compilerOf(r, program, kept)
	if !ok {
		return nil, errors.New("node is not in PATH")
	}
	if r.platform != soljsonPlatform {
		if err := c.runs(ctx); err != nil {
			return nil, fmt.Errorf("the build for %s does not run here: %w", r.platform, err)
		}
	}
	if fresh && options.Downloads != "" && private(options.Downloads) {
		// A cache that cannot be written costs another download, and nothing else.
		_ = atomicfile.WriteInFolder(kept, program)
	}
	return c, nil
}

// downloads are the releases that this process has downloaded, and the sources that failed:
// a run asks for a compiler more than once.
var downloads struct {
	sync.Mutex
	programs map[[sha256.Size]byte][]byte
	failures map[string]error // by source and version
}

// bytesOf are a release's bytes; fresh if they were downloaded now.
func (options Options) bytesOf(ctx context.Context, r release, from string, get func(context.Context, release) ([]byte, error)) (program []byte, fresh bool, err error) {
	downloads.Lock()
	defer downloads.Unlock()
	if program, ok := downloads.programs[r.sum]; ok {
		return program, false, nil
	}
	if options.Offline {
		return nil, false, errors.New("--offline")
	}
	key := from + " " + r.long()
	if err, ok := downloads.failures[key]; ok {
		return nil, false, err
	}
	options.say("solc    %s is not on this machine: downloading it from %s", r.version, from)
	limited, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	if program, err = get(limited, r); err == nil && sha256.Sum256(program) != r.sum {
		err = fmt.Errorf("what %s sends is not solc %s as Solidity released it (its checksum differs)", from, r.version)
	}
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	if downloads.programs == nil {
		downloads.programs, downloads.failures = map[[sha256.Size]byte][]byte{}, map[string]error{}
	}
	if err != nil {
		downloads.failures[key] = err
		options.say("solc    %s: %v", r.version, err)
		return nil, false, err
	}
	downloads.programs[r.sum] = program
	options.say("solc    %s downloaded and checked, %s", r.long(), reading.SizeText(int64(len(program))))
	return program, true, nil
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
		Remedy: "give https://HOST/FOLDER, in which PLATFORM/solc-PLATFORM-vVERSION+commit.COMMIT lies"}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// fromList downloads a native release from the list, at the second try if the first one
// breaks off.
func (options Options) fromList(ctx context.Context, r release) ([]byte, error) {
	base, err := parseList(options.List)
	if err != nil {
		return nil, err
	}
	from := base.JoinPath(r.path())
	program, again, err := fetch(ctx, from, maxProgram)
	if again && ctx.Err() == nil {
		program, _, err = fetch(ctx, from, maxProgram)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return program, nil
}

// fetch downloads a file of at most limit bytes. The error of a connection that broke off,
// or of a server that is busy, may be another one the next time.
func fetch(ctx context.Context, from *url.URL, limit int64) (data []byte, again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), http.NoBody)
	if err != nil {
		return nil, false, err
	}
	client := http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext,
			TLSHandshakeTimeout: dialTimeout, ResponseHeaderTimeout: dialTimeout, ForceAttemptHTTP2: true, DisableKeepAlives: true,
		},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			if next.URL.Scheme != from.Scheme || len(before) >= 10 { // as net/http bounds them
				return errors.New("it leads elsewhere: " + reading.Shorten(next.URL.String()))
			}
			return nil
		},
	}
	response, err := client.Do(request)
	if err != nil {
		var operation *url.Error
		if errors.As(err, &operation) { // its text repeats the address
			err = operation.Err
		}
		return nil, false, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, response.StatusCode >= http.StatusInternalServerError || response.StatusCode == http.StatusTooManyRequests, errors.New(response.Status)
	}
	data, err = io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, false, errors.New("it is larger than " + reading.SizeText(limit))
	}
	return data, err != nil, err
}

// keptEnvironment is the part of our environment that npm needs on top of what every child
// has: the user's configuration, and how the network is reached.
var keptEnvironment = []string{
	"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
	"npm_config_registry", "NPM_CONFIG_REGISTRY", "npm_config_userconfig", "NPM_CONFIG_USERCONFIG", "npm_config_cafile", "NPM_CONFIG_CAFILE",
	"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE",
}

func environmentOf(names []string) []string {
	var kept []string
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			kept = append(kept, name+"="+value)
		}
	}
	return kept
}
