package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/report"
)

func (p *program) mapCommand() *cobra.Command {
	var project projectFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "map",
		Short: "Show which bytecode a change becomes",
		Long: `Lists every changed line with the contracts whose bytecode holds it, or the reason why none does.
Nothing is executed.`,
		Example: `  sightline map --base main
  sightline map --diff pr.diff --build out/build-info --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := project.configure(cmd.Flags()); err != nil {
				return err
			}
			show := newProgress(p.stderr, p.now) // the table alone on standard output
			pr, err := p.loadProject(cmd.Context(), &project, show)
			if err != nil {
				return err
			}
			for _, w := range pr.warnings {
				show.line("warn    %s", printable(w))
			}
			if asJSON {
				return printMappingJSON(p.stdout, pr)
			}
			return printMapping(p.stdout, pr)
		},
	}
	project.register(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of a table")
	cmd.Flags().SortFlags = false
	return cmd
}

// statusTarget is shown for a line with targets before any campaign.
const statusTarget = "target"

// linesOnly reports lines that no campaign was run for.
func linesOnly(pr *project) []report.Line {
	lines := []report.Line{}
	if pr.mapping == nil {
		return lines
	}
	text := &assembler{campaign: &campaign{project: pr}}
	for _, l := range pr.mapping.Lines {
		lines = append(lines, report.Line{File: l.Position.File, Line: l.Position.Line, Kind: l.Kind.String(),
			Text: text.lineText(l.Position), Status: string(l.Status), Reason: l.Reason, Contracts: []string{}})
	}
	return lines
}

// describeMapping counts the lines, which were changed or named by the user.
func describeMapping(pr *project) string {
	noun := "changed line"
	if len(pr.about.Explicit) > 0 {
		noun = "named line"
	}
	counts := map[diffmap.Status]int{}
	for _, l := range pr.mapping.Lines {
		counts[l.Status]++
	}
	indirect := 0
	for _, l := range pr.mapping.Lines {
		if l.Kind == diffmap.Indirect {
			indirect++
		}
	}
	text := report.Plural(counts[""]-indirect, noun) + " with bytecode"
	if indirect > 0 {
		text += fmt.Sprintf(", %s changed indirectly", report.Plural(indirect, "function"))
	}
	if n := counts[diffmap.NoBytecode]; n > 0 {
		text += fmt.Sprintf(", %d without", n)
	}
	if n := counts[diffmap.Unmapped]; n > 0 {
		text += fmt.Sprintf(", %d unmapped", n)
	}
	return text
}

func printMapping(out io.Writer, pr *project) error {
	if pr.mapping == nil || len(pr.mapping.Lines) == 0 {
		_, err := fmt.Fprintln(out, "no changed line in a contract's source")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "LINE\tKIND\tSTATUS\tWHERE")
	for _, l := range pr.mapping.Lines {
		status, where := string(l.Status), l.Reason
		if len(l.Targets) > 0 {
			status, where = statusTarget, describeTargets(pr, l.Targets)
		}
		if l.Because != "" {
			where += ": " + l.Because
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", printable(l.Position.String()), l.Kind, status, printable(where))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s; %s\n", describeMapping(pr), report.Plural(len(pr.mapping.Targets), "target"))
	return err
}

// describeTargets names contracts with the first entry of each.
func describeTargets(pr *project, targets []int) string {
	var texts []string
	for _, i := range targets {
		t := &pr.mapping.Targets[i]
		first := t.Entries[0]
		text := fmt.Sprintf("%s %s:0x%x", contractName(t.Contract), pr.table.Program(first.Code).Code.Kind, first.PC)
		if n := len(t.Entries) - 1; n > 0 {
			text += fmt.Sprintf(" (+%d)", n)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// maxShown bounds a piece of text on one line; arbitrary.
const maxShown = 2000

// printable makes names and texts that strangers chose safe to show.
func printable(s string) string { return report.Clean(s, maxShown) }

// mapOutput is what `sightline map --json` prints.
type mapOutput struct {
	Lines   []report.Line `json:"lines"`
	Targets []mapTarget   `json:"targets"`
}

type mapTarget struct {
	File     string         `json:"file"`
	Line     int            `json:"line"`
	Contract string         `json:"contract"`
	Entries  []report.Entry `json:"entries"`
}

func printMappingJSON(out io.Writer, pr *project) error {
	printed := mapOutput{Lines: linesOnly(pr), Targets: []mapTarget{}}
	if pr.mapping != nil {
		for i, l := range pr.mapping.Lines {
			if len(l.Targets) > 0 {
				printed.Lines[i].Status = statusTarget
				printed.Lines[i].Contracts = sortedContracts(pr.mapping.Targets, l.Targets)
			}
		}
		for _, t := range pr.mapping.Targets {
			printed.Targets = append(printed.Targets, mapTarget{t.Position.File, t.Position.Line, t.Contract, entriesOf(pr.table, t.Entries)})
		}
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(printed)
}

func entriesOf(table *bytecode.Table, locations []bytecode.Location) []report.Entry {
	var entries []report.Entry
	for _, l := range locations {
		if e, ok := report.EntryOf(table, l); ok {
			entries = append(entries, e)
		}
	}
	return entries
}
