// Package child runs compilers and build tools: in a process group that can be killed,
// with an environment that holds no secrets, and as a user who cannot read ours.
package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// AllowedEnvironment names the variables that children get. Everything else,
// tokens and the runner's command files among them, stays with us.
var AllowedEnvironment = []string{
	"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TMP", "TEMP",
	"SYSTEMROOT", "WINDIR", "PATHEXT", // without which nothing starts on Windows
}

// Environment is the allowed part of our own.
func Environment() []string {
	var kept []string
	for _, name := range AllowedEnvironment {
		if value, ok := os.LookupEnv(name); ok {
			kept = append(kept, name+"="+value)
		}
	}
	return kept
}

// maxStderr is how much of a child's error output is kept for a message.
const maxStderr = 4 << 10

// Grace is how long a killed child may hold its pipes open. Arbitrary, but
// within what a canceled job leaves us.
const Grace = time.Second

// errOutputLimit is the cause when a child wrote more than it may.
var errOutputLimit = errors.New("the output is too large")

// Process is a program to run.
type Process struct {
	Argv  []string
	Files []string // what it must be able to read, apart from the program itself
	Input []byte
	Limit int64  // bytes of output
	Path  string // its PATH; empty: ours
}

// Run starts the child in an empty folder of its own, with the allowed
// environment, and waits for it. When ctx ends, its whole process group is
// killed.
func (c Process) Run(ctx context.Context) ([]byte, error) {
	folder, err := os.MkdirTemp("", "sightline-solc-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stdout := &limitedBuffer{limit: c.Limit, full: func() { cancel(errOutputLimit) }}
	stderr := &limitedBuffer{limit: maxStderr}
	command := func() *exec.Cmd {
		cmd := exec.CommandContext(limited, c.Argv[0], c.Argv[1:]...)
		cmd.Dir = folder
		if cmd.Env = Environment(); c.Path != "" {
			cmd.Env = append(cmd.Env, "PATH="+c.Path) // the last one counts
		}
		cmd.Stdin = bytes.NewReader(c.Input)
		cmd.Stdout, cmd.Stderr = stdout, stderr
		cmd.WaitDelay = Grace
		Group(cmd)
		return cmd
	}
	cmd := command()
	demoted := demote(cmd, c.Files)
	err = cmd.Run()
	if demoted && errors.Is(err, fs.ErrPermission) {
		// A sandbox may forbid changing the user, even to root.
		err = command().Run()
	}
	switch {
	case errors.Is(context.Cause(limited), errOutputLimit):
		return nil, &reading.Error{Kind: reading.ErrTooLarge, Problem: "its output is larger than " + reading.SizeText(c.Limit)}
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		message := strings.TrimSpace(strings.ToValidUTF8(stderr.kept.String(), ""))
		if message == "" {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %s", err, message)
	}
	return stdout.kept.Bytes(), nil
}

// limitedBuffer keeps the first bytes that are written to it. It does not embed
// the buffer: io.Copy would find its ReadFrom and pass the limit by.
type limitedBuffer struct {
	kept  bytes.Buffer
	limit int64
	full  func() // called when more is written; may be nil
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	room := b.limit - int64(b.kept.Len())
	if int64(len(p)) <= room {
		return b.kept.Write(p)
	}
	b.kept.Write(p[:max(room, 0)])
	if b.full != nil {
		b.full()
	}
	return len(p), nil
}
