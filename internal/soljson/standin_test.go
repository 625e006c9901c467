package soljson_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/soljson"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// TestStandIn: it answers what the product asks of the installed compilers, and is node for all else, other people's
// compilers among it.
func TestStandIn(t *testing.T) {
	folder := testsolc.StandIn(t)
	t.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH")) // as where tests use it: it does not ask itself
	node := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(folder, "node"), args...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			out = append(out, err.Error()...)
		}
		return string(out)
	}
	const input = `{"language":"Solidity","sources":{"a.sol":{"content":"contract A {}"}},"settings":{"outputSelection":{"*":{"*":["abi"]}}}}`
	const runner = "process.stdout.write('node: ' + require('fs').readFileSync(0, 'utf8'))"
	theirs := filepath.Join(t.TempDir(), "soljson.js")
	if err := os.WriteFile(theirs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ours := testsolc.Soljson(t, "")
	if got := node(input, "-e", runner, "--", ours, "compile"); !strings.Contains(got, `"a.sol":{"A":{"abi":[]}}`) {
		t.Errorf("compiled: %s", got)
	}
	for _, compiler := range []string{theirs, filepath.Dir(ours), "nowhere"} {
		if got := node("in", "-e", runner, "--", compiler, "compile"); got != "node: in" {
			t.Errorf("%s: %s", compiler, got)
		}
	}
	const says = "process.stdout.write(process.argv.slice(1).join(' ') + process.hrtime.bigint())" // never the same twice
	said := node("", "-e", says, "--", ours, "version")
	if again := node("", "-e", says, "--", ours, "version"); !strings.HasPrefix(said, ours+" version") || again != said {
		t.Errorf("a version: %s, then %s", said, again)
	}
	if got := node("in", "-e", "process.stdin.pipe(process.stdout); process.exitCode = 7", "--", ours, "version"); got != "inexit status 7" {
		t.Errorf("a version that fails: %s", got)
	}
	program, err := soljson.Program(t.TempDir(), ours)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := node("", program, "--version"); !strings.HasSuffix(got, "\nVersion: 0.8.30+commit.73712a01.Linux.g++\n") {
			t.Errorf("version: %q", got)
		}
	}
	if got := node(input, program, "--allow-paths", ".", "--standard-json"); !strings.Contains(got, `"a.sol":{"A":{"abi":[]}}`) {
		t.Errorf("compiled by the program: %s", got)
	}
	if got := node("", program); got != "solc: give --version or --standard-json\nexit status 1" {
		t.Errorf("the program without a mode: %s", got)
	}
	if _, ok := soljson.CompilerOf(theirs); ok {
		t.Error("another file is a program")
	}
	if got := node("", "-e", "console.log('no'); process.exit(7)"); got != "no\nexit status 7" {
		t.Errorf("other programs: %s", got)
	}
	if got := node("", "-e", "process.exit(7)", "--", theirs, "compile"); got != "exit status 7" {
		t.Errorf("another runner: %s", got)
	}
}
