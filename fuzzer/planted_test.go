package fuzzer

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// plantedCalls is the budget of a campaign on a planted bug. The slowest of the
// seeds below needs about a third of it.
const plantedCalls = 30_000

// unreachedCalls is the budget where a line is never to be reached: it is used up.
const unreachedCalls = 6_000

// TestPlanted runs campaigns on testdata/planted/*.sol. In these sources
//
//	// want ORACLE          the campaign has a finding of the oracle at this line, and nowhere else
//	// target reached       the line is a target, and ends like that: reached, entered (only in
//	                        calls that revert), unreached or unreachable (proved)
//
// A campaign ends as soon as it has found all that it should.
func TestPlanted(t *testing.T) {
	_, texts := buildAll(t)
	for _, source := range slices.Sorted(maps.Keys(texts)) {
		if filepath.Dir(source) != "planted" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(source), ".sol"), func(t *testing.T) {
			p := open(t, source)
			for _, seed := range []uint64{1, 2, 3} {
				p.hunt(t, seed)
			}
		})
	}
}

// hunt runs a campaign until it has met what the source's comments say.
func (p *project) hunt(t *testing.T, seed uint64) {
	wants := testbuild.Wants(p.text)
	ends := p.targetEnds(t)
	open := len(wants)
	for _, end := range ends {
		if end == "reached" {
			open++
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	calls := uint64(plantedCalls)
	if slices.Contains(ends, "unreached") || slices.Contains(ends, "entered") {
		calls = unreachedCalls
	}
	config := p.config(seed, calls)
	config.Seeds = p.deploymentSeeds()
	config.Progress = func(e Event) {
		if e.Found != nil || e.Target >= 0 {
			open--
		}
		if open == 0 {
			stop()
		}
	}
	result, err := (&Campaign{Config: config}).Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	noFaults(t, result)
	t.Logf("seed %d: %d calls", seed, result.Stats.Calls)
	for _, f := range result.Findings {
		line := p.line(f.Location)
		if wants[line] != f.Oracle.ID {
			t.Errorf("seed %d: %s at line %d: %s\n%s", seed, f.Oracle.ID, line, f.Message, format(p.space, f.Sequence))
		}
		delete(wants, line)
	}
	for line, id := range wants {
		t.Errorf("seed %d: no %s at line %d after %d calls", seed, id, line, result.Stats.Calls)
	}
	for i, r := range result.Targets {
		end := "unreached"
		switch {
		case r.Unreachable:
			end = "unreachable"
		case r.Reached:
			end = "reached"
		case r.Entered:
			end = "entered"
		}
		if end != ends[i] {
			t.Errorf("seed %d: the target at %s is %s, want %s", seed, p.targets[i].Position, end, ends[i])
		}
		p.checkReproducer(t, i, r)
	}
}

// targetEnds is how each target is to end.
func (p *project) targetEnds(t *testing.T) []string {
	t.Helper()
	lines := strings.Split(p.text, "\n")
	var ends []string
	for i, target := range p.targets {
		_, end, _ := strings.Cut(lines[target.Position.Line-1], "// target ")
		if !slices.Contains([]string{"reached", "entered", "unreached", "unreachable"}, end) {
			t.Fatalf("target %d: %q is not an end", i, end)
		}
		ends = append(ends, end)
	}
	return ends
}

// checkReproducer replays the sequence that a target is reported with.
func (p *project) checkReproducer(t *testing.T, i int, r TargetResult) {
	t.Helper()
	if !r.Entered {
		if r.Sequence != nil {
			t.Errorf("target %d: a sequence that does not enter it", i)
		}
		return
	}
	machine, err := p.newMachine()
	if err != nil {
		t.Fatal(err)
	}
	exec, _, err := Replay(machine, &Config{Space: p.space}, r.Sequence)
	if err != nil {
		t.Fatal(err)
	}
	entered, kept := Enters(p.table, &p.targets[i], exec)
	if !entered || kept != r.Reached {
		t.Errorf("target %d: the replay enters it: %v, in a call that lasts: %v\n%s", i, entered, kept, format(p.space, r.Sequence))
	}
}

// deploymentSeeds are the World's deployments as sequences.
func (p *project) deploymentSeeds() []input.Sequence {
	var seeds []input.Sequence
	for _, d := range p.setup.Deployments {
		for i := range p.space.Instances {
			in := &p.space.Instances[i]
			if !in.Fresh || in.Contract != d.Contract {
				continue
			}
			constructor := in.Functions[len(in.Functions)-1]
			args, err := input.Decode(constructor.Inputs, d.Call.Data[len(d.Code):])
			if err != nil {
				continue
			}
			seeds = append(seeds, input.Sequence{{Instance: i, Function: constructor, Args: args, Value: d.Call.Value}})
		}
	}
	return seeds
}
