package main

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
)

// significant is the paper's level.
const significant = 0.05

// tally sums up one schedule against another.
type tally struct {
	wins, losses               int
	winsSeconds, lossesSeconds int
	ratios, ratiosSeconds      []float64
}

// outcome tells who is faster.
func outcome(t harness.Test, wins, losses *int) string {
	switch {
	case !(t.P < significant):
		return ""
	case t.A12 > 0.5:
		*wins++
		return "+"
	}
	*losses++
	return "−"
}

// executions and seconds of a target's campaigns, misses at the limit.
func executions(list []timetotarget.Sample) []float64 {
	var values []float64
	for _, s := range list {
		values = append(values, float64(s.Executions))
	}
	return values
}

func seconds(list []timetotarget.Sample, most float64) []float64 {
	var values []float64
	for _, s := range list {
		if !s.Reached {
			s.Seconds = most
		}
		values = append(values, s.Seconds)
	}
	return values
}

func missed(list []timetotarget.Sample) int {
	n := 0
	for _, s := range list {
		if !s.Reached {
			n++
		}
	}
	return n
}

// row compares two schedules on one target.
func (c *tally) row(g *goal, first, other []timetotarget.Sample) []string {
	most := 0.0
	for _, s := range append(append([]timetotarget.Sample(nil), first...), other...) {
		most = max(most, s.Seconds)
	}
	e := harness.Compare(executions(other), executions(first))
	s := harness.Compare(seconds(other, most), seconds(first, most))
	c.ratios, c.ratiosSeconds = append(c.ratios, e.Ratio), append(c.ratiosSeconds, s.Ratio)
	misses := ""
	if a, b := missed(other), missed(first); a+b > 0 {
		misses = fmt.Sprintf("%d, %d", a, b)
	}
	return []string{g.name(), harness.Number(float64(g.Bracket)),
		harness.Number(harness.Median(executions(other))), harness.Number(harness.Median(executions(first))), misses,
		fmt.Sprintf("%.2f", e.Ratio), fmt.Sprintf("%.3f", e.P), fmt.Sprintf("%.2f", e.A12), outcome(e, &c.wins, &c.losses),
		harness.Number(harness.Median(seconds(other, most))), harness.Number(harness.Median(seconds(first, most))),
		fmt.Sprintf("%.2f", s.Ratio), fmt.Sprintf("%.3f", s.P), outcome(s, &c.winsSeconds, &c.lossesSeconds)}
}

// tables shows the first schedule against each of the others.
func tables(goals []*goal, schedules []*fuzzer.Schedule, all samples) (*harness.Result, error) {
	result := &harness.Result{Summary: map[string]float64{}}
	first := schedules[0].Name
	for n, other := range schedules[1:] {
		table := harness.Table{
			Title: fmt.Sprintf("%s against %s", first, other.Name),
			Columns: []string{"target", "bracket", "T " + other.Name, "T " + first, "misses", "ratio", "p", "A12", "",
				"s " + other.Name, "s " + first, "ratio", "p", ""},
		}
		var c tally
		for i, g := range goals {
			table.Add(c.row(g, all[i][0], all[i][n+1])...)
		}
		table.Notes = []string{fmt.Sprintf("%d seeds. T: median executions; s: median seconds; misses: of %s, of %s. + and −: %s is faster or slower with p < %.2f: "+
			"%d times faster, %d times slower of %d in executions; %d and %d in seconds.",
			len(all[0][0]), other.Name, first, first, significant, c.wins, c.losses, len(goals), c.winsSeconds, c.lossesSeconds)}
		result.Tables = append(result.Tables, table)
		if n == 0 {
			result.Summary = map[string]float64{
				"targets": float64(len(goals)), "seeds": float64(len(all[0][0])),
				"wins": float64(c.wins), "losses": float64(c.losses),
				"winsSeconds": float64(c.winsSeconds), "lossesSeconds": float64(c.lossesSeconds),
				"medianRatio": harness.Median(c.ratios), "medianRatioSeconds": harness.Median(c.ratiosSeconds),
			}
		}
	}
	table := harness.Table{Title: "the analysis", Columns: []string{"schedule", "executions", "executions/s", "time in the analysis", "questions", "exhausted"}}
	for n, sc := range schedules {
		spent, cells := spending(sc.Name, all, n)
		table.Add(cells...)
		if n == 0 {
			result.Summary["analysisShare"], result.Summary["exhaustedShare"] = 100*spent.analysis(), 100*spent.exhausted()
		}
	}
	result.Tables = append(result.Tables, table)
	return result, nil
}

// spent sums up campaigns.
type spent struct {
	executions, seconds, analysisSeconds, questions, exhaustedQuestions float64
}

func (s *spent) analysis() float64 { return s.analysisSeconds / s.seconds }

func (s *spent) exhausted() float64 {
	if s.questions == 0 {
		return 0
	}
	return s.exhaustedQuestions / s.questions
}

// spending sums up what a schedule's campaigns did.
func spending(name string, all samples, n int) (spent, []string) {
	var sum spent
	for i := range all {
		for _, s := range all[i][n] {
			sum.executions += float64(s.Executions)
			sum.seconds += s.Seconds
			sum.analysisSeconds += s.Analysis
			sum.questions += float64(s.Questions)
			sum.exhaustedQuestions += float64(s.Exhausted)
		}
	}
	share, exhausted := "none", "none"
	if sum.questions > 0 {
		share, exhausted = harness.Percent(sum.analysis()), harness.Percent(sum.exhausted())
	}
	return sum, []string{name, harness.Number(sum.executions), harness.Number(sum.executions / sum.seconds), share, strings.TrimSuffix(harness.Number(sum.questions), "—"), exhausted}
}
