package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/report"
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
		{"help", "--help", "", report.ExitPass},
		{"no command", "", "", report.ExitPass},
		{"pass", "demo --example vault --test-limit 500 --workers 1 --out OUT", "", report.ExitPass},
		{"gate failed", "demo --test-limit 200000 --workers 1 --out OUT", "", report.ExitFail},
		{"nothing to do", "run --diff - --out OUT", "", report.ExitPass},
		{"unknown command", "fuzz", "", report.ExitBadInput},
		{"unknown flag", "run --fast", "", report.ExitBadInput},
		{"bad value", "run --workers x", "", report.ExitBadInput},
		{"bad diff", "run --diff - --out OUT", "hello", report.ExitBadInput},
		{"nothing to look at", "run --diff - --out OUT", "diff --git a/a b/a\nindex 1111111..2222222 100644\nBinary files a/a and b/a differ\n", report.ExitError},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			p := newProgram(strings.NewReader(test.stdin), &stdout, &stderr)
			args := strings.Fields(strings.ReplaceAll(test.args, "OUT", t.TempDir()))
			if got := p.main(args); got != test.want {
				t.Errorf("exit code %d, want %d\n%s%s", got, test.want, &stdout, &stderr)
			}
			if failed := test.want > report.ExitFail; failed != (stderr.Len() > 0) {
				t.Errorf("on standard error: %q", stderr.String())
			}
		})
	}
}

// An error's code is kept when others are joined to it or wrapped around it.
func TestErrorCodes(t *testing.T) {
	err := errors.Join(nil, cannotFuzz("no compiler: %w", io.EOF))
	var coded *exitError
	if !errors.As(err, &coded) || coded.code != report.ExitError {
		t.Errorf("%v has no exit code %d", err, report.ExitError)
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("%v does not hold its cause", err)
	}
}
