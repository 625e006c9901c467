package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/solgen"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/pipeline"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/replay"
	"github.com/sightline-evm/sightline/report"
)

// trial is a program with its reports and what ran on its builds.
type trial struct {
	tally
	marks      map[int]int // of lines, from 1
	text       []string    // its lines
	jobs       []*job
	violations []violation
	notes      []note
}

// job is one run of the product on a program, as built in one way.
type job struct {
	way       way
	index     int // in the builder's ways
	report    *report.Report
	sequences map[string]string // the calls that the report shows, as text, by file
	head      *deployed         // what was fuzzed
	release   *deployed         // head, where that is what was fuzzed
}

// try runs the job on every build of a program, and holds the reports against what runs. With
// a violation to look for, only what that needs is run.
func (b *builder) try(ctx context.Context, run *harness.Run, seed uint64, program *solgen.Program, only *violation) (*trial, error) {
	text, marks := program.Source()
	t := &trial{marks: marks, text: strings.Split(text, "\n")}
	p, err := b.newProject(text)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(p.root)
	for i, w := range b.ways {
		if only != nil && w != only.way {
			continue
		}
		j, err := b.job(ctx, run, p, text, w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		j.index = i
		t.jobs = append(t.jobs, j)
	}
	var texts []string
	for _, j := range t.jobs {
		for _, text := range j.sequences {
			texts = append(texts, text)
		}
		t.executions += j.report.Stats.Executions
	}
	var builds []*deployed
	for _, j := range t.jobs {
		builds = append(builds, j.builds()...)
	}
	for _, d := range builds {
		if err := d.campaign(ctx, seed, asked.calls, texts, run.Now); err != nil {
			return nil, err
		}
	}
	for _, d := range builds {
		for _, other := range builds {
			if d == other {
				continue
			}
			if err := d.repeat(other); err != nil {
				return nil, err
			}
		}
		t.executions += d.machine.executions
	}
	return t, t.check()
}

// job runs the product, and deploys what it fuzzed and the release build once more to observe them.
func (b *builder) job(ctx context.Context, run *harness.Run, p *project, text string, w way) (*job, error) {
	change, err := b.build(ctx, p, text, w)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(p.root, "out")
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	log := progress.NewLog(io.Discard, run.Now)
	j := &job{way: w, sequences: map[string]string{}}
	j.report, err = pipeline.Run(ctx, &pipeline.Options{
		Change: *change, Campaign: pipeline.Campaign{Calls: asked.calls, Workers: 1, Schedule: fuzzer.Lookahead.Name, Seed: run.Seed},
		Gate: pipeline.Gate{FailOn: "none"}, Output: pipeline.Output{Dir: out}, Now: run.Now, Log: log,
	})
	if err != nil {
		return nil, err
	}
	for _, t := range j.report.Targets {
		if t.Reproducer == "" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(t.Reproducer)))
		if err != nil {
			return nil, err
		}
		var r replay.Reproducer
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, err
		}
		j.sequences[t.Reproducer] = strings.Join(r.Sequence, "\n")
	}
	return j, j.deploy(ctx, change, log)
}

// deploy deploys what was fuzzed and the release build, as the product does.
func (j *job) deploy(ctx context.Context, o *change.Options, log *progress.Log) error {
	c, err := change.Read(ctx, o, log)
	if err != nil {
		return err
	}
	if !c.HasTargets() {
		return errors.New("nothing of it is to be fuzzed")
	}
	head, recipe, err := deploy.Head(ctx, c, &deploy.Options{}, log)
	if err != nil {
		return err
	}
	if j.head, err = observe(head, j.way, c.Outputs[0].Debug); err != nil {
		return err
	}
	if !c.Outputs[0].Debug {
		j.release = j.head
		return nil
	}
	release, err := deploy.Make(ctx, deploy.NewBuild(deploy.Release(c), c.Paths), recipe.Again(head))
	if err != nil {
		return err
	}
	j.release, err = observe(release, j.way, false)
	return err
}

// builds are the builds of a job: one where the release build is what was fuzzed.
func (j *job) builds() []*deployed {
	if j.head == j.release {
		return []*deployed{j.head}
	}
	return []*deployed{j.head, j.release}
}

// shrink makes the program of a violation smaller, and keeps it in the cache.
func (b *builder) shrink(ctx context.Context, run *harness.Run, seed uint64, program *solgen.Program, v violation) (file string, err error) {
	small := program.Shrink(asked.shrink, func(p *solgen.Program) bool {
		if ctx.Err() != nil {
			return false
		}
		t, err := b.try(ctx, run, seed, p, &v)
		return err == nil && t.has(v)
	})
	text, marks := small.Source()
	for line, mark := range marks {
		if mark == v.mark {
			text += fmt.Sprintf("// seed %d, %s: %s, line %d\n// %s\n", seed, v.way.name, v.kind, line, v.what)
		}
	}
	folder := filepath.Join(run.Cache, "soundness")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	file = filepath.Join(folder, fmt.Sprintf("%d-%s-%d.sol", seed, v.kind, v.mark))
	return file, os.WriteFile(file, []byte(text), 0o600)
}
