package main

import (
	"fmt"
	"math"

	"github.com/sightline-evm/sightline/bench/internal/harness"
)

// significant is the level of Harvey's tables.
const significant = 0.05

// tally sums up one technique over the subjects of a kind.
type tally struct {
	better, worse int // significantly
	logs          float64
	logsSeconds   float64
	subjects      int
	misses        [2]int // with it, without it
}

// add counts a comparison of without and with, where less is better.
func (t *tally) add(executions, seconds harness.Test) {
	t.subjects++
	t.logs += math.Log(executions.Ratio)
	t.logsSeconds += math.Log(seconds.Ratio)
	t.judge(executions.P, executions.A12)
}

// judge counts a significant difference; a12 above one half is in favor of the
// technique.
func (t *tally) judge(p, a12 float64) {
	switch {
	case !(p < significant):
	case a12 > 0.5:
		t.better++
	default:
		t.worse++
	}
}

// speedup is the geometric mean of the ratios.
func (t *tally) speedup() float64 { return math.Exp(t.logs / float64(t.subjects)) }

func (t *tally) speedupSeconds() float64 { return math.Exp(t.logsSeconds / float64(t.subjects)) }

// shares are what is covered without a technique, of what is covered with it.
type shares struct{ branches, instructions, subjects float64 }

// pair gives a subject's samples with a contender's technique, and without.
func pair(c *contender, first, other []sample) (with, without []sample) {
	if c.added() {
		return other, first
	}
	return first, other
}

// report compares every contender with the first.
func report(subjects []*subject, contenders []contender, samples [][][]sample) *harness.Result {
	result := &harness.Result{Summary: map[string]float64{"subjects": float64(len(subjects)), "seeds": float64(len(samples[0][0]))}}
	overview := harness.Table{Title: "what each technique is worth", Columns: []string{"technique", "T to cover", "s to cover", "+ −", "branches", "instructions", "+ −",
		"T to targets", "s", "misses", "+ −", "T to assertions", "s", "misses", "+ −"}}
	overview.Notes = append(overview.Notes, "T and s are geometric means, over the subjects, of the median executions and seconds without the technique divided by those with "+
		"it: above 1 it helps. Branches and instructions are what is covered without it, of what is with it. + and −: on how many subjects it is "+
		"significantly better or worse (Mann-Whitney U, p < 0.05, in executions, or in branch sides). Misses: with it, without it, of all campaigns.")
	for c := 1; c < len(contenders); c++ {
		var cover, reach, assert, sides tally
		var share shares
		table := harness.Table{Title: title(&contenders[c]), Columns: []string{"subject", "T with", "T without", "ratio", "p", "A12", "misses", "s with", "s without",
			"sides with", "without", "p", "A12", "instructions with", "without", "p", "A12"}}
		for i, s := range subjects {
			with, without := pair(&contenders[c], samples[i][0], samples[i][c])
			if s.kind == covering {
				table.Add(coverRow(s, level(samples[i]), with, without, &cover, &sides, &share)...)
				continue
			}
			t := &reach
			if s.kind == asserting {
				t = &assert
			}
			table.Add(timeRow(s, with, without, t)...)
		}
		result.Tables = append(result.Tables, table)
		overview.Add(summarize(result.Summary, contenders[c].name, &cover, &sides, &share, &reach, &assert)...)
	}
	result.Tables = append(result.Tables, overview)
	return result
}

// title of a technique's own table.
func title(c *contender) string {
	if c.added() {
		return c.name + " (not used by the product)"
	}
	return c.name
}

// level is how many branch sides every campaign on a subject has covered.
func level(all [][]sample) int {
	least := math.MaxInt
	for _, list := range all {
		for i := range list {
			least = min(least, len(list[i].sides))
		}
	}
	return least
}

// summarize adds a technique's figures to the summary, and returns its row.
func summarize(summary map[string]float64, name string, cover, sides *tally, share *shares, reach, assert *tally) []string {
	row := []string{name}
	signs := func(t *tally) string { return fmt.Sprintf("%d %d", t.better, t.worse) }
	put := func(key string, v float64) { summary[name+"."+key] = v }
	if cover.subjects > 0 {
		branches, instructions := 100*share.branches/share.subjects, 100*share.instructions/share.subjects
		put("coverSpeedup", cover.speedup())
		put("branchShare", branches)
		put("instructionShare", instructions)
		row = append(row, ratio(cover.speedup()), ratio(cover.speedupSeconds()), signs(cover), fmt.Sprintf("%.1f %%", branches), fmt.Sprintf("%.1f %%", instructions), signs(sides))
	} else {
		row = append(row, "", "", "", "", "", "")
	}
	for _, t := range []struct {
		key string
		*tally
	}{{"targetSpeedup", reach}, {"assertionSpeedup", assert}} {
		if t.subjects == 0 {
			row = append(row, "", "", "", "")
			continue
		}
		put(t.key, t.speedup())
		row = append(row, ratio(t.speedup()), ratio(t.speedupSeconds()), fmt.Sprintf("%d, %d", t.misses[0], t.misses[1]), signs(t.tally))
	}
	put("better", float64(cover.better+sides.better+reach.better+assert.better))
	put("worse", float64(cover.worse+sides.worse+reach.worse+assert.worse))
	return row
}

// coverRow compares coverage (the columns of Harvey's Table 3) and the time to cover.
func coverRow(s *subject, level int, with, without []sample, cover, sides *tally, share *shares) []string {
	var executions, seconds, covered, instructions [2][]float64
	for k, list := range [][]sample{with, without} {
		for i := range list {
			at := list[i].sides[level-1]
			executions[k], seconds[k] = append(executions[k], at.executions), append(seconds[k], at.seconds)
			covered[k], instructions[k] = append(covered[k], float64(len(list[i].sides))), append(instructions[k], list[i].instructions)
		}
	}
	t, ts := harness.Compare(executions[1], executions[0]), harness.Compare(seconds[1], seconds[0])
	cover.add(t, ts)
	b, n := harness.Compare(covered[0], covered[1]), harness.Compare(instructions[0], instructions[1])
	sides.judge(b.P, b.A12)
	share.subjects++
	share.branches += 1 / b.Ratio
	share.instructions += 1 / n.Ratio
	return append(timeCells(s.name, executions, seconds, t, ""),
		harness.Number(harness.Median(covered[0])), harness.Number(harness.Median(covered[1])), probability(b), effect(b),
		harness.Number(harness.Median(instructions[0])), harness.Number(harness.Median(instructions[1])), probability(n), effect(n))
}

// timeRow compares the time to a target or an assertion (the columns of Harvey's
// Tables 2 and 4).
func timeRow(s *subject, with, without []sample, sum *tally) []string {
	var executions, seconds [2][]float64
	var misses [2]int
	for k, list := range [][]sample{with, without} {
		for i := range list {
			executions[k], seconds[k] = append(executions[k], list[i].executions), append(seconds[k], list[i].seconds)
			if !list[i].found {
				misses[k]++
			}
		}
		sum.misses[k] += misses[k]
	}
	t := harness.Compare(executions[1], executions[0])
	sum.add(t, harness.Compare(seconds[1], seconds[0]))
	missed := ""
	if misses != [2]int{} {
		missed = fmt.Sprintf("%d, %d", misses[0], misses[1])
	}
	return timeCells(s.name, executions, seconds, t, missed)
}

func timeCells(name string, executions, seconds [2][]float64, t harness.Test, missed string) []string {
	return []string{name, harness.Number(harness.Median(executions[0])), harness.Number(harness.Median(executions[1])), ratio(t.Ratio), probability(t), effect(t), missed,
		harness.Number(harness.Median(seconds[0])), harness.Number(harness.Median(seconds[1]))}
}

func ratio(v float64) string            { return fmt.Sprintf("%.2f", v) }
func probability(t harness.Test) string { return fmt.Sprintf("%.3f", t.P) }
func effect(t harness.Test) string      { return fmt.Sprintf("%.2f", t.A12) }
