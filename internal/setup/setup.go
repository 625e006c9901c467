// Package setup makes the first minutes of a new user: it finds the projects of a repository, says
// what of its last change can be fuzzed, and writes a configuration and a workflow; and it checks both
// where they are there.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/git"
	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/workflowfile"
	"github.com/sightline-evm/sightline/report"
)

// WorkflowFile is where the workflow is written, relative to the repository.
const WorkflowFile = workflowfile.Folder + "/sightline.yml"

// Options say what is set up.
type Options struct {
	Folder string // of a project, or of a repository with several
	// Run are the options of a run there; its change is what the repository changed last, unless they
	// name a base, a diff or targets.
	Run     *pipeline.Options
	Version string // the program's
	Force   bool   // write over files that are there
	DryRun  bool   // write nothing, print the files
	Out     io.Writer
	Log     *progress.Log

	warned int // warnings that were printed
}

// file is a file to write.
type file struct {
	name string // relative to the repository, with slashes
	text string
	left string // why it is not written; empty: it is
}

// Init sets a repository up. An error that no change could be deployed comes after the files are
// written: they are right all the same.
func Init(ctx context.Context, o *Options) error {
	r, err := Find(o.Folder)
	if err != nil {
		return err
	}
	for _, p := range r.Projects {
		o.Log.Line("project %s: %s", p.Folder, p.Describe())
	}
	planned, err := r.plan(o.Force)
	if err != nil {
		return err
	}
	if !o.DryRun && !slices.ContainsFunc(planned, func(f file) bool { return f.left == "" }) {
		return exit.BadInput("%s: %s; %s: %s; nothing is written over without --force; --check checks them", planned[0].name, planned[0].left, planned[1].name, planned[1].left)
	}
	seen, problem := survey(ctx, r, o)
	if problem != nil && (exit.Code(problem, exit.Failure) == exit.Input || ctx.Err() != nil) {
		return problem
	}
	if problem != nil {
		o.Log.Line("blocked %s", strings.ReplaceAll(strings.TrimSpace(problem.Error()), "\n", "\n        "))
	}
	planned[0].text, planned[1].text = Settings(r, seen), Workflow(r, o.Version)
	if o.DryRun {
		return errors.Join(show(planned, o), problem)
	}
	if err := write(r, planned, o.Log); err != nil {
		return err
	}
	next(r, o, problem == nil)
	if problem != nil {
		return exit.CannotFuzz("the files are written, but nothing could be fuzzed yet: see what is blocked above, and run `sightline doctor`")
	}
	return nil
}

// plan says which files are to be written: those that are missing, or all by force.
func (r *Repository) plan(force bool) ([]file, error) {
	planned := []file{{name: path.Join(r.Folder, config.Files[0])}, {name: WorkflowFile}}
	if force {
		return planned, nil
	}
	for _, name := range config.Files {
		if _, err := os.Lstat(filepath.Join(r.Root, filepath.FromSlash(name))); !errors.Is(err, fs.ErrNotExist) {
			planned[0].left = "is there already"
			if name != config.Files[0] {
				planned[0].left = "not needed, " + path.Join(r.Folder, name) + " is there already"
			}
			break
		}
	}
	if _, err := os.Lstat(filepath.Join(r.Top, filepath.FromSlash(WorkflowFile))); !errors.Is(err, fs.ErrNotExist) {
		planned[1].left = "is there already"
		return planned, nil
	}
	others, err := r.workflows()
	if err != nil {
		return nil, err
	}
	for _, w := range others {
		if w.read != nil && w.read.Fuzzes() {
			planned[1].left = "not needed, " + w.name + " runs Sightline already"
		}
	}
	return planned, nil
}

// maxBack bounds the changes that are looked at for one with code, and not only comments. Arbitrary.
const maxBack = 5

// survey looks at what the repository changed last, or at all of it where nothing says what that is.
func survey(ctx context.Context, r *Repository, o *Options) (*report.Report, error) {
	c := &o.Run.Change
	if c.Base != "" || c.Diff != "" || len(c.Targets) > 0 {
		seen, err := look(ctx, r, o)
		return tell(seen, o.Log), err
	}
	from, ago := "HEAD", 0
	for range maxBack {
		last, err := change.LastMerge(ctx, r.Root, from)
		var lacking *git.Error
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &lacking):
			o.Log.Line("history %v", human.OneLine(err))
		case err != nil:
			return nil, err
		case last != nil && last.Base == "":
			o.Log.Line("history begins with %s", human.Revision(last.Commit))
		case last != nil:
			what := map[bool]string{true: "merge", false: "commit"}[last.Merge]
			ago += last.Before
			o.Log.Line("history the last %s that changes a contract's source is %s%s", what, human.Revision(last.Commit), since(ago))
			c.Base = last.Base
			seen, err := look(ctx, r, o)
			if err != nil || len(seen.Targets)+len(seen.Blocked()) > 0 {
				return tell(seen, o.Log), err
			}
			o.Log.Line("        it changes no code: further back")
			from, ago = last.Base, ago+1
			continue
		}
		break
	}
	if !r.Git {
		o.Log.Line("history none: the folder is not in a git repository")
	}
	o.Log.Line("history the whole project is looked at")
	var err error
	if c.Base = ""; c.Known == nil {
		c.Known, err = change.Everything(r.Root)
	}
	if err != nil {
		return nil, err
	}
	seen, err := look(ctx, r, o)
	return tell(seen, o.Log), err
}

// tell says what of a change can be fuzzed; nothing of none.
func tell(seen *report.Report, log *progress.Log) *report.Report {
	if seen != nil {
		for _, line := range seen.Survey() {
			log.Line("%s", line)
		}
	}
	return seen
}

// look deploys a change, and prints the warnings. What changed elsewhere in the repository is left out.
func look(ctx context.Context, r *Repository, o *Options) (*report.Report, error) {
	seen, err := pipeline.Survey(ctx, o.Run)
	for _, w := range o.Log.Warnings()[o.warned:] {
		o.Log.Line("warn    %s", human.Printable(w))
		o.warned++
	}
	if seen != nil {
		seen.Lines = slices.DeleteFunc(seen.Lines, func(l report.Line) bool { return !r.holds(l.File) })
		seen.Unread = slices.DeleteFunc(seen.Unread, func(u report.Unread) bool { return !r.holds(u.File) })
	}
	return seen, err
}

// holds reports whether a file of the repository is below the root.
func (r *Repository) holds(file string) bool {
	return r.Folder == "." || strings.HasPrefix(file, r.Folder+"/")
}

// since is ", 3 commits ago".
func since(commits int) string {
	if commits == 0 {
		return ""
	}
	return ", " + human.Plural(commits, "commit") + " ago"
}

// show prints the files that would be written.
func show(planned []file, o *Options) error {
	for _, f := range planned {
		if f.left != "" {
			o.Log.Line("left    %s: %s", f.name, f.left)
			continue
		}
		if _, err := fmt.Fprintf(o.Out, "# would write %s\n%s\n", f.name, f.text); err != nil {
			return err
		}
	}
	return nil
}

// write writes the files that are to be written.
func write(r *Repository, planned []file, log *progress.Log) error {
	top, err := files.OpenFolder(r.Top, false)
	if err != nil {
		return exit.BadInput("%s: %v", r.Top, files.Plain(err))
	}
	defer top.Close()
	for _, f := range planned {
		if f.left != "" {
			log.Line("left    %s: %s", f.name, f.left)
			continue
		}
		folder, err := files.OpenIn(top, path.Dir(f.name), true)
		if err != nil {
			return exit.BadInput("%s cannot be written: %v; repair its folder", f.name, files.Plain(err))
		}
		err = atomicfile.WriteIn(folder, path.Base(f.name), []byte(f.text))
		folder.Close()
		if err != nil {
			return exit.BadInput("%s cannot be written: %v; give yourself the right to write there", f.name, files.Plain(err))
		}
		log.Line("wrote   %s", f.name)
	}
	return nil
}

// next says what to do next.
func next(r *Repository, o *Options, fuzzable bool) {
	in := ""
	if o.Folder != "." {
		in = " " + human.Printable(o.Folder)
	}
	if !fuzzable {
		o.Log.Line("next    mend what is blocked, and see what is then: sightline init --force%s", in)
		return
	}
	if in != "" {
		in = " --root" + in
	}
	how := " --audit"
	if base := o.Run.Change.Base; base != "" {
		how = " --base " + human.Revision(base)
	}
	o.Log.Line("next    sightline run%s%s    # fuzzes what was looked at here", in, how)
	if r.Git {
		o.Log.Line("        commit both files on a branch, and open a pull request (docs/action.md)")
	}
}
