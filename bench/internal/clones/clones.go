// Package clones checks out commits of local clones, each in a work tree of its own, with
// their submodules, for comparisons that run on repositories.
package clones

import (
	"bytes"
	"context"
	"errors"
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

// Commits are the last n commits of a clone that change Solidity, or a contract that ships,
// the newest first.
func Commits(ctx context.Context, clone string, n int, shipping bool) ([]Commit, error) {
	out, err := Git(ctx, clone, nil, "log", "--first-parent", "-m", "--name-only", "--format=\x1e%H %P\x1f%cs\x1f%s", "--", "*.sol")
	if err != nil {
		return nil, err
	}
	var list []Commit
	for record := range strings.SplitSeq(out, "\x1e") {
		head, files, _ := strings.Cut(record, "\n")
		fields := strings.Split(head, "\x1f")
		names := strings.Fields(fields[0])
		if len(names) < 2 || len(fields) != 3 {
			continue // the first commit has no parent
		}
		if shipping && !slices.ContainsFunc(strings.Fields(files), Ships) {
			continue
		}
		if list = append(list, Commit{clone, names[0], names[1], fields[1], fields[2]}); len(list) == n {
			break
		}
	}
	return list, nil
}

// Name is the last part of a repository's path or URL.
func Name(path string) string {
	return strings.TrimSuffix(filepath.Base(strings.TrimRight(path, "/")), ".git")
}

// Tree is a work tree of a commit.
type Tree struct {
	Base    string   // revision of the parent
	Left    int      // files of the head that are left out since the clone, a partial one, lacks their objects
	Missing []string // paths of submodules that no clone and no library has; they are left out
}

// CheckOut makes a work tree of a commit, in a repository of its own in a folder that does
// not exist. Submodules are checked out from the clone of their name that has their commit;
// else they are replaced by files of the commit, those of the library of their name. Where
// that or objects that are missing make other commits necessary, both are made anew.
func (c *Commit) CheckOut(ctx context.Context, folder string, sources Sources) (*Tree, error) {
	if _, err := Git(ctx, ".", nil, "clone", "-q", "--shared", "--no-checkout", c.Repository, folder); err != nil {
		return nil, err
	}
	base, err := wholeTree(ctx, folder, c.Base, sources)
	if err != nil {
		return nil, err
	}
	head, err := wholeTree(ctx, folder, c.Head, sources)
	if err != nil {
		return nil, err
	}
	t := &Tree{Base: c.Base, Left: head.left, Missing: head.missing}
	revision := c.Head
	if base.changed || head.changed {
		if t.Base, err = Git(ctx, folder, nil, "commit-tree", base.tree, "-m", "base"); err != nil {
			return nil, err
		}
		if revision, err = Git(ctx, folder, nil, "commit-tree", head.tree, "-p", t.Base, "-m", c.Subject); err != nil {
			return nil, err
		}
	}
	if _, err := Git(ctx, folder, nil, "checkout", "-q", "--force", revision); err != nil {
		return nil, err
	}
	for path, from := range head.submodules {
		if _, err := Git(ctx, folder, nil, "submodule", "--quiet", "init", "--", path); err != nil {
			return nil, err
		}
		if err := from.checkOut(ctx, filepath.Join(folder, filepath.FromSlash(path)), sources); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// submodule is a commit of a clone.
type submodule struct{ clone, commit string }

// checkOut makes a work tree of a submodule, and of its own: as it is, but for files whose
// objects are missing, and for submodules that only libraries have, which are copied.
func (s submodule) checkOut(ctx context.Context, folder string, sources Sources) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	for _, arguments := range [][]string{
		{".", "clone", "-q", "--shared", "--no-checkout", s.clone, folder},
		{folder, "update-ref", "--no-deref", "HEAD", s.commit},
		{folder, "read-tree", "HEAD"},
	} {
		if _, err := Git(ctx, arguments[0], nil, arguments[1:]...); err != nil {
			return err
		}
	}
	_, _ = Git(ctx, folder, nil, "checkout-index", "-q", "-a", "-f") // it fails on objects that are missing, after all others
	links, err := gitlinks(ctx, folder, "HEAD")
	if err != nil {
		return err
	}
	for _, l := range links {
		to := filepath.Join(folder, filepath.FromSlash(l.path))
		if from, ok := sources.clone(ctx, l); ok {
			err = from.checkOut(ctx, to, sources)
		} else if library := sources.Libraries[l.name]; library != "" {
			err = errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(library)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// gitlink is where a commit has a submodule.
type gitlink struct{ path, commit, name string }

// gitlinks are the submodules of a revision, with the names of their repositories.
func gitlinks(ctx context.Context, folder, revision string) ([]gitlink, error) {
	list, err := Git(ctx, folder, nil, "ls-tree", "-r", revision)
	if err != nil {
		return nil, err
	}
	settings, _ := Git(ctx, folder, nil, "config", "--blob", revision+":.gitmodules", "--get-regexp", `^submodule\..*\.(path|url)$`) // there may be none
	urls, sections := map[string]string{}, map[string]string{}
	for line := range strings.Lines(settings) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if section, ok := strings.CutSuffix(key, ".path"); ok {
			sections[value] = section
		} else if section, ok := strings.CutSuffix(key, ".url"); ok {
			urls[section] = value
		}
	}
	var links []gitlink
	for line := range strings.Lines(list) {
		about, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if fields := strings.Fields(about); len(fields) == 3 && fields[1] == "commit" {
			links = append(links, gitlink{path, fields[2], Name(urls[sections[path]])})
		}
	}
	return links, nil
}

// whole is a tree of which all objects are there.
type whole struct {
	tree       string
	changed    bool // it is not the revision's
	left       int
	missing    []string
	submodules map[string]submodule // by path
}

// wholeTree is the tree of a revision, without the files whose objects are missing, and
// with the files of libraries for submodules that no clone has.
func wholeTree(ctx context.Context, folder, revision string, sources Sources) (*whole, error) {
	list, err := Git(ctx, folder, nil, "ls-tree", "-r", revision)
	if err != nil {
		return nil, err
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
		return nil, err
	}
	gone := map[string]bool{} // objects
	for line := range strings.Lines(answers) {
		if object, ok := strings.CutSuffix(strings.TrimSpace(line), " missing"); ok {
			gone[object] = true
		}
	}
	w := &whole{left: len(gone), submodules: map[string]submodule{}}
	links, err := gitlinks(ctx, folder, revision)
	if err != nil {
		return nil, err
	}
	replaced := map[string]string{} // path: tree
	for _, l := range links {
		if from, ok := sources.clone(ctx, l); ok {
			w.submodules[l.path] = from
			continue
		}
		gone[l.commit] = true
		library := sources.Libraries[l.name]
		if library == "" {
			w.missing = append(w.missing, l.path)
			continue
		}
		if replaced[l.path], err = treeOf(ctx, folder, library); err != nil {
			return nil, err
		}
	}
	if w.changed = len(gone) > 0; !w.changed {
		w.tree, err = Git(ctx, folder, nil, "rev-parse", revision+"^{tree}")
		return w, err
	}
	kept := slices.DeleteFunc(lines, func(line string) bool {
		fields := strings.Fields(line)
		return len(fields) > 2 && gone[fields[2]]
	})
	if _, err := Git(ctx, folder, nil, "read-tree", "--empty"); err != nil {
		return nil, err
	}
	if _, err := Git(ctx, folder, []byte(strings.Join(kept, "\n")+"\n"), "update-index", "--index-info"); err != nil {
		return nil, err
	}
	for path, tree := range replaced {
		if _, err := Git(ctx, folder, nil, "read-tree", "--prefix="+path+"/", tree); err != nil {
			return nil, err
		}
	}
	w.tree, err = Git(ctx, folder, nil, "write-tree", "--missing-ok")
	return w, err
}

// treeOf writes the files of a folder to a repository, as a tree.
func treeOf(ctx context.Context, repository, files string) (string, error) {
	for _, arguments := range [][]string{{"read-tree", "--empty"}, {"--work-tree=" + files, "add", "-A", "-f", "."}} {
		if _, err := Git(ctx, repository, nil, arguments...); err != nil {
			return "", err
		}
	}
	return Git(ctx, repository, nil, "write-tree")
}

// hunk is the head of a hunk, with the head version's first line.
var hunk = regexp.MustCompile(`^@@ -\S+ \+(\d+)`)

// Place is a line of a source, as forge's coverage has it: the file from the folder of the
// work tree with slashes, the line from 1.
type Place = forge.Place

// ChangedLines are the lines of Solidity files at HEAD of a folder that differ from a
// revision in more than white space, line breaks and comments, as git counts them, with their texts; lines that were only
// removed are none.
func ChangedLines(ctx context.Context, folder, base string) (map[Place]string, error) {
	diff, err := Git(ctx, folder, nil, "diff", "-M", "-w", "-U0", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/", base, "HEAD", "--", "*.sol")
	if err != nil {
		return nil, err
	}
	lines := map[Place]string{}
	at := Place{}
	removed := "" // of the hunk, bare
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		if named, ok := strings.CutPrefix(line, "+++ b/"); ok {
			at.File = strings.TrimSuffix(named, "\t")
		} else if m := hunk.FindStringSubmatch(line); m != nil {
			at.Line, _ = strconv.Atoi(m[1])
			removed = ""
		} else if text, ok := strings.CutPrefix(line, "-"); ok {
			removed += bare(text)
		} else if text, ok := strings.CutPrefix(line, "+"); ok {
			if !strings.Contains(removed, bare(text)) {
				lines[at] = text
			}
			at.Line++
		}
	}
	return lines, nil
}

// comment is one at the end of a line, or a line of one.
var comment = regexp.MustCompile(`//.*|/\*.*|^\s*\*.*`)

// bare is a line without white space and comments.
func bare(line string) string {
	return strings.Join(strings.Fields(comment.ReplaceAllString(line, "")), "")
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
