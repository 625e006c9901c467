package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/watch"
)

// watchSeconds is how long a round takes unless a flag says otherwise: a writer's patience. Arbitrary.
const watchSeconds = "10"

func (p *program) watchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Fuzz the working tree again whenever a source is saved",
		Long: `Does what "sightline run" does, and again whenever a source or a setting of the project is saved, until it is
interrupted. A round that is under way ends then. What compilers answer is cached, and inputs that reached something are kept in the output
folder, so that lines that were reached before are reached at once.`,
		Example: `  # what the working tree changed compared with the default branch
  sightline watch

  # since a commit, half a minute for each round
  sightline watch --base HEAD --timeout 30`,
		Args: noArguments,
	}
	settings := config.New(cmd.Flags())
	settings.RegisterChange()
	settings.RegisterCampaign()
	settings.RegisterOutput()
	cmd.Flags().SortFlags = false
	_ = cmd.Flags().Set("timeout", watchSeconds)
	cmd.Flags().Lookup("timeout").DefValue = watchSeconds
	cmd.Flags().Lookup("timeout").Changed = false
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := settings.Load(); err != nil {
			return err
		}
		if settings.Value("corpus-dir") == "" {
			if err := cmd.Flags().Set("corpus-dir", filepath.Join(settings.Value("out"), "corpus")); err != nil {
				return err
			}
		}
		p.watch(cmd.Context(), settings)
		p.exit = 0 // being interrupted is how it ends
		return nil
	}
	return cmd
}

// watch runs rounds until the context ends.
func (p *program) watch(ctx context.Context, settings *config.Settings) {
	root := settings.Value("root")
	files := watch.Look(root)
	for ctx.Err() == nil {
		files = p.round(ctx, settings, root, files)
	}
}

// round fuzzes once, and returns what there is when the next round is due. Its errors are printed: the next save may mend them.
func (p *program) round(ctx context.Context, settings *config.Settings, root string, files watch.Files) watch.Files {
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan watch.Files, 1)
	go func() {
		if now, ok := watch.Next(ctx, root, files, p.sleep); ok {
			next <- now
			stop(errOutdated)
		}
		close(next)
	}()
	start := p.now()
	err := p.fuzz(running, settings, "")
	if saved := errors.Is(context.Cause(running), errOutdated); !saved && ctx.Err() == nil {
		if err != nil {
			fmt.Fprintf(p.stderr, "sightline: %v\n", err)
		}
		fmt.Fprintf(p.stdout, "\nwatch  done in %.1f s; waiting for a source to be saved (Ctrl+C ends)\n", p.now().Sub(start).Seconds())
	}
	now, ok := <-next
	if !ok {
		return files
	}
	changed := now.Changed(files)
	name := changed[0]
	if relative, err := filepath.Rel(root, name); err == nil {
		name = relative
	}
	fmt.Fprintf(p.stdout, "\n── %s  %s%s\n\n", p.now().Format(time.TimeOnly), human.Printable(filepath.ToSlash(name)), human.More(len(changed)-1))
	return now
}
