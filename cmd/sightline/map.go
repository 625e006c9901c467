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
	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

func (p *program) mapCommand() *cobra.Command {
	var asJSON, annotate bool
	cmd := &cobra.Command{
		Use:   "map",
		Short: "Show the bytecode that a change compiles to",
		Long: `Lists every changed line with the functions whose bytecode contains it and the number of places
(PCS) where that bytecode is entered, or the reason why it has none. Nothing is executed.

--annotate prints the diff instead, with a mark before each line:
  ` + markLegend + `
To find out whether a target can be reached, use ` + "`sightline run`" + `.`,
		Example: `  sightline map --base main
  sightline map --base main --annotate
  sightline map --diff pr.diff --build out/build-info --json
  sightline map --target src/Vault.sol:120`,
		Args: noArguments,
	}
	settings := config.New(cmd.Flags())
	settings.RegisterChange()
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := settings.Load(); err != nil {
			return err
		}
		o, err := settings.Resolve()
		if err != nil {
			return err
		}
		o.Change.Stdin = p.stdin
		switch {
		case annotate && asJSON:
			return exit.BadInput("--annotate and --json are mutually exclusive")
		case annotate && len(o.Change.Targets) > 0:
			return exit.BadInput("--annotate and --target are mutually exclusive: --annotate shows a diff")
		}
		log := progress.NewLog(p.stderr, p.now) // the table alone on standard output
		c, err := change.Read(cmd.Context(), o.Reading(), log)
		if err != nil {
			return err
		}
		for _, w := range log.Warnings() {
			log.Line("warn    %s", human.Printable(w))
		}
		switch {
		case asJSON:
			return printMappingJSON(p.stdout, c)
		case annotate:
			return printAnnotated(p.stdout, c)
		}
		return printMapping(p.stdout, c)
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of a table")
	cmd.Flags().BoolVar(&annotate, "annotate", false, "print the diff with a mark before each line")
	cmd.Flags().SortFlags = false
	return cmd
}

// statusTarget is shown for a line with targets before any campaign.
const statusTarget = "target"

func printMapping(out io.Writer, c *change.Change) error {
	if c.Mapping == nil || len(c.Mapping.Lines) == 0 {
		_, err := fmt.Fprintln(out, "no changed lines in contract sources")
		return err
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "LINE\tKIND\tSTATUS\tPCS\tWHERE, OR WHY NOT\tTEXT")
	for i, l := range c.Lines() {
		mapped := &c.Mapping.Lines[i]
		status, where, pcs := l.Status, l.Reason, ""
		if len(mapped.Targets) > 0 {
			status, where, pcs = statusTarget, describeTargets(c, mapped), strconv.Itoa(countEntries(c, mapped))
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
	_, err := fmt.Fprintf(out, "\n%s\n", countMapping(c))
	return err
}

// countMapping is the summary line below a mapping.
func countMapping(c *change.Change) string {
	return fmt.Sprintf("%s; %s", c.DescribeMapping(), human.Plural(len(c.Mapping.Targets), "target"))
}

// countEntries is the number of places at which a line's code is entered.
func countEntries(c *change.Change, l *diffmap.Line) int {
	n := 0
	for _, i := range l.Targets {
		n += len(c.Mapping.Targets[i].Entries)
	}
	return n
}

// describeTargets names the functions that contain a line, as CONTRACT.FUNCTION.
func describeTargets(c *change.Change, l *diffmap.Line) string {
	var names []string
	for _, i := range l.Targets {
		t := &c.Mapping.Targets[i]
		name := bytecode.ShortName(t.Contract)
		if l.Function != "" {
			name += "." + l.Function
		}
		runtime := slices.ContainsFunc(t.Entries, func(e bytecode.Location) bool {
			return c.Table.Program(e.Code).Code.Kind == bytecode.Runtime
		})
		if !runtime && l.Function != "constructor" {
			name += " (creation)"
		}
		names = append(names, name)
	}
	return human.First(names, maxContracts)
}

// Bounds on a row of the table; arbitrary, for the width of terminals.
const (
	maxContracts = 3
	maxWhere     = 160
	maxLineText  = 80
)

// mapLine is a line of `sightline map --json`.
type mapLine struct {
	report.Line
	Function string `json:"function"` // that contains the line; empty outside all functions
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

func printMappingJSON(out io.Writer, c *change.Change) error {
	printed := mapOutput{Lines: []mapLine{}, Targets: []mapTarget{}}
	for i, line := range c.Lines() {
		l := &c.Mapping.Lines[i]
		if len(l.Targets) > 0 {
			line.Status = statusTarget
			line.Contracts = sortedContracts(c.Mapping.Targets, l.Targets)
		}
		printed.Lines = append(printed.Lines, mapLine{line, l.Function, countEntries(c, l)})
	}
	if c.Mapping != nil {
		for _, t := range c.Mapping.Targets {
			printed.Targets = append(printed.Targets, mapTarget{t.Position.File, t.Position.Line, t.Contract, entriesOf(c.Table, t.Entries)})
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

// sortedContracts lists the contracts that contain a line.
func sortedContracts(targets []bytecode.Target, indices []int) []string {
	names := []string{}
	for _, i := range indices {
		names = append(names, targets[i].Contract)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
