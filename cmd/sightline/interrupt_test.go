//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/report"
)

// patience is how long a cancelled run may take to stop and write its reports:
// a second or two for people, and as much again for a busy machine.
const patience = 4 * time.Second

// A cancelled run stops at once, keeps what it has and says that it is not
// finished.
func TestInterrupt(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			cmd := exec.Command("sightline", "demo", "--timeout", "60", "--workers", "2", "--fail-on", "none", "--out", out)
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stderr = os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(stdout)
			for lines.Scan() && !strings.Contains(lines.Text(), "reached") { // the campaign runs
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			sent := time.Now()
			said := ""
			for lines.Scan() {
				said += lines.Text() + "\n"
			}
			_ = cmd.Wait() // the exit code is what counts
			if took := time.Since(sent); took > patience {
				t.Errorf("it took %v to stop", took)
			}
			if code := cmd.ProcessState.ExitCode(); code != report.ExitCancelled {
				t.Errorf("exit code %d, want %d", code, report.ExitCancelled)
			}
			if !strings.Contains(said, "\nexit 130") {
				t.Errorf("the last line does not show the exit code:\n%s", said)
			}
			for _, problem := range checkOutput(out) {
				t.Error(problem)
			}
		})
	}
}
