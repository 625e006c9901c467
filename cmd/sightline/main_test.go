package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testcache"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// TestMain makes the test binary the program itself when a script calls it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sightline": main, "sightline-hasty": hasty})
}

// hasty is main for tests of what waits for GitHub: its waits are over at once.
func hasty() {
	p := newProgram(os.Stdin, os.Stdout, os.Stderr)
	p.sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	os.Exit(p.main(os.Args[1:]))
}

// TestScripts runs testdata/script/*.txtar, each in a folder of its own. Beside
// the usual commands, scripts have those of [scriptCommands], the variables NPM,
// EXAMPLES and COMPILE for the node_modules folder that ./test installs, the folder
// of our own examples and testdata/compile.js, and git without the configuration of
// the machine.
func TestScripts(t *testing.T) {
	npm := nodeModules(t)
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	compile, err := filepath.Abs(filepath.Join("testdata", "compile.js"))
	if err != nil {
		t.Fatal(err)
	}
	tools := toolFolder(t)
	cache := testcache.Folder("product")
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *golden.Update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		ContinueOnError:     true,
		Cmds:                scriptCommands,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, ".tmp", "home")
			own, _, _ := strings.Cut(env.Getenv("PATH"), string(os.PathListSeparator)) // testscript's, with sightline
			env.Setenv("PATH", own+string(os.PathListSeparator)+tools)
			env.Setenv("HOME", home)
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("NPM", npm)
			env.Setenv("EXAMPLES", examples)
			env.Setenv("COMPILE", compile)
			env.Setenv("SIGHTLINE_NODE_MODULES", npm)
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z") // for the same commit ids everywhere
			env.Setenv("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
			return writeGitConfig(home)
		},
	})
}

// nodeModules is the folder that ./test installs compilers and corpora into.
func nodeModules(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", ".cache", "npm", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir) // as the program shows it
	if err != nil {
		t.Fatalf("%s is missing: run ./test once, it installs the compilers and contracts that tests need", dir)
	}
	return real
}

// toolFolder holds the programs that scripts call and no others, so that a solc
// or forge of the machine changes nothing.
func toolFolder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range []string{dir, filepath.Dir(dir)} { // a stranger's tools run as another user
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"cat", "cp", "diff", "env", "find", "git", "grep", "ls", "mkdir", "mv", "node", "rm", "sed", "sh", "sha256sum", "sleep", "sort", "tar", "xargs"} {
		program, err := exec.LookPath(name)
		if err != nil {
			t.Fatalf("scripts need %s: %v", name, err)
		}
		if name == "node" {
			program = filepath.Join(testsolc.StandIn(t), name)
		}
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// writeGitConfig sets the committer, so that git does not ask.
func writeGitConfig(home string) error {
	const config = "[user]\n\tname = Tester\n\temail = tester@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644)
}
