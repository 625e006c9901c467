package fakegithub

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Outside calls a function with what a fake needs of a test, for programs that are none. It
// cleans up at the end, and returns the faults.
func Outside(f func(t testing.TB) error) error {
	h := &host{}
	return h.do(func() error { return f(h) })
}

// host is a test as this package needs one: it keeps faults, and cleans up at the end.
type host struct {
	testing.TB // nil: what is not below is not called
	mu         sync.Mutex
	faults     []error
	atEnd      []func()
}

func (h *host) Helper() {}

func (h *host) Cleanup(f func()) { h.atEnd = append(h.atEnd, f) }

// TempDir returns a new folder.
func (h *host) TempDir() string {
	dir, err := os.MkdirTemp("", "fakegithub")
	if err != nil {
		panic(fmt.Sprintf("a folder for temporary files: %v", err))
	}
	h.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func (h *host) Errorf(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = append(h.faults, fmt.Errorf(format, args...))
}

// fatal is what a host panics with; [host.do] returns it as an error.
type fatal struct{ error }

func (h *host) Fatalf(format string, args ...any) { panic(fatal{fmt.Errorf(format, args...)}) }

func (h *host) Fatal(args ...any) { panic(fatal{errors.New(fmt.Sprint(args...))}) }

// do calls a function, cleans up, and returns the faults.
func (h *host) do(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			stop, ours := r.(fatal)
			if !ours {
				panic(r)
			}
			err = stop.error
		}
		for i := len(h.atEnd) - 1; i >= 0; i-- {
			h.atEnd[i]()
		}
		err = errors.Join(append(h.faults, err)...)
	}()
	return f()
}
