package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Call is one call of git.
type Call struct {
	Args []string // git's command, and what follows it
	// Tree lets git read the working tree and its index, with the user's own configuration
	// (which says what to ignore, and how lines end). Otherwise it sees objects and refs.
	Tree  bool
	Limit int // of the output, bytes
}

// Error says that git failed.
type Error struct {
	Command string // such as rev-parse
	Message string // what it printed; empty: nothing
	Code    int    // its exit code; -1 where it has none
	Err     error
}

func (e *Error) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("git %s: %v", e.Command, e.Err)
	}
	return fmt.Sprintf("git %s: %s", e.Command, e.Message)
}

// NotInstalled reports whether there is no git to run.
func (e *Error) NotInstalled() bool { return errors.Is(e.Err, exec.ErrNotFound) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrOutput is wrapped by the [Error] of a call that printed more than its limit.
var ErrOutput = errors.New("it printed too much")

// overrides are settings of every call, above all files: none makes git run a program, ask
// for a password, write, or go to another repository. The private git directory has none of
// the checkout's settings; these are for what the user's own have, and for defaults.
var overrides = []string{
	"core.quotePath=false", "core.fsmonitor=false", "core.untrackedCache=false", "core.commitGraph=false",
	"core.hooksPath=" + os.DevNull, "core.pager=cat", "core.alternateRefsCommand=true", "credential.helper=",
	"diff.autoRefreshIndex=true", // else unchanged files with a new time are listed
	"diff.suppressBlankEmpty=false",
	"gc.auto=0", "maintenance.auto=false", "submodule.recurse=false", "fetch.recurseSubmodules=false",
	"protocol.allow=never", "safe.bareRepository=explicit",
}

// systemVariables are what any program needs to start.
var systemVariables = []string{"PATH", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "PATHEXT", "COMSPEC"}

// userVariables say where a user's own configuration is.
var userVariables = []string{"HOME", "XDG_CONFIG_HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH"}

// proxyVariables say how to get to a server.
var proxyVariables = []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"}

// inherited returns the named variables of our environment.
func inherited(names []string) []string {
	var env []string
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// noProtocol allows no transport: the list of allowed ones has only empty names.
const noProtocol = "GIT_ALLOW_PROTOCOL=:"

// environment is that of all calls: no token, no variable of git's but ours, messages in
// English. A missing object is an error; versions of git before 2.45, which know no
// GIT_NO_LAZY_FETCH, find no promisor and no allowed protocol.
func (r *Repository) environment(gitDir string) []string {
	return append(inherited(systemVariables), "LC_ALL=C", "GIT_DIR="+gitDir,
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1")
}

// noUserConfig keeps the configuration and attributes of the machine and the user out. HOME
// is ours, for what else is found there (.netrc) and for versions of git before 2.32.
func (r *Repository) noUserConfig() []string {
	return []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"HOME=" + r.private, "XDG_CONFIG_HOME=" + r.private}
}

// command makes the command of a call. It has the rights of the working tree's owner: git
// reads what other users wrote.
func (r *Repository) command(ctx context.Context, gitDir string, env []string, args ...string) *exec.Cmd {
	options := []string{"--no-pager", "--literal-pathspecs"}
	for _, setting := range overrides {
		options = append(options, "-c", setting)
	}
	cmd := exec.CommandContext(ctx, "git", slices.Concat(options, args)...)
	cmd.Dir = gitDir
	cmd.Env = slices.Concat(r.environment(gitDir), env)
	cmd.WaitDelay = waitDelay
	group(cmd)
	return cmd
}

// waitDelay is how long a killed git may keep its pipes open. Arbitrary, and
// well inside the second in which a canceled run has to stop.
const waitDelay = 500 * time.Millisecond

// maxMessage bounds what is kept of git's error output: a few lines.
const maxMessage = 4 << 10

// Run calls git and returns its output.
func (r *Repository) Run(ctx context.Context, call Call) ([]byte, error) {
	env := append(r.noUserConfig(), noProtocol)
	if call.Tree {
		env = []string{noProtocol, "GIT_WORK_TREE=" + r.Top, "GIT_INDEX_FILE=" + filepath.Join(r.own, "index")}
		if r.owner == nil { // else the configuration is another user's
			env = slices.Concat(env, inherited(userVariables), r.extra)
		} else {
			env = append(env, r.noUserConfig()...)
		}
	}
	return r.run(ctx, call.Limit, func(ctx context.Context) *exec.Cmd {
		cmd := r.command(ctx, r.view(), env, call.Args...)
		if call.Tree {
			cmd.Dir = r.Top
		}
		r.owner.become(cmd)
		return cmd
	})
}

// run runs a command, bounded, and describes its failure.
func (r *Repository) run(ctx context.Context, limit int, command func(context.Context) *exec.Cmd) ([]byte, error) {
	killable, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := command(killable)
	stdout := &boundedBuffer{max: limit, full: cancel}
	stderr := &boundedBuffer{max: maxMessage}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	name := commandOf(cmd.Args)
	var exited *exec.ExitError
	switch {
	case stdout.overflow:
		return nil, &Error{Command: name, Code: -1, Message: fmt.Sprintf("it printed more than %d bytes", limit), Err: ErrOutput}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &exited):
		return nil, &Error{Command: name, Code: exited.ExitCode(), Message: stderr.text(), Err: err}
	case err != nil:
		return nil, &Error{Command: name, Code: -1, Message: stderr.text(), Err: err}
	}
	return stdout.buf.Bytes(), nil
}

// commandOf returns git's command among arguments.
func commandOf(args []string) string {
	for i := 1; i < len(args); i++ {
		if args[i] == "-c" {
			i++ // its value
		} else if !strings.HasPrefix(args[i], "-") {
			return args[i]
		}
	}
	return ""
}

// boundedBuffer keeps the first max bytes written to it.
type boundedBuffer struct {
	buf      bytes.Buffer
	max      int
	overflow bool
	full     func() // called at the first byte too many; may be nil
}

func (b *boundedBuffer) text() string {
	return strings.TrimSpace(strings.ToValidUTF8(b.buf.String(), ""))
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	room := b.max - b.buf.Len()
	if len(p) <= room {
		return b.buf.Write(p)
	}
	b.buf.Write(p[:room])
	if !b.overflow && b.full != nil {
		b.full()
	}
	b.overflow = true
	return len(p), nil
}
