package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

func (p *program) mapCommand() *cobra.Command {
	var project projectFlags
	var asJSON, annotate bool
	cmd := &cobra.Command{
		Use:   "map",
		Short: "Show which bytecode a change becomes",
		Long: `Lists every changed line with the functions whose bytecode holds it and at how many places (PCS)
that is entered, or the reason why none does. Nothing is executed.

--annotate prints the diff instead, with a mark in front of each line:
  ` + markLegend + `
Whether a target can be reached is what ` + "`sightline run`" + ` finds out.`,
		Example: `  sightline map --base main
  sightline map --base main --annotate
  sightline map --diff pr.diff --build out/build-info --json
  sightline map --target src/Vault.sol:120`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := project.configure(cmd.Flags()); err != nil {
				return err
			}
			switch {
			case annotate && asJSON:
				return exit.BadInput("--annotate and --json exclude each other")
			case annotate && len(project.targets) > 0:
				return exit.BadInput("--annotate shows a diff: leave out --target")
			}
			show := progress.NewLog(p.stderr, p.now) // the table alone on standard output
			pr, err := p.loadProject(cmd.Context(), &project, show)
			if err != nil {
				return err
			}
			for _, w := range pr.warnings {
				show.Line("warn    %s", human.Printable(w))
			}
			switch {
			case asJSON:
				return printMappingJSON(p.stdout, pr)
			case annotate:
				return printAnnotated(p.stdout, pr)
			}
			return printMapping(p.stdout, pr)
		},
	}
	project.register(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of a table")
	cmd.Flags().BoolVar(&annotate, "annotate", false, "print the diff with a mark in front of each line")
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
	for _, l := range pr.mapping.Lines {
		lines = append(lines, report.Line{File: l.Position.File, Line: l.Position.Line, Kind: l.Kind.String(),
			Text: pr.lineText(l.Position), Status: string(l.Status), Reason: l.Reason, Contracts: []string{}})
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
	text := human.Plural(counts[""]-indirect, noun) + " with bytecode"
	if indirect > 0 {
		text += fmt.Sprintf(", %s changed indirectly", human.Plural(indirect, "function"))
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
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "LINE\tKIND\tSTATUS\tPCS\tWHERE, OR WHY NOT\tTEXT")
	for i, l := range linesOnly(pr) {
		mapped := &pr.mapping.Lines[i]
		status, where, pcs := l.Status, l.Reason, ""
		if len(mapped.Targets) > 0 {
			status, where, pcs = statusTarget, describeTargets(pr, mapped), strconv.Itoa(countEntries(pr, mapped))
		}
		if mapped.Because != "" {
			where += ": " + mapped.Because
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", human.Printable(mapped.Position.String()), l.Kind, status, pcs,
			human.Clean(where, maxWhere), human.Clean(l.Text, maxLineText))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for row := range strings.Lines(table.String()) {
		if _, err := fmt.Fprintln(out, strings.TrimRight(row, " \n")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "\n%s\n", countMapping(pr))
	return err
}

// countMapping is the line below a mapping.
func countMapping(pr *project) string {
	return fmt.Sprintf("%s; %s", describeMapping(pr), human.Plural(len(pr.mapping.Targets), "target"))
}

// countEntries is the number of places at which a line's code is entered.
func countEntries(pr *project, l *diffmap.Line) int {
	n := 0
	for _, i := range l.Targets {
		n += len(pr.mapping.Targets[i].Entries)
	}
	return n
}

// describeTargets names the functions that hold a line, as CONTRACT.FUNCTION.
func describeTargets(pr *project, l *diffmap.Line) string {
	var names []string
	for _, i := range l.Targets {
		t := &pr.mapping.Targets[i]
		name := contractName(t.Contract)
		if l.Function != "" {
			name += "." + l.Function
		}
		runtime := slices.ContainsFunc(t.Entries, func(e bytecode.Location) bool {
			return pr.table.Program(e.Code).Code.Kind == bytecode.Runtime
		})
		if !runtime && l.Function != "constructor" {
			name += " (creation)"
		}
		names = append(names, name)
	}
	if n := len(names) - maxContracts; n > 0 {
		return strings.Join(names[:maxContracts], ", ") + human.More(n)
	}
	return strings.Join(names, ", ")
}

// What a table shows of a line in one row; arbitrary, for the width of terminals.
const (
	maxContracts = 3
	maxWhere     = 160
	maxLineText  = 80
)

// mapLine is a line of `sightline map --json`.
type mapLine struct {
	report.Line
	Function string `json:"function"` // that holds the line; empty outside of all
	PCs      int    `json:"pcs"`      // places at which its code is entered
}

// mapOutput is what `sightline map --json` prints.
type mapOutput struct {
	Lines   []mapLine   `json:"lines"`
	Targets []mapTarget `json:"targets"`
}

type mapTarget struct {
	File     string         `json:"file"`
	Line     int            `json:"line"`
	Contract string         `json:"contract"`
	Entries  []replay.Entry `json:"entries"`
}

func printMappingJSON(out io.Writer, pr *project) error {
	printed := mapOutput{Lines: []mapLine{}, Targets: []mapTarget{}}
	for i, line := range linesOnly(pr) {
		l := &pr.mapping.Lines[i]
		if len(l.Targets) > 0 {
			line.Status = statusTarget
			line.Contracts = sortedContracts(pr.mapping.Targets, l.Targets)
		}
		printed.Lines = append(printed.Lines, mapLine{line, l.Function, countEntries(pr, l)})
	}
	if pr.mapping != nil {
		for _, t := range pr.mapping.Targets {
			printed.Targets = append(printed.Targets, mapTarget{t.Position.File, t.Position.Line, t.Contract, entriesOf(pr.table, t.Entries)})
		}
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(printed)
}

func entriesOf(table *bytecode.Table, locations []bytecode.Location) []replay.Entry {
	var entries []replay.Entry
	for _, l := range locations {
		if e, ok := replay.EntryOf(table, l); ok {
			entries = append(entries, e)
		}
	}
	return entries
}
