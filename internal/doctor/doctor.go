// Package doctor looks at what a run would find here: the machine, git and the history, the projects and
// their compilers, the folders that are written, and the workflow's rights. It compiles nothing, runs
// nothing of the project, and asks nothing of the network.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sightline-evm/sightline/diffmap/compile/child"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/setup"
)

// Options say what is looked at.
type Options struct {
	Folder  string // of a project, or of a repository with several
	Out     string // where a run writes its report
	Version string // the program's
	Getenv  func(string) string
	Log     *progress.Log
}

// Status says how good something is for a run.
type Status string

// The statuses.
const (
	OK   Status = "ok"
	Warn Status = "warn" // a run does less, or takes longer
	Fail Status = "fail" // it makes a run impossible
)

// Line is what was found of one thing.
type Line struct {
	Status Status
	What   string // one word
	Text   string
	Remedy string // empty: none is needed
}

// patience bounds each thing that is looked at; all are at the same time. With what is read before, that is
// less than the three seconds after which people wonder.
const patience = 2 * time.Second

// Run prints a line for each thing, and returns an error if any of them makes a run impossible.
func Run(ctx context.Context, o *Options) error {
	root, err := change.AbsRoot(o.Folder)
	if err != nil {
		return err
	}
	d := &doctor{o: o, root: root, compilers: solc.Options{Root: root, Repository: root, Offline: true, Cache: files.Cache("builds"), Downloads: files.Cache("solc")}}
	if modules := o.Getenv("SIGHTLINE_NODE_MODULES"); modules != "" {
		d.compilers.NodeModules = strings.Split(modules, string(os.PathListSeparator))
	}
	if d.repository, d.wrong = setup.Find(root); d.repository != nil {
		d.compilers.Repository = d.repository.Top
	}
	failed := 0
	for _, l := range d.look(ctx) {
		o.Log.Line("%s", l)
		if l.Status == Fail {
			failed++
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failed > 0 {
		return exit.CannotFuzz("no run is possible here as long as %s", map[bool]string{true: "one line above fails", false: fmt.Sprintf("%d lines above fail", failed)}[failed == 1])
	}
	return nil
}

// look looks at everything at the same time. The lines are in the order in which they are of use.
func (d *doctor) look(ctx context.Context) []Line {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	looks := []func(context.Context) []Line{d.program, d.machine, d.git, d.projects, d.solc, d.node, d.forge, d.settings, d.output, d.cache, d.github}
	found := make([][]Line, len(looks))
	var running sync.WaitGroup
	for i, look := range looks {
		running.Go(func() { found[i] = look(limited) })
	}
	running.Wait()
	return slices.Concat(found...)
}

// String is the line for people.
func (l Line) String() string {
	text := fmt.Sprintf("%-4s  %-8s  %s", l.Status, l.What, human.Printable(l.Text))
	if l.Remedy != "" {
		text += "; " + human.Printable(l.Remedy)
	}
	return text
}

type doctor struct {
	o          *Options
	root       string
	repository *setup.Repository // nil where the projects are not known
	wrong      error             // why not
	compilers  solc.Options
}

// one is a single line.
func one(status Status, what, remedy, format string, args ...any) []Line {
	return []Line{{status, what, fmt.Sprintf(format, args...), remedy}}
}

// program is this program.
func (d *doctor) program(context.Context) []Line {
	return one(OK, "program", "", "sightline %s, %s", d.o.Version, runtime.Version())
}

// Least of a machine. One core is what a campaign and the compiler of the base then share; a campaign takes
// less than 500 MB (docs/benchmarks.md), and compilers as much again.
const (
	leastCores  = 2
	leastMemory = 1 << 30
)

// machine is what it runs on.
func (d *doctor) machine(context.Context) []Line {
	cores, memory := runtime.NumCPU(), memoryLimit(os.DirFS("/"))
	text := fmt.Sprintf("%s/%s, %s, memory %s", runtime.GOOS, runtime.GOARCH, human.Plural(cores, "core"), describeMemory(memory))
	switch {
	case memory > 0 && memory < leastMemory:
		return one(Warn, "machine", "give it 1 GiB or more: a campaign takes half of that, and a compiler the rest", "%s", text)
	case cores < leastCores:
		return one(Warn, "machine", "raise --timeout: the campaign and the compiler of the base share the core", "%s", text)
	}
	return one(OK, "machine", "", "%s", text)
}

// ask runs a program of the machine's, no one of the checkout's, for what it says of itself. One that does
// not answer in time may be slow and good all the same.
func (d *doctor) ask(ctx context.Context, name string) (said, missing string) {
	program, err := d.compilers.LookPath(name)
	if err != nil {
		return "", "is not in PATH"
	}
	const most = 64 << 10 // bytes; a version is one line
	out, err := child.Process{Argv: []string{program, "--version"}, Limit: most}.Run(ctx)
	if ctx.Err() != nil {
		return "of which version is not known: it did not answer within " + patience.String(), ""
	}
	if err != nil {
		return "", "does not run: " + human.OneLine(err)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return cmp.Or(strings.TrimSpace(first), "says nothing of its version"), ""
}
