// Package clones checks out commits of local clones, each in a work tree of its own, with
// their submodules, for comparisons that run on repositories.
package clones

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/forge"
)

// Git runs git in a folder, and returns what it writes.
func Git(ctx context.Context, folder string, input []byte, arguments ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", folder, "-c", "core.autocrlf=false", "-c", "advice.detachedHead=false"}, arguments...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	// Commits that are made here are the same each time.
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		cmd.Env = append(cmd.Env, "GIT_"+who+"_NAME=bench", "GIT_"+who+"_EMAIL=bench@example.org", "GIT_"+who+"_DATE=2000-01-01T00:00:00Z")
	}
	cmd.Env = append(os.Environ(), cmd.Env...)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s in %s: %w: %s", arguments[0], folder, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(stdout.String()), nil
}

// Commit is one change of a repository: what its first parent lacks.
type Commit struct {
	Repository    string // folder of a clone
	Head, Base    string // full names
	Date, Subject string
}

// Commits are the last n commits of a clone that change Solidity, the newest first.
func Commits(ctx context.Context, clone string, n int) ([]Commit, error) {
	out, err := Git(ctx, clone, nil, "log", "--first-parent", "--format=%H %P\x1f%cs\x1f%s", "-n", strconv.Itoa(n), "--", "*.sol")
	if err != nil {
		return nil, err
	}
	var list []Commit
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "\x1f")
		names := strings.Fields(fields[0])
		if len(names) < 2 || len(fields) != 3 {
			continue // the first commit has no parent
		}
		list = append(list, Commit{clone, names[0], names[1], fields[1], fields[2]})
	}
	return list, nil
}

// Name is the last part of a repository's path or URL.
func Name(path string) string {
	return strings.TrimSuffix(filepath.Base(strings.TrimRight(path, "/")), ".git")
}

// CheckOut makes a work tree of a commit in a repository of its own, in a folder that does not
// exist. Objects that the clone lacks (it may be a partial one) are left out of
// both commits; left is how many of the head's. base is the parent then.
func (c *Commit) CheckOut(ctx context.Context, folder string) (base string, left int, err error) {
	if _, err := Git(ctx, ".", nil, "clone", "-q", "--shared", "--no-checkout", c.Repository, folder); err != nil {
		return "", 0, err
	}
	baseTree, leftBase, err := wholeTree(ctx, folder, c.Base)
	if err != nil {
		return "", 0, err
	}
	headTree, left, err := wholeTree(ctx, folder, c.Head)
	if err != nil {
		return "", 0, err
	}
	base, head := c.Base, c.Head
	if left+leftBase > 0 {
		if base, err = Git(ctx, folder, nil, "commit-tree", baseTree, "-m", "base"); err != nil {
			return "", 0, err
		}
		if head, err = Git(ctx, folder, nil, "commit-tree", headTree, "-p", base, "-m", c.Subject); err != nil {
			return "", 0, err
		}
	}
	_, err = Git(ctx, folder, nil, "checkout", "-q", "--force", head)
	return base, left, err
}

// wholeTree is the tree of a commit without the files whose objects are missing, and how
// many these are.
func wholeTree(ctx context.Context, folder, revision string) (tree string, left int, err error) {
	list, err := Git(ctx, folder, nil, "ls-tree", "-r", revision)
	if err != nil {
		return "", 0, err
	}
	var names bytes.Buffer
	lines := strings.Split(list, "\n")
	for _, line := range lines {
		if fields := strings.Fields(line); len(fields) > 2 && fields[1] == "blob" {
			names.WriteString(fields[2] + "\n")
		}
	}
	answers, err := Git(ctx, folder, names.Bytes(), "cat-file", "--batch-check=%(objectname)")
	if err != nil {
		return "", 0, err
	}
	missing := map[string]bool{}
	for line := range strings.Lines(answers) {
		if object, ok := strings.CutSuffix(strings.TrimSpace(line), " missing"); ok {
			missing[object] = true
		}
	}
	if len(missing) == 0 {
		tree, err = Git(ctx, folder, nil, "rev-parse", revision+"^{tree}")
		return tree, 0, err
	}
	kept := slices.DeleteFunc(lines, func(line string) bool {
		fields := strings.Fields(line)
		gone := len(fields) > 2 && missing[fields[2]]
		if gone {
			left++
		}
		return gone
	})
	if _, err := Git(ctx, folder, nil, "read-tree", "--empty"); err != nil {
		return "", 0, err
	}
	if _, err := Git(ctx, folder, []byte(strings.Join(kept, "\n")+"\n"), "update-index", "--index-info"); err != nil {
		return "", 0, err
	}
	tree, err = Git(ctx, folder, nil, "write-tree", "--missing-ok")
	return tree, left, err
}

// Submodules checks out the submodules of a work tree, and theirs, each from the clone of its
// name that has its commit, else as a copy of the folder that libraries has for its
// name. Those that are nowhere stay empty, and are returned by their paths.
func Submodules(ctx context.Context, folder string, clones []string, libraries Libraries) (missing []string, err error) {
	list, err := Git(ctx, folder, nil, "ls-tree", "-r", "HEAD")
	if err != nil {
		return nil, err
	}
	urls, _ := Git(ctx, folder, nil, "config", "-f", ".gitmodules", "--get-regexp", `^submodule\..*\.(path|url)$`) // there may be none
	called := map[string]string{}                                                                                  // by path, the name of the repository
	paths := map[string]string{}                                                                                   // by section
	for line := range strings.Lines(urls) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if section, ok := strings.CutSuffix(key, ".path"); ok {
			paths[section] = value
		}
	}
	for line := range strings.Lines(urls) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if section, ok := strings.CutSuffix(key, ".url"); ok {
			called[paths[section]] = Name(value)
		}
	}
	for line := range strings.Lines(list) {
		about, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
		fields := strings.Fields(about)
		if len(fields) != 3 || fields[1] != "commit" {
			continue
		}
		to := filepath.Join(folder, filepath.FromSlash(path))
		from := slices.IndexFunc(clones, func(clone string) bool {
			if !strings.EqualFold(Name(clone), called[path]) {
				return false
			}
			_, err := Git(ctx, clone, nil, "cat-file", "-e", fields[2]+"^{commit}")
			return err == nil
		})
		library := libraries[called[path]]
		switch {
		case from >= 0:
			c := Commit{Repository: clones[from], Head: fields[2], Base: fields[2]}
			if err := os.RemoveAll(to); err != nil {
				return nil, err
			}
			if _, _, err := c.CheckOut(ctx, to); err != nil {
				return nil, err
			}
			below, err := Submodules(ctx, to, clones, libraries)
			if err != nil {
				return nil, err
			}
			for _, p := range below {
				missing = append(missing, path+"/"+p)
			}
		case library != "":
			if err := os.CopyFS(to, os.DirFS(library)); err != nil {
				return nil, err
			}
		default:
			missing = append(missing, path)
		}
	}
	return missing, nil
}

// hunk is the head of a hunk, with the head version's first line.
var hunk = regexp.MustCompile(`^@@ -\S+ \+(\d+)`)

// Place is a line of a source, as forge's coverage has it: the file from the folder of the
// work tree with slashes, the line from 1.
type Place = forge.Place

// ChangedLines are the lines of Solidity files at HEAD of a folder that differ from a
// revision, as git counts them, with their texts; lines that were only removed are none.
func ChangedLines(ctx context.Context, folder, base string) (map[Place]string, error) {
	diff, err := Git(ctx, folder, nil, "diff", "-M", "-U0", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/", base, "HEAD", "--", "*.sol")
	if err != nil {
		return nil, err
	}
	lines := map[Place]string{}
	at := Place{}
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		if named, ok := strings.CutPrefix(line, "+++ b/"); ok {
			at.File = strings.TrimSuffix(named, "\t")
		} else if m := hunk.FindStringSubmatch(line); m != nil {
			at.Line, _ = strconv.Atoi(m[1])
		} else if text, ok := strings.CutPrefix(line, "+"); ok {
			lines[at] = text
			at.Line++
		}
	}
	return lines, nil
}

// Ships reports whether a source is a contract's rather than a test's, a script's or a
// library's by others.
func Ships(file string) bool {
	if strings.HasSuffix(file, ".t.sol") || strings.HasSuffix(file, ".s.sol") {
		return false
	}
	folders := strings.Split(file, "/")
	for _, folder := range folders[:len(folders)-1] {
		switch strings.ToLower(folder) {
		case "test", "tests", "script", "scripts", "mock", "mocks", "lib", "node_modules", "certora", "fv":
			return false
		}
	}
	return true
}

// MayBeCode reports whether a line of Solidity may be compiled to something: it is not
// empty, and begins neither with a comment nor as a directive.
func MayBeCode(line string) bool {
	line = strings.TrimSpace(line)
	for _, begin := range []string{"//", "/*", "*", "pragma ", "import "} {
		if strings.HasPrefix(line, begin) {
			return false
		}
	}
	return strings.Trim(line, "{}();,") != ""
}
