package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/git"
	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/workflowfile"
)

// This file checks a configuration and a workflow that are there.

// workflow is a workflow of the repository.
type workflow struct {
	name  string                 // of its file, relative to the repository
	read  *workflowfile.Workflow // nil where it is none
	wrong error                  // why not
}

// maxWorkflows bounds the workflows that are looked at. Arbitrary.
const maxWorkflows = 200

// workflows reads the workflows of the repository, in order of their names.
func (r *Repository) workflows() ([]workflow, error) {
	top, err := os.OpenRoot(r.Top)
	if err != nil {
		return nil, exit.BadInput("%s: %v", r.Top, files.Plain(err))
	}
	defer top.Close()
	folder, err := files.OpenIn(top, workflowfile.Folder, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, exit.BadInput("%s: %v", workflowfile.Folder, files.Plain(err))
	}
	defer folder.Close()
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return nil, exit.BadInput("%s: %v", workflowfile.Folder, files.Plain(err))
	}
	var found []workflow
	for _, e := range entries[:min(len(entries), maxWorkflows)] {
		if ext := path.Ext(e.Name()); ext != ".yml" && ext != ".yaml" {
			continue
		}
		w := workflow{name: path.Join(workflowfile.Folder, e.Name())}
		text, err := files.ReadIn(folder, e.Name(), workflowfile.MaxSize)
		if err == nil {
			w.read, err = workflowfile.Read(text)
		}
		w.wrong = files.Plain(err)
		found = append(found, w)
	}
	return found, nil
}

// checker collects what is wrong.
type checker struct {
	o      *Options
	r      *Repository
	faults int
}

// fault prints something that is wrong.
func (c *checker) fault(file string, line int, format string, args ...any) {
	c.faults++
	if line > 0 {
		file = fmt.Sprintf("%s:%d", file, line)
	}
	c.o.Log.Line("fault   %s: %s", human.Printable(file), human.Printable(fmt.Sprintf(format, args...)))
}

// Check checks the configuration and the workflow of a repository, and prints what is wrong with them.
// The error says how much that is. load makes the options of a run of a configuration that was found
// to be sound; it is not called for another one.
func Check(ctx context.Context, o *Options, load func() (*pipeline.Options, error)) error {
	r, err := Find(o.Folder)
	if err != nil {
		return err
	}
	c := &checker{o: o, r: r}
	if err := c.configuration(ctx, load); err != nil {
		return err
	}
	if err := c.workflow(); err != nil {
		return err
	}
	if c.faults > 0 {
		return exit.BadInput("%s in the configuration and the workflow of %s", human.Plural(c.faults, "fault"), human.Printable(o.Folder))
	}
	return nil
}

// configuration checks sightline.yml.
func (c *checker) configuration(ctx context.Context, load func() (*pipeline.Options, error)) error {
	root, err := os.OpenRoot(c.r.Root)
	if err != nil {
		return exit.BadInput("%s: %v", c.r.Root, files.Plain(err))
	}
	defer root.Close()
	for _, name := range config.Files {
		if _, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		shown := path.Join(c.r.Folder, name)
		data, err := readIn(root, name)
		if err != nil {
			c.fault(shown, 0, "%v", files.Plain(err))
			return nil
		}
		before := c.faults
		for _, f := range config.Faults(c.r.Root, shown, data) {
			c.fault(shown, f.Line, "%s", f.Text)
		}
		if c.faults > before {
			return nil
		}
		run, err := load()
		if err != nil {
			c.fault(shown, 0, "%s", human.OneLine(err))
			return nil
		}
		if err := c.named(ctx, shown, run); err != nil {
			return err
		}
		if c.faults == before {
			c.o.Log.Line("ok      %s", shown)
		}
		return nil
	}
	c.fault(path.Join(c.r.Folder, config.Files[0]), 0, "it is not there; `sightline init` writes it")
	return nil
}

// readIn reads a file below a folder, through no symbolic link.
func readIn(root *os.Root, name string) ([]byte, error) {
	folder, err := files.OpenIn(root, path.Dir(name), false)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return files.ReadIn(folder, path.Base(name), config.MaxFile)
}

// named checks what a configuration names: files, revisions, and contracts and functions of the build.
func (c *checker) named(ctx context.Context, shown string, run *pipeline.Options) error {
	for _, build := range slices.Concat(run.Change.Builds, run.Change.BaseBuilds) {
		there := slices.ContainsFunc([]string{"", c.r.Top, c.r.Root}, func(folder string) bool {
			_, err := os.Stat(filepath.Join(folder, build))
			return err == nil
		})
		if !there {
			c.fault(shown, 0, "build: %s does not exist; build the project first, or leave the key away: Sightline finds or makes a build", build)
		}
	}
	if _, err := git.NewIgnore(run.Change.Ignore); err != nil {
		c.fault(shown, 0, "ignore: %v", err)
	}
	if base := run.Change.Base; base != "" && c.r.Git {
		if _, err := (&git.Repository{Root: c.r.Root, Matters: change.Matters}).Diff(ctx, base); err != nil {
			c.fault(shown, 0, "base: %v", err)
		}
	}
	plan := &run.World.Plan
	if c.faults > 0 || len(run.World.Setup)+len(plan.World.Steps)+len(plan.World.After)+len(plan.Include)+len(plan.Exclude) == 0 {
		return ctx.Err() // nothing of the build is named, so that none is needed
	}
	known, err := change.Everything(c.r.Root)
	if err != nil {
		return err
	}
	run.Change.Known, run.Change.Base = known, ""
	seen, err := pipeline.Survey(ctx, run)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && exit.Code(err, exit.Failure) == exit.Input:
		places := exit.Places(err)
		for _, p := range places {
			c.fault(shown, p.Line, "%s", p.Text)
		}
		if len(places) > 0 {
			return nil
		}
		c.fault(shown, 0, "%s", strings.TrimPrefix(human.OneLine(err), "configuration, "))
		return nil
	case err != nil:
		return exit.CannotFuzz("%s names contracts, and whether the build has them is not known: %w", shown, err)
	}
	for _, w := range seen.Warnings {
		if text, ok := strings.CutPrefix(w, "configuration: "); ok {
			c.fault(shown, 0, "%s", text)
		}
	}
	return nil
}

// workflow checks the workflows that run Sightline.
func (c *checker) workflow() error {
	found, err := c.r.workflows()
	if err != nil {
		return err
	}
	ours := 0
	for _, w := range found {
		switch {
		case w.wrong != nil && w.name == WorkflowFile:
			c.fault(w.name, 0, "%v", w.wrong)
			ours++
			continue
		case w.wrong != nil || !w.read.Fuzzes():
			continue
		}
		ours++
		before := c.faults
		for _, f := range w.read.Faults(false) {
			remedy := ""
			if f.Remedy != "" {
				remedy = "; it needs `" + strings.Join(strings.Fields(strings.ReplaceAll(f.Remedy, "\n", " ")), " ") + "`"
			}
			if f.Advice {
				c.o.Log.Line("advice  %s: %s%s", at(w.name, f.Line), human.Printable(f.Text), remedy)
				continue
			}
			c.fault(w.name, f.Line, "%s%s", f.Text, remedy)
		}
		c.pins(&w)
		if c.faults == before {
			c.o.Log.Line("ok      %s", w.name)
		}
	}
	if ours == 0 && c.r.Git {
		c.fault(WorkflowFile, 0, "no workflow runs Sightline; `sightline init` writes one")
	}
	return nil
}

// at is "file:12".
func at(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// pins checks that a workflow names a version of the action. Before the first release that is a branch:
// the program is then none that was released.
func (c *checker) pins(w *workflow) {
	for i := range w.read.Jobs {
		for _, s := range w.read.Jobs[i].Steps {
			ref := s.Ref()
			if ref == "" || pinned(ref) {
				continue
			}
			if ref == "main" && !release.MatchString(c.o.Version) {
				c.o.Log.Line("advice  %s: the action is that of the branch main, which changes; name a release once there is one", at(w.name, s.Line))
				continue
			}
			c.fault(w.name, s.Line, "the action is named as @%s, which can become another one; it needs a release's tag, such as @v1.2.3, or a commit", ref)
		}
	}
}

// pinned reports whether a reference stays the same: a commit, or a release's tag.
func pinned(ref string) bool {
	tag, isTag := strings.CutPrefix(ref, "v")
	if isTag && release.MatchString(tag) {
		return true
	}
	return len(ref) == 40 && strings.Trim(ref, "0123456789abcdef") == ""
}
