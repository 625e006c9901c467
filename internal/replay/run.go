package replay

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
)

// Options say what is replayed, and how it is shown.
type Options struct {
	Out    string // output folder in which ids are looked up
	Bundle string // a packed bundle, which is verified; empty: none

	Trace       bool // show everything that happens
	JSON        bool // print one line of JSON for each reproducer
	FoundryTest bool // print a Foundry test instead
	Color       bool
}

// Run replays reproducers, given by file or id, or verifies a bundle. It prints what they
// do, and reports whether every claim holds. Errors carry an exit code.
func Run(out io.Writer, args []string, o Options) (holds bool, err error) {
	switch {
	case o.FoundryTest && (len(args) != 1 || o.Trace || o.JSON):
		return false, exit.BadInput("--foundry-test prints a single reproducer: give one file or id, without --trace and --json")
	case o.Bundle != "":
		return verify(out, o.Bundle, args, o)
	case len(args) == 0:
		return false, exit.BadInput("replay needs a reproducer: a file of %s/%s or the id of a finding", o.Out, ReproducerFolder)
	}
	holds = true
	for i, arg := range args {
		if i > 0 && !o.JSON {
			fmt.Fprintln(out)
		}
		held, err := replayFile(out, locate(arg, o.Out), o)
		if err != nil {
			return false, err
		}
		holds = holds && held
	}
	return holds, nil
}

// replayFile replays the file of a reproducer, a fault or an upgrade.
func replayFile(out io.Writer, path string, o Options) (holds bool, err error) {
	if data, err := files.ReadBounded(path, maxSnapshot); err == nil && IsFault(data) {
		return replayFault(out, path, data, o.JSON)
	} else if err == nil && IsUpgrade(data) {
		return replayUpgrade(out, path, data, o.JSON)
	}
	l, err := load(path)
	if err != nil {
		return false, err
	}
	return l.show(out, o)
}

// show runs the reproducer, prints what it does, and reports whether its claim holds.
func (l *loaded) show(out io.Writer, o Options) (holds bool, err error) {
	testRun := ""
	if o.FoundryTest && input.IsTest(l.sequence) {
		if testRun, err = l.testRun(); err != nil {
			return false, err
		}
	}
	machine, err := l.machine()
	if err != nil {
		return false, exit.BadInput("world of reproducer %s: %w", l.path, err)
	}
	exec, holds, err := l.run(machine)
	if err != nil {
		return false, exit.CannotFuzz("%w", err)
	}
	switch {
	case testRun != "":
		fmt.Fprint(out, testRun)
		return holds, nil
	case o.FoundryTest:
		test, err := newFoundryTest(l, exec)
		if err != nil {
			return false, err
		}
		text, _ := test.source(exec)
		fmt.Fprint(out, text)
		return holds, nil
	case o.JSON:
		object := map[string]any{
			"reproducer": l.path, "claim": l.reproducer.Claim, "holds": holds, "steps": Steps(l.space, l.sequence, exec),
		}
		if a := l.reproducer.Claim.Answer; a != nil {
			object["answer"] = a.Describe(l.space)
		}
		if o.Trace {
			object["trace"] = callTrees(l, exec)
		}
		return holds, json.NewEncoder(out).Encode(object)
	}
	fmt.Fprintln(out, human.Printable(l.reproducer.Claim.describe(l.path)))
	fmt.Fprintln(out)
	printer := &treePrinter{out: out, colors: o.Color, full: o.Trace}
	printer.trees(l, callTrees(l, exec))
	if a := l.reproducer.Claim.Answer; a != nil {
		said := a.Describe(l.space)
		fmt.Fprintln(out, human.Printable(fmt.Sprintf("afterwards, %s is %s", said.Of, said.Head)))
	}
	fmt.Fprintln(out)
	if holds {
		fmt.Fprintln(out, "confirmed on go-ethereum")
	} else {
		fmt.Fprintln(out, "NOT confirmed: the calls do not show what the reproducer claims")
	}
	return holds, nil
}
