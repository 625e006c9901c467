package solc

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// runner runs soljson.js, see there.
//
//go:embed runner.js
var runner string

// Compiler is a solc that was found: a native program, or an Emscripten build
// (soljson.js) that node runs.
type Compiler struct {
	version Version
	long    string // with the commit; empty until it is asked for
	path    string // of the program or of soljson.js
	node    string // the node program; empty for a native solc
	cache   string // see Options.Cache
	limits  reading.Limits

	program    []byte // a release's bytes, which are run in place of the file; nil: the file is run
	searchPath string // PATH without the checkout; empty: ours
	origin     origin // of the file, while it has not been looked at
}

// Version is the compiler's full version, "0.8.30+commit.73712a01".
func (c *Compiler) Version() string { return cmp.Or(c.long, c.version.String()) }

// Number is the version without the commit.
func (c *Compiler) Number() Version { return c.version }

// Path is the program or the soljson.js file.
func (c *Compiler) Path() string { return c.path }

// WebAssembly reports whether it is solc's build for WebAssembly, which is slower than a native one.
func (c *Compiler) WebAssembly() bool { return c.node != "" }

// Open opens the solc at path: a native program, a soljson*.js file, or
// the folder of an npm package solc.
func Open(ctx context.Context, path string, limits reading.Limits) (*Compiler, error) {
	return openCompiler(ctx, path, Options{Limits: limits})
}

func openCompiler(ctx context.Context, path string, options Options) (*Compiler, error) {
	c := &Compiler{path: path, cache: options.Cache, limits: options.Limits.WithDefaults()}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, notACompiler(path, err)
	}
	c.path = absolute
	info, err := os.Stat(absolute)
	if err != nil {
		return nil, notACompiler(path, err)
	}
	if info.IsDir() {
		c.path = filepath.Join(absolute, "soljson.js")
		if _, err := os.Stat(c.path); err != nil {
			return nil, notACompiler(path, err)
		}
	}
	c.searchPath, _ = options.checkout().searchPath()
	if strings.HasSuffix(c.path, ".js") {
		if c.node, err = options.checkout().findNode(); err != nil {
			return nil, err
		}
	}
	if err := c.identify(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

func notACompiler(path string, cause error) error {
	return &reading.Error{Origin: path, Kind: ErrNoCompiler, Problem: "cannot be used as solc: " + cause.Error(), Cause: cause,
		Remedy: "give a solc program, a soljson.js file or the folder of an npm package solc"}
}

func (c checkout) findNode() (string, error) {
	node, err := c.lookPath("node")
	if err != nil {
		return "", &reading.Error{Kind: ErrNoCompiler, Problem: "node, which runs soljson.js, is not in PATH", Cause: err,
			Remedy: "install Node.js, or give a native solc with --solc"}
	}
	return node, nil
}

// LongVersion is the version with its commit; the platform after it is left out, so
// that the same compiler has the same version everywhere.
var LongVersion = regexp.MustCompile(`(\d+\.\d+\.\d+)(-[0-9A-Za-z.-]+)?(\+commit\.[0-9a-f]+)?`)

// identify asks the compiler for its full version.
func (c *Compiler) identify(ctx context.Context) error {
	ask := func() ([]byte, error) { return c.ask(ctx, native("--version")) }
	if c.node != "" {
		ask = func() ([]byte, error) { return c.cachedVersion(ctx) }
	}
	text, err := ask()
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return notACompiler(c.path, err)
	}
	if i := bytes.Index(text, []byte("Version:")); i >= 0 { // a native solc's second line
		text = text[i:]
	}
	c.long = string(LongVersion.Find(text))
	if c.version, err = ParseVersion(c.long); err != nil {
		return notACompiler(c.path, fmt.Errorf("its version output is %q", reading.Shorten(string(text))))
	}
	return nil
}

// ask runs the compiler for its version: a few hundred bytes; anything much longer is
// not a solc.
func (c *Compiler) ask(ctx context.Context, arguments func(path string) []string) ([]byte, error) {
	return c.run(ctx, arguments, nil, 64<<10)
}

// script are the arguments that run soljson.js.
func (c *Compiler) script(mode string) func(path string) []string {
	return func(path string) []string { return []string{c.node, "-e", runner, "--", path, mode} }
}

// native are the arguments of a native program.
func native(arguments ...string) func(path string) []string {
	return func(path string) []string { return append([]string{path}, arguments...) }
}

// Compile runs the compiler on a standard-JSON input and returns its
// standard-JSON output, whose "errors" may hold compile errors. Nothing but the
// sources of the input is read.
func (c *Compiler) Compile(ctx context.Context, input []byte) ([]byte, error) {
	arguments := native("--standard-json")
	if c.node != "" {
		arguments = c.script("compile")
	} else if !c.version.Less(Version{Major: 0, Minor: 8, Patch: 22}) {
		// Before 0.8.22 an import may be read from below the working folder,
		// which is empty.
		arguments = native("--standard-json", "--no-import-callback")
	}
	output, err := c.run(ctx, arguments, input, c.limits.OutputBytes)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		if c.node != "" && trapped.MatchString(err.Error()) {
			return nil, c.trap(err)
		}
		return nil, reading.At("solc "+c.Version(), wrapFailure(err))
	}
	if c.node != "" && len(output) < mostTrapped && bytes.Contains(output, []byte("Dynamic exception type: std::bad_alloc")) {
		return nil, c.trap(errors.New("std::bad_alloc"))
	}
	return output, nil
}

// mostTrapped bounds the answer of a compiler that ran out of memory, bytes: that says only this, where
// others hold texts of the sources.
const mostTrapped = 4096

// trapped matches what V8 says where WebAssembly runs out of memory or stack. Releases up to 0.8.28 do
// on large inputs that a native program compiles.
var trapped = regexp.MustCompile(`memory access out of bounds|table index is out of bounds|unreachable$|null function or function signature mismatch|Maximum call stack size exceeded|Cannot enlarge memory|out of memory|OOM`)

// trap is the error of soljson.js that has given up.
func (c *Compiler) trap(err error) error {
	return &reading.Error{Origin: "solc " + c.Version(), Kind: ErrCompile, Cause: ErrTrapped,
		Problem: fmt.Sprintf("its build for WebAssembly has given up on a large input (%s)", reading.Shorten(err.Error())),
		Remedy: fmt.Sprintf("give a native compiler with --solc, or install one where Foundry keeps them, such as %s: `svm install %s` or a run of forge does",
			filepath.Join("~", ".svm", c.version.String(), "solc-"+c.version.String()), c.version)}
}

// wrapFailure makes an *Error of a compiler that ended badly.
func wrapFailure(err error) error {
	var e *reading.Error
	if errors.As(err, &e) {
		return e
	}
	return &reading.Error{Kind: ErrCompile, Problem: "the compiler failed: " + err.Error(), Cause: err}
}
