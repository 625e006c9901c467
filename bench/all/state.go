package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/harness"
)

// state is the code that figures belong to: everything that the commit has but pages. Rewriting a page makes no figure
// another one's.
type state struct {
	root   string
	commit string // the one that is checked out, shortened
	dir    string // what was measured of this state
}

// record is what was measured of one part, as a file of the state.
type record struct {
	Commit  string          `json:"commit"` // the one that was checked out
	Args    []string        `json:"args"`
	Seconds float64         `json:"seconds"` // that it took
	Result  *harness.Result `json:"result"`
}

// readState reads which code is checked out, and refuses code that no commit has.
func readState(ctx context.Context) (*state, error) {
	root, err := git(ctx, ".", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	s := &state{root: strings.TrimSpace(root)}
	changed, err := git(ctx, s.root, "status", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(changed, "\x00") {
		if len(entry) > 3 && !isPage(entry[3:]) {
			return nil, fmt.Errorf("%s is not as the commit has it: figures belong to a commit, so commit first", entry[3:])
		}
	}
	commit, err := git(ctx, s.root, "rev-parse", "--short=10", "HEAD")
	if err != nil {
		return nil, err
	}
	s.commit = strings.TrimSpace(commit)
	tree, err := git(ctx, s.root, "ls-tree", "-r", "-z", "HEAD")
	if err != nil {
		return nil, err
	}
	s.dir = filepath.Join(s.root, ".cache", "bench", "all", digest(tree))
	return s, os.MkdirAll(s.dir, 0o755)
}

// digest names the entries of a tree without pages.
func digest(tree string) string {
	h := sha256.New()
	for entry := range strings.SplitSeq(tree, "\x00") {
		if _, name, ok := strings.Cut(entry, "\t"); ok && !isPage(name) {
			h.Write([]byte(entry + "\x00"))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// isPage says whether a file is text for people, which no figure depends on. What lies in docs and is not Markdown is
// embedded in the program.
func isPage(name string) bool { return strings.HasSuffix(name, ".md") }

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(exit.Stderr))
	}
	return string(out), err
}

func (s *state) file(p part) string { return filepath.Join(s.dir, p.name+".json") }

// has says whether the part was measured of this state, in the same way.
func (s *state) has(p part, args []string) bool {
	r, err := s.read(p)
	return err == nil && slices.Equal(r.Args, args)
}

func (s *state) read(p part) (*record, error) {
	text, err := os.ReadFile(s.file(p))
	if err != nil {
		return nil, err
	}
	r := &record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", s.file(p), err)
	}
	if r.Result == nil {
		return nil, fmt.Errorf("%s has no result", s.file(p))
	}
	return r, nil
}

// keep writes what a comparison printed with -json.
func (s *state) keep(p part, args []string, printed []byte, took time.Duration) error {
	r := record{Commit: s.commit, Args: args, Seconds: took.Seconds(), Result: &harness.Result{}}
	if err := json.Unmarshal(printed, r.Result); err != nil {
		return fmt.Errorf("bench/%s -json printed something else: %w", p.command, err)
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	// A file that is written in part would be taken for none, and measured again.
	return os.WriteFile(s.file(p), append(text, '\n'), 0o600)
}
