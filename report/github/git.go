package github

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// checkout is the working tree that the workflow checked out. It runs git to look up
// and fetch commits; package diffmap reads diffs.
type checkout struct {
	dir    string
	server string // of the base repository, which gets the token
	token  string
}

// gitEnvironment names the variables passed to git: those it needs to start, to
// find its configuration and to get through a proxy. No token, no GIT_*.
var gitEnvironment = []string{
	"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "USERPROFILE", "PATHEXT",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
}

// Bounds on the part of git's output that is kept, bytes: ids and a few lines of error.
const (
	maxGitOutput = 64 << 10
	maxGitError  = 1 << 10
)

// gitDelay is how long a killed git may keep its pipes open; arbitrary, well
// within the second in which a canceled run must stop.
const gitDelay = 500 * time.Millisecond

// git runs git in the checkout. The options disable programs that a repository's
// configuration could make git run; safe.directory lets it read a tree owned by
// another user, as a checkout is in a container.
func (c *checkout) git(ctx context.Context, env []string, args ...string) (string, error) {
	return c.gitWithin(ctx, maxGitOutput, env, args...)
}

// gitWithin is git with another bound on what is kept of its output.
func (c *checkout) gitWithin(ctx context.Context, limit int, env []string, args ...string) (string, error) {
	options := []string{
		"--no-pager", "-c", "safe.directory=" + filepath.ToSlash(c.dir), "-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=" + os.DevNull, "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	}
	cmd := exec.CommandContext(ctx, "git", append(options, args...)...)
	cmd.Dir = c.dir
	cmd.Env = append(allowed(gitEnvironment), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	cmd.Env = append(cmd.Env, env...)
	cmd.WaitDelay = gitDelay
	stdout, stderr := &head{limit: limit}, &head{limit: maxGitError}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		message := strings.TrimSpace(strings.ToValidUTF8(stderr.kept.String(), ""))
		if message == "" {
			message = err.Error()
		}
		return "", fmt.Errorf("git %s: %s", command(args), c.hide(message))
	}
	return strings.TrimSpace(stdout.kept.String()), nil
}

// hide removes the token from a message. git does not print headers, but a server
// may.
func (c *checkout) hide(message string) string {
	if c.token == "" {
		return message
	}
	return strings.NewReplacer(c.token, "***", c.basic(), "***").Replace(message)
}

// basic returns the credential in the form of git's header.
func (c *checkout) basic() string {
	return base64.StdEncoding.EncodeToString([]byte("x-access-token:" + c.token))
}

// allowed returns the named variables of our environment.
func allowed(names []string) []string {
	var env []string
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// head keeps the first bytes that are written to it.
type head struct {
	kept  bytes.Buffer
	limit int
}

func (h *head) Write(p []byte) (int, error) {
	h.kept.Write(p[:min(len(p), max(0, h.limit-h.kept.Len()))])
	return len(p), nil
}

// head returns the commit that is checked out.
func (c *checkout) head(ctx context.Context) (string, error) { return c.commit(ctx, "HEAD") }

// commit returns the id of a commit in the repository.
func (c *checkout) commit(ctx context.Context, rev string) (string, error) {
	if !isRevision(rev) {
		return "", fmt.Errorf("%q is not a valid revision", cut(rev, maxShown))
	}
	id, err := c.git(ctx, nil, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		return "", fmt.Errorf("the checkout has no commit %s", cut(rev, maxShown))
	}
	return id, nil
}

// isRevision reports whether a text can name a branch, a tag or a commit, and cannot
// mean anything else on git's command line.
func isRevision(rev string) bool {
	return rev != "" && rev[0] != '-' && rev[0] != '+' && rev[0] != '^' && !strings.ContainsAny(rev, " :\\?*[\x7f") &&
		!strings.Contains(rev, "..") && strings.IndexFunc(rev, func(r rune) bool { return r < ' ' }) < 0
}

// parents returns the parents named in a commit's object: in a shallow clone, git
// itself reports none.
func (c *checkout) parents(ctx context.Context, id string) ([]string, error) {
	text, err := c.git(ctx, nil, "cat-file", "commit", id)
	if err != nil {
		return nil, err
	}
	var parents []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			break // the message follows
		}
		if parent, ok := strings.CutPrefix(line, "parent "); ok && commitID.MatchString(parent) {
			parents = append(parents, parent)
		}
	}
	return parents, nil
}

// mergeBase returns the last common commit, if the checkout has the full history.
func (c *checkout) mergeBase(ctx context.Context, a, b string) (string, error) {
	if shallow, err := c.git(ctx, nil, "rev-parse", "--is-shallow-repository"); err != nil || shallow != "false" {
		return "", errors.New("the checkout does not have the full history")
	}
	for _, rev := range []string{a, b} {
		if _, err := c.commit(ctx, rev); err != nil {
			return "", err
		}
	}
	return c.git(ctx, nil, "merge-base", a, b)
}

// maxTagList bounds the list of tags, bytes: 100,000 of them.
const maxTagList = 10 << 20

// tags lists the tags of a checkout that has the full history.
func (c *checkout) tags(ctx context.Context) ([]tag, error) {
	if shallow, err := c.git(ctx, nil, "rev-parse", "--is-shallow-repository"); err != nil || shallow != "false" {
		return nil, errors.New("the checkout does not have the full history")
	}
	list, err := c.gitWithin(ctx, maxTagList, nil, "for-each-ref", "--format=%(refname:strip=2)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)", "refs/tags/")
	if err != nil {
		return nil, err
	}
	if len(list) >= maxTagList {
		return nil, fmt.Errorf("its list of tags has more than %d bytes", maxTagList)
	}
	var tags []tag
	for line := range strings.Lines(list) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
		switch {
		case len(fields) != 5:
		case fields[1] == "commit":
			tags = append(tags, tag{fields[0], fields[2]})
		case fields[3] == "commit": // of an annotated tag
			tags = append(tags, tag{fields[0], fields[4]})
		}
	}
	return tags, nil
}

// descends reports whether a head descends from a commit, in a checkout that has the full
// history.
func (c *checkout) descends(ctx context.Context, commit, head string) (bool, error) {
	missing, err := c.git(ctx, nil, "rev-list", "--count", head+".."+commit)
	return missing == "0", err
}

// nearestTag is the nearest tag from which a commit's first parent descends; empty if there is
// none.
func (c *checkout) nearestTag(ctx context.Context, id string) (string, error) {
	parents, err := c.parents(ctx, id)
	if err != nil || len(parents) == 0 {
		return "", err
	}
	list, err := c.git(ctx, nil, "for-each-ref", "--count=1", "--format=%(refname)", "--merged="+parents[0], "refs/tags/")
	if err != nil || list == "" {
		return "", err
	}
	return c.git(ctx, nil, "describe", "--tags", "--abbrev=0", parents[0])
}

// fetched is the ref that keeps the fetched commit.
const fetched = "refs/sightline/base"

// fetch gets one commit, without its history, from the base repository. The
// credential is in the environment of this call alone; the empty value before it
// resets the header that actions/checkout left in the configuration, since servers
// refuse two authorizations.
func (c *checkout) fetch(ctx context.Context, repository, rev string) (string, error) {
	if !isRevision(rev) {
		return "", fmt.Errorf("%q is not a valid revision", cut(rev, maxShown))
	}
	var env []string
	if c.token != "" {
		key := "http." + c.server + "/.extraheader"
		env = []string{"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=" + key, "GIT_CONFIG_VALUE_0=",
			"GIT_CONFIG_KEY_1=" + key, "GIT_CONFIG_VALUE_1=AUTHORIZATION: basic " + c.basic()}
	}
	_, err := c.git(ctx, env, "-c", "protocol.allow=never", "-c", "protocol.https.allow=always", "-c", "protocol.http.allow=always",
		"fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
		c.server+"/"+repository, "+"+rev+":"+fetched)
	if err != nil {
		return "", err
	}
	return c.commit(ctx, fetched)
}

// command returns the git command among arguments.
func command(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] == "-c" {
			i++ // its value
		} else if !strings.HasPrefix(args[i], "-") {
			return args[i]
		}
	}
	return ""
}

// file reads a file of a commit; false if there is none. A symbolic link is an error,
// since its target may be of another version.
func (c *checkout) file(ctx context.Context, commit, name string, limit int) (data []byte, there bool, err error) {
	listed, err := c.git(ctx, nil, "--literal-pathspecs", "ls-tree", "--full-tree", "-z", commit, "--", name)
	if err != nil || listed == "" {
		return nil, false, err
	}
	meta, _, _ := strings.Cut(strings.TrimRight(listed, "\x00"), "\t")
	fields := strings.Fields(meta)
	if len(fields) != 3 || fields[1] != "blob" || fields[0] == "120000" {
		return nil, false, errors.New("it is not a regular file")
	}
	text, err := c.git(ctx, nil, "cat-file", "blob", fields[2])
	if err == nil && (len(text) > limit || len(text) >= maxGitOutput) {
		err = fmt.Errorf("it has more than %d bytes", min(limit, maxGitOutput))
	}
	return []byte(text), true, err
}
