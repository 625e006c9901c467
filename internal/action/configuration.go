package action

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/sightline-evm/sightline/diffmap/git"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/report"
	"github.com/sightline-evm/sightline/report/github"
)

// read reads the diff between base and head.
func (a *action) read(ctx context.Context, resolver *github.BaseResolver, c *github.Comparison) (*change.Known, error) {
	result := &change.Known{About: report.Diff{Base: human.Revision(c.Base), Head: human.Revision(c.Head)}, Whole: c.Base == "" && c.Patch == nil}
	var err error
	switch {
	case c.Patch != nil:
		result.About.Base = human.Revision(a.run.Event.Base)
		if result.Diff, err = unified.Parse(c.Patch, unified.Limits{}); err == nil {
			err = change.CheckVisible(result.Diff, c.How)
		}
	default:
		compare := func() (err error) {
			g := &git.Repository{Matters: change.Matters}
			if result.Diff, err = g.BetweenIn(ctx, resolver.Repository(), c.Base, c.Head); err == nil {
				result.Tree, err = g.TreeIn(ctx, resolver.Repository(), c.Head)
			}
			return err
		}
		if err = compare(); git.Lacks(err) {
			if err = resolver.Complete(ctx, c); err == nil {
				err = compare()
			}
		}
	}
	if err != nil {
		return nil, exit.CannotFuzz("%w", err)
	}
	if result.Whole {
		result.About.Base = "an empty project"
	}
	result.About.Files = len(result.Diff.Files)
	return result, nil
}

// configure reads the configuration file. Before a pull request is merged, that is
// the base's version: authors must not set the gate that they have to pass. An edit
// takes effect once it is merged.
func (a *action) configure(ctx context.Context, resolver *github.BaseResolver, c *github.Comparison) error {
	if a.run.Name != github.PullRequest && a.run.Name != github.MergeGroup {
		return a.settings.Load()
	}
	a.settings.ReadBase = func(name string) ([]byte, error) { return a.baseFile(ctx, resolver, c, name) }
	defer a.warnOfEdits()
	if err := a.configureFromBase(ctx, resolver, c); err != nil {
		return err
	}
	root, err := change.AbsRoot(a.settings.Value("root"))
	if err != nil {
		return err
	}
	return a.settings.Import(func(name string) ([]byte, error) {
		if c.Base == "" && !edited(a.known.Diff, a.inRepository(name)) {
			return config.In(root)(name) // the same as on the base, of which there is only the diff
		}
		data, there, err := resolver.BaseFile(ctx, c, a.inRepository(name), config.MaxFile)
		if err == nil && !there {
			err = fs.ErrNotExist
		}
		return data, err
	})
}

// configureFromBase reads the base's version of the configuration file.
func (a *action) configureFromBase(ctx context.Context, resolver *github.BaseResolver, c *github.Comparison) error {
	for _, file := range a.configurations() {
		data, there, err := resolver.BaseFile(ctx, c, file, config.MaxFile)
		if err != nil {
			return exit.CannotFuzz("the base's configuration %s cannot be read: %w", human.Printable(file), err)
		}
		if !there {
			continue
		}
		if err := a.settings.Apply(file, data); err != nil {
			return exit.BadInput("the base's configuration %s: %w", human.Printable(file), err)
		}
		return nil
	}
	if named := a.settings.Value("config"); named != "" {
		return exit.BadInput("the input config names %s, which the base does not have: it takes effect once it is merged", human.Printable(named))
	}
	return nil
}

// inRepository returns the path in the repository of a file named relative to the
// project's folder.
func (a *action) inRepository(name string) string {
	return path.Join(filepath.ToSlash(a.settings.Value("root")), filepath.ToSlash(name))
}

// warnOfEdits warns of changed files that decide what passes. The changes have no effect
// yet, except for those of the workflow: GitHub runs the pull request's version.
func (a *action) warnOfEdits() {
	files := a.configurations()
	for _, name := range config.ImportedFiles() {
		files = append(files, a.inRepository(name))
	}
	if waivers := a.settings.Value("waivers"); waivers != "" {
		files = append(files, a.inRepository(waivers))
	}
	for _, file := range files {
		if edited(a.known.Diff, file) {
			a.log.Warn("the pull request changes %s: the base's version applies until it is merged", human.Printable(file))
		}
	}
	// Not one that it adds: there was no check before.
	if w := a.run.Workflow; slices.ContainsFunc(a.known.Diff.Files, func(f unified.File) bool { return w != "" && f.OldPath == w }) {
		a.log.Warn("the pull request changes %s, the workflow of this check, and GitHub runs the changed one: review whether it still checks the same", human.Printable(w))
	}
}

// baseFile reads the base's version of a file that decides what passes.
func (a *action) baseFile(ctx context.Context, resolver *github.BaseResolver, c *github.Comparison, name string) ([]byte, error) {
	data, there, err := resolver.BaseFile(ctx, c, a.inRepository(name), config.MaxFile)
	if err == nil && !there {
		err = errors.New("the base does not have it: it takes effect once it is merged")
	}
	return data, err
}

// configurations are the files that may hold the configuration, relative to the
// repository.
func (a *action) configurations() []string {
	if named := a.settings.Value("config"); named != "" {
		return []string{path.Clean(filepath.ToSlash(named))}
	}
	var files []string
	for _, name := range config.Files {
		files = append(files, path.Join(filepath.ToSlash(a.settings.Value("root")), name))
	}
	return files
}

// edited reports whether a diff changes a file.
func edited(d *unified.Diff, file string) bool {
	return slices.ContainsFunc(d.Files, func(f unified.File) bool { return f.OldPath == file || f.NewPath == file })
}
