package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/doctor"
	"github.com/sightline-evm/sightline/internal/progress"
)

func (p *program) doctorCommand() *cobra.Command {
	o := &doctor.Options{Folder: ".", Version: version, Getenv: os.Getenv}
	cmd := &cobra.Command{
		Use:   "doctor [DIR]",
		Short: "Say whether a run is possible here, and what it would lack",
		Long: `Looks at what a run would find: this program and the machine, git and the base to compare with, the projects
and their builds, compilers for their sources, Node.js and forge, the folders that are written, and in a
workflow the event and the rights of the job. Each line is ok, warn (a run does less, or takes longer) or fail
(no run is possible), with what to do about it.

It takes a second or two, compiles nothing, runs nothing of the project, and asks nothing of the network.

Exit codes: 0 a run is possible, 2 bad input, 3 something makes a run impossible, 130 canceled.`,
		Example: `  sightline doctor
  sightline doctor packages/core`,
		Args: atMostOneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Folder = args[0]
			}
			o.Log = progress.NewLog(p.stdout, p.now)
			return doctor.Run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Out, "out", config.DefaultOut, "output folder `DIR` of the run")
	cmd.Flags().SortFlags = false
	return cmd
}
