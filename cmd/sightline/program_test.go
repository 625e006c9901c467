package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/exit"
)

// The exit codes of the program's help. Scripts test them with what leads to
// each; this is the short list, in one process.
func TestExitCodes(t *testing.T) {
	for _, test := range []struct {
		name  string
		args  string
		stdin string
		want  int
	}{
		{"help", "--help", "", exit.Pass},
		{"no command", "", "", exit.Pass},
		{"pass", "demo --example vault --test-limit 500 --workers 1 --out OUT", "", exit.Pass},
		{"gate failed", "demo --test-limit 30000 --workers 1 --out OUT", "", exit.Fail},
		{"nothing to do", "run --diff - --out OUT", "", exit.Pass},
		{"unknown command", "fuzz", "", exit.Input},
		{"unknown flag", "run --fast", "", exit.Input},
		{"bad value", "run --workers x", "", exit.Input},
		{"bad diff", "run --diff - --out OUT", "hello", exit.Input},
		{"nothing to look at", "run --diff - --out OUT", "diff --git a/a b/a\nindex 1111111..2222222 100644\nBinary files a/a and b/a differ\n", exit.Failure},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			p := newProgram(strings.NewReader(test.stdin), &stdout, &stderr)
			args := strings.Fields(strings.ReplaceAll(test.args, "OUT", t.TempDir()))
			if got := p.main(args); got != test.want {
				t.Errorf("exit code %d, want %d\n%s%s", got, test.want, &stdout, &stderr)
			}
			if failed := test.want > exit.Fail; failed != (stderr.Len() > 0) {
				t.Errorf("on standard error: %q", stderr.String())
			}
		})
	}
}
