package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/sightline-evm/sightline/internal/config"
)

// lines collects what is written, and says when there is something new.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(data)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestWatch: a source that is saved starts another round, also after one that failed, and an interruption is a good end.
func TestWatch(t *testing.T) {
	root := t.TempDir()
	source := filepath.Join(root, "A.sol")
	if err := os.WriteFile(source, []byte("contract A {}"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs := &lines{}, &lines{}
	p := newProgram(strings.NewReader(""), out, errs)
	p.sleep = func(ctx context.Context, _ time.Duration) error { return sleep(ctx, time.Millisecond) }
	flags := pflag.NewFlagSet("watch", pflag.ContinueOnError)
	settings := config.New(flags)
	settings.RegisterAll()
	// The diff does not exist, so that a round ends at once.
	if err := flags.Parse([]string{"--root", root, "--diff", filepath.Join(root, "no.diff"), "--out", filepath.Join(root, "out")}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.watch(ctx, settings)
	}()
	for round := 1; round <= 3; round++ {
		for strings.Count(out.String(), "waiting for a source") < round {
			if ctx.Err() != nil {
				t.Fatal("no round")
			}
			time.Sleep(time.Millisecond)
		}
		if n := strings.Count(errs.String(), "no.diff"); n != round {
			t.Errorf("%d errors after %d rounds: %s", n, round, errs)
		}
		if err := os.WriteFile(source, []byte(strings.Repeat("contract A {}", round+1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	<-done
	if n := strings.Count(out.String(), "  A.sol\n"); n < 2 {
		t.Errorf("says %d times which source was saved: %s", n, out)
	}
}
