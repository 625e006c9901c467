package solc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/diffmap/compile/child"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/programfile"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// fakeSolc is a soljson.js whose compiler is the given JavaScript expression of
// pointer (see runner.js).
func fakeSolc(t *testing.T, compile string) *Compiler {
	t.Helper()
	file := filepath.Join(t.TempDir(), "soljson.js")
	script := fmt.Sprintf(`module.exports = {
		_solidity_version() {}, _solidity_compile() {}, _malloc() { return 1; }, stringToUTF8() {},
		cwrap(name) {
			if (name === 'solidity_version') return () => '0.8.30+commit.00000000.Emscripten.clang';
			return (pointer) => (%s);
		},
	};`, compile)
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := Open(t.Context(), file, reading.Limits{OutputBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCompileEnvironment: the child sees what is allowed and nothing else.
func TestCompileEnvironment(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "secret")
	t.Setenv("GITHUB_OUTPUT", "/file")
	t.Setenv("NODE_OPTIONS", "--title=x")
	t.Setenv("LANG", "C.UTF-8")
	c := fakeSolc(t, `JSON.stringify({names: Object.keys(process.env), entries: require('fs').readdirSync('.')})`)
	output, err := c.Compile(t.Context(), []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	var seen struct{ Names, Entries []string }
	if err := json.Unmarshal(output, &seen); err != nil {
		t.Fatal(err)
	}
	for _, name := range seen.Names {
		if strings.HasPrefix(name, "GITHUB_") || name == "NODE_OPTIONS" || name == "HOME" {
			t.Errorf("the child has %s", name)
		}
	}
	if !strings.Contains(strings.Join(seen.Names, " "), "LANG") || len(seen.Entries) != 0 {
		t.Errorf("environment %v, folder %v", seen.Names, seen.Entries)
	}
}

// TestCompileUser: where we are root the child is not, if it can be another.
func TestCompileUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change the user")
	}
	c := fakeSolc(t, `String(process.getuid())`)
	uid := func() string {
		t.Helper()
		output, err := c.Compile(t.Context(), []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		return string(output)
	}
	if got := uid(); got != "0" {
		t.Errorf("user %s of a file that only root can read", got)
	}
	for folder := filepath.Dir(c.path); folder != os.TempDir(); folder = filepath.Dir(folder) {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := uid(); child.ReadableByAll(c.node) && got != "65534" {
		t.Errorf("user %s", got)
	}
}

// TestCompileCancel: a compiler that does not end is killed.
func TestCompileCancel(t *testing.T) {
	t.Parallel()
	c := fakeSolc(t, `(() => { for (;;) {} })()`)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := c.Compile(ctx, []byte("{}"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestCompileFailures(t *testing.T) {
	t.Parallel()
	_, err := fakeSolc(t, `'x'.repeat(1 << 21)`).Compile(t.Context(), []byte("{}"))
	if !errors.Is(err, reading.ErrTooLarge) {
		t.Errorf("a large output: %v", err)
	}
	_, err = fakeSolc(t, `(() => { throw new Error('out of memory') })()`).Compile(t.Context(), []byte("{}"))
	if !errors.Is(err, ErrCompile) || !strings.Contains(err.Error(), "out of memory") || strings.Contains(err.Error(), "node:internal") {
		t.Errorf("a fault: %v", err)
	}
}

// TestOpen opens what --solc may name.
func TestOpen(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(testfiles.NodeModules(t), "solc")
	for _, path := range []string{folder, filepath.Join(folder, "soljson.js")} {
		c, err := Open(t.Context(), path, reading.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Version() != "0.8.30+commit.73712a01" {
			t.Errorf("%s: %s", path, c.Version())
		}
	}
	for _, path := range []string{t.TempDir(), filepath.Join(folder, "abi.js"), filepath.Join(folder, "none"), filepath.Join(folder, "README.md")} {
		if _, err := Open(t.Context(), path, reading.Limits{}); !errors.Is(err, ErrNoCompiler) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestNativeSolc runs a script that answers as a native solc does.
func TestNativeSolc(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script")
	}
	program := filepath.Join(t.TempDir(), "solc")
	script := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'solc, the solidity compiler commandline interface'; echo 'Version: 0.8.21+commit.d9974bed.Linux.g++'; else echo \"$*\"; cat; fi\n"
	if err := programfile.Write(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, env := range []string{"SOLC", "PATH"} {
		t.Run(env, func(t *testing.T) {
			if env == "PATH" {
				t.Setenv(env, filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv(env))
			} else {
				t.Setenv(env, program)
			}
			c, err := Find(t.Context(), []string{"^0.8.20"}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			output, err := c.Compile(t.Context(), []byte("{}"))
			if err != nil || c.Version() != "0.8.21+commit.d9974bed" || string(output) != "--standard-json\n{}" {
				t.Errorf("version %s, output %q, %v", c.Version(), output, err)
			}
			_, err = Find(t.Context(), []string{"^0.7.0"}, Options{})
			if !errors.Is(err, ErrNoCompiler) || !strings.Contains(err.Error(), `"^0.7.0": found solc 0.8.21`) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	options := compilers(t)
	for pragmas, want := range map[string]string{
		"^0.8.0":          "0.8.30+commit.73712a01",
		"^0.8.0;<0.8.20":  "0.8.17+commit.8df45f5f",
		">=0.4.22 <0.6.0": "0.5.17+commit.d19bba13",
		"0.4.26;0.4.26;*": "0.4.26+commit.4563c3fc",
	} {
		c, err := Find(t.Context(), strings.Split(pragmas, ";"), options)
		if err != nil {
			t.Error(err)
		} else if c.Version() != want {
			t.Errorf("%s: %s, want %s", pragmas, c.Version(), want)
		}
	}
	_, err := Find(t.Context(), []string{"^0.8.0", "^0.7.0"}, options)
	want := `no solc satisfies pragma "^0.7.0" and "^0.8.0": found solc 0.4.11, 0.4.26, 0.5.17, 0.6.12, 0.7.6, 0.8.17, 0.8.30; ` +
		`name one with --solc or SOLC, put it in PATH, or install it in the project: npm install --save-dev solc@VERSION`
	if err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
	if _, err := Find(t.Context(), []string{"banana"}, options); !errors.Is(err, ErrNoCompiler) {
		t.Errorf("error %v", err)
	}
}

// TestTrap: WebAssembly that gives up on an input is an error of its own, with a remedy.
func TestTrap(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"memory access out of bounds", "unreachable", "table index is out of bounds"} {
		_, err := fakeSolc(t, fmt.Sprintf(`(() => { throw new WebAssembly.RuntimeError(%q) })()`, said)).Compile(t.Context(), []byte("{}"))
		if !errors.Is(err, ErrTrapped) || !errors.Is(err, ErrCompile) {
			t.Fatalf("%s: %v", said, err)
		}
		for _, want := range []string{"WebAssembly has given up on a large input (", said + ")", "native compiler with --solc", "svm install 0.8.30", ".svm/0.8.30/solc-0.8.30"} {
			if !strings.Contains(filepath.ToSlash(err.Error()), want) {
				t.Errorf("%v does not contain %q", err, want)
			}
		}
	}
}
