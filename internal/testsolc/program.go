package testsolc

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	text := strings.Replace(program, "process.env.SOLJSON", fmt.Sprintf("%q", soljson), 1)
	return path, os.WriteFile(path, []byte(text), 0o755)
}

// Soljson is the soljson.js of an npm package below .cache/npm; "" is the newest.
func Soljson(t testing.TB, pkg string) string {
	t.Helper()
	if pkg == "" {
		pkg = "solc"
	}
	return filepath.Join(modulesDir(t), pkg, "soljson.js")
}
