//go:build unix

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/internal/exit"
)

// patience is how long a canceled run may take to stop and write its reports:
// a second or two for people, and as much again for a busy machine.
const patience = 4 * time.Second

// interrupt starts the program, sends it a signal once a line of its output
// holds the text, and returns what it said from then on. It must end soon, with
// the exit code of a canceled run.
func interrupt(t *testing.T, sig syscall.Signal, until string, args ...string) string {
	t.Helper()
	cmd := exec.Command("sightline", args...)
	cmd.Env = append(os.Environ(), "SIGHTLINE_NODE_MODULES="+nodeModules(t), "XDG_CACHE_HOME="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	met := false
	for !met && lines.Scan() {
		met = strings.Contains(lines.Text(), until)
	}
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	sent := time.Now()
	var said strings.Builder
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
	}
	_ = cmd.Wait() // the exit code is what counts
	if !met {
		t.Fatalf("it never said %q: %s%s", until, &said, &stderr)
	}
	if took := time.Since(sent); took > patience {
		t.Errorf("it took %v to stop", took)
	}
	if code := cmd.ProcessState.ExitCode(); code != exit.Canceled {
		t.Errorf("exit code %d, want %d: %s%s", code, exit.Canceled, &said, &stderr)
	}
	return said.String() + stderr.String()
}

// A canceled campaign stops at once, keeps what it has and says that it is not
// finished.
func TestInterruptCampaign(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			said := interrupt(t, sig, "reached", "demo", "--timeout", "60", "--workers", "2", "--out", out)
			for _, want := range []string{"\nwarn   the run was canceled before its limit", "\nexit 130 (canceled)\n"} {
				if !strings.Contains(said, want) {
					t.Errorf("it does not say %q:\n%s", want, said)
				}
			}
			for _, problem := range checkOutput(out) {
				t.Error(problem)
			}
		})
	}
}

// A canceled shard leaves what it has, and says so.
func TestInterruptShard(t *testing.T) {
	t.Parallel()
	dir, example := t.TempDir(), filepath.Join("..", "..", "examples", "vault")
	plan, out := filepath.Join(dir, "plan.tar"), filepath.Join(dir, "out")
	made := exec.Command("sightline", "plan", "--root", filepath.Join(example, "head"), "--diff", filepath.Join(example, "pr.diff"),
		"--build", filepath.Join(example, "build", "head.output.json"), "--base-build", filepath.Join(example, "build", "base.output.json"), "--plan", plan, "--timeout", "60")
	if said, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	said := interrupt(t, syscall.SIGTERM, "reached", "run", "--plan", plan, "--shard", "2/3", "--out", out)
	if !strings.Contains(said, "\nshard   2/3 is canceled: ") {
		t.Errorf("it does not say that the shard was canceled:\n%s", said)
	}
	text, err := os.ReadFile(filepath.Join(out, "shard.json"))
	if err != nil || !bytes.Contains(text, []byte(`"end":"canceled"`)) || !bytes.Contains(text, []byte(`"is":"reached"`)) {
		t.Errorf("shard.json: %v, %s", err, text)
	}
}

// A compiler is stopped with the program that waits for it.
func TestInterruptBuild(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files := map[string]string{
		"A.sol":   "pragma solidity ^0.8.0;\ncontract A { uint256 public x = 1; }\n",
		"pr.diff": "--- a/A.sol\n+++ b/A.sol\n@@ -1,2 +1,2 @@\n pragma solidity ^0.8.0;\n-contract A {}\n+contract A { uint256 public x = 1; }\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	said := interrupt(t, syscall.SIGINT, "compiling", "run", "--root", root, "--diff", filepath.Join(root, "pr.diff"), "--out", filepath.Join(root, "out"))
	if said != "sightline: canceled\n" {
		t.Errorf("it says %q", said)
	}
}
