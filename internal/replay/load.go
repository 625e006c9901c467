package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/report"
)

// loaded is a reproducer with everything needed to run it.
type loaded struct {
	path       string
	reproducer *Reproducer
	snapshot   *Snapshot
	table      *bytecode.Table
	report     *report.Report // of the run that made it; nil if there is none
	space      *input.Space
	sequence   input.Sequence
	target     bytecode.Target // the claim's entries
}

// locate is the file of an id in the output folder out, or the argument itself.
func locate(arg, out string) string {
	if _, err := os.Stat(arg); err == nil || strings.ContainsAny(arg, `/\`) {
		return arg
	}
	file := strings.TrimSuffix(arg, ".json") + ".json"
	if upgrade := filepath.Join(out, UpgradeFolder, file); files.IsRegular(upgrade) {
		return upgrade
	}
	return filepath.Join(out, ReproducerFolder, file)
}

// load reads a reproducer, and the snapshot and the report of its output folder.
func load(path string) (*loaded, error) {
	l, err := loadClaim(path)
	if err != nil {
		return nil, err
	}
	out := filepath.Dir(filepath.Dir(path))
	world := filepath.Join(out, SnapshotFile)
	data, err := files.ReadBounded(world, maxSnapshot)
	if err != nil {
		return nil, exit.BadInput("world of reproducer %s: %s: %v; keep the output folder of a run together", path, world, files.Plain(err))
	}
	if l.snapshot, l.table, err = ReadSnapshot(data); err != nil {
		return nil, exit.BadInput("world of reproducer %s: %s: %w; make both again with `sightline run`", path, world, err)
	}
	if err := l.prepare(); err != nil {
		return nil, exit.BadInput("reproducer %s does not fit %s: %w; keep the output folder of a run together", path, world, err)
	}
	if data, err := files.ReadBounded(filepath.Join(out, report.JSONFile), report.MaxSize); err == nil {
		l.report, _ = report.Read(data) // a replay that is shown without it lacks only what the change was
	}
	return l, nil
}

// loadClaim reads a reproducer alone.
func loadClaim(path string) (*loaded, error) {
	data, err := files.ReadBounded(path, maxReproducer)
	if err != nil {
		return nil, exit.BadInput("reproducer %s: %v; give its file, or its id with --out DIR of its run", path, files.Plain(err))
	}
	l := &loaded{path: path}
	if l.reproducer, err = ReadReproducer(data); err != nil {
		return nil, exit.BadInput("reproducer %s: %w; make it again with `sightline run`", path, err)
	}
	return l, nil
}

// prepare parses the sequence and finds the claim's entries in the code.
func (l *loaded) prepare() error {
	var err error
	if l.space == nil { // otherwise it is shared
		if l.space, err = input.NewSpace(l.snapshot.World, input.SpaceOptions{Constructors: l.snapshot.Deployable}); err != nil {
			return err
		}
	}
	if l.sequence, err = input.Parse(l.space, strings.Join(l.reproducer.Sequence, "\n")+"\n"); err != nil {
		return fmt.Errorf("its sequence: %w", err)
	}
	for _, e := range l.reproducer.Claim.Entries {
		at, err := e.Locate(l.snapshot.Contracts)
		if err != nil {
			return err
		}
		l.target.Entries = append(l.target.Entries, at)
	}
	if l.reproducer.Claim.Kind == LineClaim {
		l.table.Cut(l.target.Entries)
	}
	return nil
}

// machine makes a go-ethereum machine on the snapshot's World.
func (l *loaded) machine() (evm.Machine, error) { return gethvm.NewApart(l.snapshot.World, l.table) }

// judging is with what all oracles see what they see.
func (l *loaded) judging() *fuzzer.Config {
	return &fuzzer.Config{
		World: l.snapshot.World, Space: l.space, Oracles: oracle.Known(), Audit: true, NewJudge: l.machine,
		NewTracer: func() (evm.Machine, error) {
			return evm.NewApart(l.snapshot.World, func(w *evm.World, options ...evm.Option) (evm.Exporter, error) {
				return gethvm.New(w, l.table, append(options, evm.WithTrace)...)
			})
		},
	}
}

// run runs the sequence, and judges the claim. The machine owns the execution until it
// runs something else.
func (l *loaded) run(machine evm.Machine) (exec *evm.Execution, holds bool, err error) {
	var answer []byte
	if a := l.reproducer.Claim.Answer; a != nil {
		if answer, err = a.ask(machine, l.space.Encode(l.sequence, nil)); err != nil {
			return nil, false, fmt.Errorf("%s: %w", l.path, err)
		}
	}
	exec, observed, err := fuzzer.Replay(machine, l.judging(), l.sequence)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", l.path, err)
	}
	return exec, l.holds(exec, observed, answer), nil
}
