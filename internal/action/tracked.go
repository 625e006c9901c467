package action

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report/github"
)

// refuseTracked keeps files that the pull request could have written apart from those of the
// run. An output folder or bundle that the head has is an error. Saved inputs and remembered
// findings that it has are left alone: the run does without, with a warning.
func (a *action) refuseTracked(ctx context.Context, resolver *github.BaseResolver, c *github.Comparison) error {
	if a.run.Name != github.PullRequest && a.run.Name != github.MergeGroup {
		return nil
	}
	for _, name := range []string{"out", "bundle", "plan", "shards", "corpus-dir", "remember"} {
		value := ""
		switch name {
		case "plan":
			value = a.sharded.plan
		case "shards":
			value = a.sharded.shards
		default:
			value = a.settings.Value(name)
		}
		path, inside := a.inWorkspace(value)
		if value == "" || !inside {
			continue
		}
		tracked, err := resolver.HeadHas(ctx, c, path)
		if err != nil {
			return exit.CannotFuzz("whether the pull request has %s is unknown: %w", human.Printable(path), err)
		}
		// Without a repository, the diff is all that says what the pull request has.
		below := func(file string) bool { return file == path || strings.HasPrefix(file, path+"/") }
		if !tracked && !slices.ContainsFunc(a.known.Diff.Files, func(f unified.File) bool { return below(f.NewPath) }) {
			continue
		}
		if name == "corpus-dir" || name == "remember" {
			a.log.Warn("the input %s names %s, which the repository has, so that a pull request could write it: it is neither read nor written; name what only the workflow's cache has", name, human.Printable(path))
			if err := a.flags.Set(name, ""); err != nil {
				return err
			}
			continue
		}
		a.unwritten = true
		return exit.BadInput("the input %s names %s, which the repository has, so that a pull request could write it: remove it from the repository, or name another", name, human.Printable(path))
	}
	return nil
}

// inWorkspace returns the path of a file relative to the checkout, with slashes; false for one
// elsewhere.
func (a *action) inWorkspace(name string) (string, bool) {
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", false
	}
	for _, base := range []string{a.run.Workspace, files.Resolve(a.run.Workspace)} {
		if rel, err := filepath.Rel(base, absolute); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}
