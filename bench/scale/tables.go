package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
)

// shardCounts are the n of the curve of shards.
var shardCounts = []int{1, 2, 4, 8, 16, 32, 64}

// ratio writes a speed-up, with what it is where samples were missed.
func ratio(v float64, b bound) string {
	return []string{exact: "", atLeast: "≥ ", neither: "~ "}[b] + harness.Number(v)
}

// stored is the curve of shards of the samples in a file.
func stored(result *harness.Result) error {
	file, err := os.Open(options.samples)
	if err != nil {
		return fmt.Errorf("-samples: %w", err)
	}
	defer file.Close()
	known, err := timetotarget.ReadSamples(options.samples, file)
	if err != nil {
		return fmt.Errorf("-samples: %w", err)
	}
	byTarget := map[string][]timetotarget.Sample{}
	for k, s := range known {
		if name := shorter(k.Target); k.Schedule == fuzzer.Lookahead.Name && (k.Without == fuzzer.Techniques{}) && wanted(name) {
			byTarget[name] = append(byTarget[name], s)
		}
	}
	if len(byTarget) == 0 {
		return fmt.Errorf("-samples %s: no campaign of the schedule %s, with all techniques, toward a target of -only", options.samples, fuzzer.Lookahead.Name)
	}
	table, medians := shardTable("shards, from stored samples", slices.Sorted(maps.Keys(byTarget)), byTarget)
	for n, v := range medians {
		result.Summary[fmt.Sprintf("storedShards%d", n)] = v
	}
	result.Tables = append(result.Tables, table)
	return nil
}

// shorter is a target's name without the contract's file.
func shorter(name string) string {
	of, contract, _ := strings.Cut(name, " ")
	_, contract, _ = strings.Cut(contract, ":")
	return of + " " + contract
}

// shardTable is the curve of shards, and the medians over the targets by n.
func shardTable(title string, names []string, samples map[string][]timetotarget.Sample) (harness.Table, map[int]float64) {
	table := harness.Table{Title: title, Columns: []string{"target", "samples", "missed", "executions of one"}}
	columns := map[int][]float64{}
	for _, n := range shardCounts[1:] {
		table.Columns = append(table.Columns, fmt.Sprintf("n = %d", n))
	}
	for _, name := range names {
		list := samples[name]
		misses := 0
		for _, s := range list {
			misses += missed(s)
		}
		one, _ := leastOf(list, 1)
		row := []string{name, fmt.Sprint(len(list)), fmt.Sprint(misses), ratio(one.mean, boundOf(one.censored > 0, false))}
		for _, n := range shardCounts[1:] {
			v, b, ok := speedup(list, n)
			if !ok {
				row = append(row, "—")
				continue
			}
			columns[n] = append(columns[n], v)
			row = append(row, ratio(v, b))
		}
		table.Add(row...)
	}
	medians := map[int]float64{}
	figures := func(name string, f func(n int) float64) {
		row := []string{name, "", "", ""}
		for _, n := range shardCounts[1:] {
			row = append(row, harness.Number(f(n)))
		}
		table.Add(row...)
	}
	figures("median", func(n int) float64 {
		if len(columns[n]) == 0 {
			return math.NaN()
		}
		medians[n] = harness.Median(columns[n])
		return medians[n]
	})
	figures("ideal", func(n int) float64 { return float64(n) })
	for _, k := range []int{1, 3, 6} {
		figures(fmt.Sprintf("model, k = %d", k), model{milestones: k, alone: true}.speedup)
	}
	table.Notes = []string{"Expected executions of one campaign, over those of the first of n: the least of n samples, drawn without replacement. " +
		"≥: one worker missed the target from some seeds; ~: so did all n."}
	return table, medians
}

// report shows the live curve, and the shards of the same targets.
func report(result *harness.Result, goals []*goal, all []measured) {
	samples := map[string][]timetotarget.Sample{}
	var names []string
	for i, g := range goals {
		names = append(names, g.name)
		samples[g.name] = all[i].alone
	}
	if options.shards {
		table, _ := shardTable("shards, of the targets below", names, samples)
		result.Tables = append(result.Tables, table)
	}
	live := harness.Table{
		Title:   "live, in virtual time",
		Columns: []string{"target", "k", "n", "mean", "median", "missed", "live", "of medians", "shards", "model, live", "model, shards", "ideal"},
	}
	messages := harness.Table{
		Title: "messages",
		Columns: []string{"target", "n", "sent by a worker", "of these in the first slice", "bytes of one", "run by a worker", "share of its executions", "of these new to it",
			"executions/s", "messages a minute and worker", "bytes a minute and worker"},
	}
	lives, shards := map[int][]float64{}, map[int][]float64{}
	overTen := 0
	for i, g := range goals {
		one, ok := leastOf(all[i].alone, 1)
		if !ok {
			continue
		}
		live.Add(g.name, g.depth(), "1", ratio(one.mean, boundOf(one.censored > 0, false)), harness.Summarize(executionsOf(all[i].alone)).String(), fmt.Sprint(missesOf(all[i].alone)))
		for _, n := range options.ns {
			groups := all[i].groups[n]
			if len(groups) == 0 {
				continue
			}
			figures := liveRow(g, all[i].alone, one, n, groups)
			lives[n] = append(lives[n], figures.live)
			if figures.shardsKnown {
				shards[n] = append(shards[n], figures.shards)
			}
			if n == 16 && figures.live >= 10 {
				overTen++
			}
			live.Add(figures.cells...)
			messages.Add(messageRow(g, n, all[i].alone, groups)...)
		}
	}
	live.Notes = []string{
		fmt.Sprintf("Executions of a campaign until the first is there: %d campaigns of one worker, %d groups of each n. Live: the mean of one worker over that of n, and the same of medians. "+
			"Shards: the mean of one over the expected least of n samples, drawn without replacement. Slices of %d executions, %d more under way. The model has k milestones of equal length and the slice "+
			"in units of the mean.", len(all[0].alone), len(all[0].groups[options.ns[len(options.ns)-1]]), options.slice, options.latency),
	}
	messages.Notes = []string{"Means over the groups. A minute is 60 s of executions at the rate of one worker alone, as measured on this machine; what the first slice brings is not in it."}
	result.Tables = append(result.Tables, live, messages)
	for n, list := range lives {
		result.Summary[fmt.Sprintf("live%d", n)] = harness.Median(list)
		result.Summary[fmt.Sprintf("worstLive%d", n)] = slices.Min(list)
	}
	for n, list := range shards {
		result.Summary[fmt.Sprintf("shards%d", n)] = harness.Median(list)
	}
	result.Summary["targets"], result.Summary["overTen"] = float64(len(goals)), float64(overTen)
}

func executionsOf(list []timetotarget.Sample) (values []float64) {
	for _, s := range list {
		values = append(values, float64(s.Executions))
	}
	return values
}

func missesOf(list []timetotarget.Sample) (n int) {
	for _, s := range list {
		n += missed(s)
	}
	return n
}

// liveFigures are a row of the live curve.
type liveFigures struct {
	live, shards float64
	shardsKnown  bool
	cells        []string
}

func liveRow(g *goal, alone []timetotarget.Sample, one minimum, n int, groups []*outcome) liveFigures {
	var executions []float64
	misses, sum := 0, 0.0
	for _, o := range groups {
		executions = append(executions, float64(o.Executions))
		sum += float64(o.Executions)
		misses += missed(o.sample())
	}
	mean, summary := sum/float64(len(groups)), harness.Summarize(executions)
	f := liveFigures{live: one.mean / mean}
	shards := "—"
	if v, b, ok := speedup(alone, n); ok {
		f.shards, f.shardsKnown, shards = v, true, ratio(v, b)
	}
	modelLive, modelShards := "—", "—"
	if g.milestones > 0 {
		modelLive = harness.Number(model{milestones: g.milestones, slice: float64(options.slice) / one.mean, latency: options.latency}.speedup(n))
		modelShards = harness.Number(model{milestones: g.milestones, alone: true}.speedup(n))
	}
	f.cells = []string{
		g.name, g.depth(), fmt.Sprint(n), ratio(mean, boundOf(misses > 0, false)), summary.String(), fmt.Sprint(misses),
		ratio(f.live, boundOf(one.censored > 0, misses > 0)),
		// A median is a bound where at least half of what it is of are misses.
		ratio(harness.Median(executionsOf(alone))/summary.Median, boundOf(one.censored >= 0.5, 2*misses >= len(groups))),
		shards, modelLive, modelShards, fmt.Sprint(n),
	}
	return f
}

// depth is the number of milestones, where it is known.
func (g *goal) depth() string {
	if g.milestones == 0 {
		return "—"
	}
	return fmt.Sprint(g.milestones)
}

// messageRow is what was sent by the groups of n.
func messageRow(g *goal, n int, alone []timetotarget.Sample, groups []*outcome) []string {
	var executions, seconds float64
	for _, s := range alone {
		executions += float64(s.Executions)
		seconds += s.Seconds
	}
	rate := executions / seconds
	var sent, early, bytes, ran, admitted, all, later float64
	for _, o := range groups {
		for _, count := range o.offers {
			sent += float64(count)
		}
		early += float64(o.early)
		bytes += float64(o.bytes)
		ran += float64(o.Exchange.Received)
		admitted += float64(o.Exchange.Admitted)
		all += float64(o.now)
		later += float64(o.now) - float64(o.Workers)*float64(options.slice)
	}
	workers := float64(n * len(groups))
	minutes := max(later, 0) / rate / 60
	each := bytes / max(sent, 1)
	perMinute, bytesPerMinute := math.NaN(), math.NaN()
	if minutes > 0 {
		perMinute = (sent - early) / minutes
		bytesPerMinute = perMinute * each
	}
	return []string{g.name, fmt.Sprint(n), harness.Number(sent / workers), harness.Number(early / workers), harness.Number(math.Round(each)),
		harness.Number(ran / workers), harness.Percent(ran / all), harness.Percent(admitted / max(ran, 1)),
		harness.Number(math.Round(rate)), harness.Number(math.Round(perMinute)), harness.Number(math.Round(bytesPerMinute))}
}
