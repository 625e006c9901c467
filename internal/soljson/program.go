// Package soljson makes solc's Emscripten build, which npm has, a program as build
// tools want one: where there is no network, forge and Hardhat cannot download a
// compiler of their own. Tests and benchmarks use it, the product does not.
package soljson

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/internal/programfile"
)

// program is a solc in JavaScript, see there.
//
//go:embed program.js
var program string

// Program writes an executable into folder that behaves as the native solc does
// towards build tools (--version, --standard-json), and returns its path. It
// runs the given soljson.js through node. forge takes it as "solc" in
// foundry.toml, Hardhat 3 as a compiler's "path".
func Program(folder, soljson string) (string, error) {
	soljson, err := filepath.Abs(soljson)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(soljson); err != nil {
		return "", fmt.Errorf("%w: run ./test once, it installs the compilers", err)
	}
	path := filepath.Join(folder, "solc")
	text := strings.Replace(program, variable, fmt.Sprintf("%q", soljson), 1)
	return path, programfile.Write(path, []byte(text), 0o755)
}

// variable is what a program has the path of its compiler in place of.
const variable = "process.env.SOLJSON"

// CompilerOf is the compiler that a program of [Program] runs; false for other files.
func CompilerOf(path string) (soljson string, ok bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", false
	}
	before, after, _ := strings.Cut(program, variable)
	quoted, ok := strings.CutPrefix(string(text), before)
	if !ok {
		return "", false
	}
	if quoted, ok = strings.CutSuffix(quoted, after); !ok {
		return "", false
	}
	soljson, err = strconv.Unquote(quoted)
	return soljson, err == nil
}
