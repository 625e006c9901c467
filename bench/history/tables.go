package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/internal/human"
)

// verdicts are the columns of the table; another verdict gets one of its own.
var verdicts = []string{"pass", "fail", "warning", "skipped", "error"}

// String is an outcome in one line, for the progress.
func (o *outcome) String() string {
	text := fmt.Sprintf("%s: %s", o.Verdict, brief(o.Reason, 300))
	if o.Cold != nil {
		text += fmt.Sprintf("; %d of %d lines; first call after %.1f s, %.1f of them compiling; %.0f MB", o.Reached, o.Lines, o.Cold.FirstCall, o.Cold.Compiling, o.Cold.Memory/1e6)
	}
	if o.Warm != nil {
		text += fmt.Sprintf("; warm %.1f s, %.1f compiling", o.Warm.FirstCall, o.Warm.Compiling)
	}
	if o.Forge != "" {
		text += fmt.Sprintf("; forge reaches %d of %d, we %d (%s)", o.ForgeReached, o.Counted, o.BothCounted, brief(o.Forge, 200))
	}
	said := map[string]int{}
	for _, c := range o.Claims {
		said[c.Said]++
	}
	for _, word := range []string{confirmed, falseAlarm, otherwise, broken, notRun} {
		if said[word] > 0 {
			text += fmt.Sprintf("; %d tests %s", said[word], word)
		}
	}
	if n := len(o.Silent); n > 0 {
		text += fmt.Sprintf("; %s silent", human.Plural(n, "line"))
	}
	return text
}

// brief is the beginning of a text in one line.
func brief(text string, most int) string {
	return human.Clean(strings.Join(strings.Fields(text), " "), most)
}

// tables sums up all outcomes.
func tables(done []*outcome) *harness.Result {
	shown := slices.Clone(verdicts)
	var names []string
	for _, o := range done {
		if !slices.Contains(shown, o.Verdict) {
			shown = append(shown, o.Verdict)
		}
		if !slices.Contains(names, o.Repository) {
			names = append(names, o.Repository)
		}
	}
	all := harness.Table{Title: "verdicts", Columns: slices.Concat([]string{"repository", "commits"}, shown, []string{"gating findings", "confirmed", "false alarms", "not run", "silent greens"})}
	lines := harness.Table{Title: "changed lines of contracts that ship", Columns: []string{"repository", "with code", "executed", "share", "commits that forge measures",
		"lines that forge counts", "forge's tests", "Sightline", "only forge's tests"},
		Notes: []string{"Lines that forge counts: without those where functions are declared."}}
	times := harness.Table{Title: "time and memory", Columns: []string{"repository", "campaigns", "first call s", "of these compiling", "warm s", "of these compiling", "most MB", "most MB of the process"},
		Notes: []string{"Medians in seconds from the start of the process. MB: the most that the process and its children held at once."}}
	exports := harness.Table{Title: "exported tests under forge", Columns: []string{"repository", "tests", "confirmed", "otherwise", "do not compile", "not run"}}
	total := map[string]float64{}
	for _, name := range append(names, "all") {
		own := slices.DeleteFunc(slices.Clone(done), func(o *outcome) bool { return name != "all" && o.Repository != name })
		all.Add(verdictRow(name, own, shown, total)...)
		lines.Add(lineRow(name, own, total)...)
		times.Add(timeRow(name, own, total)...)
		exports.Add(exportRow(name, own, total)...)
	}
	troubles := harness.Table{Title: "what went wrong", Columns: []string{"repository", "commit", "what"}}
	for _, o := range done {
		for _, text := range o.troubles() {
			troubles.Add(o.Repository, o.Commit[:8], text)
		}
	}
	total["medianNotes"] = medianNotes(done)
	return &harness.Result{Summary: total, Tables: []harness.Table{all, lines, times, exports, oracleTable(done), troubles}}
}

// troubles are what a reader should look at.
func (o *outcome) troubles() []string {
	var list []string
	if o.Verdict == "error" || o.Verdict == "none" {
		list = append(list, brief(o.Reason, 200))
	}
	for _, c := range o.Claims {
		if c.Said != confirmed && (c.Gates || c.Said != notRun) {
			list = append(list, brief(c.Said+": "+c.Of+": "+c.Reason, 300))
		}
	}
	if len(o.Silent) > 0 {
		list = append(list, "silent: "+strings.Join(o.Silent, ", "))
	}
	return list
}

func verdictRow(name string, own []*outcome, shown []string, total map[string]float64) []string {
	row := []string{name, strconv.Itoa(len(own))}
	for _, v := range shown {
		n := 0
		for _, o := range own {
			if o.Verdict == v {
				n++
			}
		}
		row = append(row, strconv.Itoa(n))
	}
	gating, said, silent := 0, map[string]int{}, 0
	for _, o := range own {
		for _, c := range o.Claims {
			if c.Gates {
				gating++
				said[c.Said]++
			}
		}
		if len(o.Silent) > 0 {
			silent++
		}
	}
	total["commits"], total["falseAlarms"], total["silent"] = float64(len(own)), float64(said[falseAlarm]), float64(silent)
	return append(row, strconv.Itoa(gating), strconv.Itoa(said[confirmed]), strconv.Itoa(said[falseAlarm]), strconv.Itoa(said[notRun]+said[broken]), strconv.Itoa(silent))
}

func lineRow(name string, own []*outcome, total map[string]float64) []string {
	var sum outcome
	measured := 0
	for _, o := range own {
		sum.Lines += o.Lines
		sum.Reached += o.Reached
		sum.Counted += o.Counted
		sum.ForgeReached += o.ForgeReached
		sum.BothCounted += o.BothCounted
		sum.Missed = append(sum.Missed, o.Missed...)
		if strings.Contains(o.Forge, " passed, ") {
			measured++
		}
	}
	share := func(n, of int) string {
		if of == 0 {
			return ""
		}
		return harness.Percent(float64(n) / float64(of))
	}
	if sum.Lines > 0 {
		total["executedShare"] = float64(sum.Reached) / float64(sum.Lines)
	}
	return []string{name, strconv.Itoa(sum.Lines), strconv.Itoa(sum.Reached), share(sum.Reached, sum.Lines), strconv.Itoa(measured),
		strconv.Itoa(sum.Counted), share(sum.ForgeReached, sum.Counted), share(sum.BothCounted, sum.Counted), strconv.Itoa(len(sum.Missed))}
}

func timeRow(name string, own []*outcome, total map[string]float64) []string {
	var cold, coldCompiling, warm, warmCompiling []float64
	memory, process := 0.0, 0.0
	for _, o := range own {
		if o.Cold == nil {
			continue
		}
		memory, process = max(memory, o.Cold.Memory), max(process, o.Cold.Own)
		if o.Cold.FirstCall > 0 {
			cold, coldCompiling = append(cold, o.Cold.FirstCall), append(coldCompiling, o.Cold.Compiling)
		}
		if o.Warm != nil && o.Warm.FirstCall > 0 {
			warm, warmCompiling = append(warm, o.Warm.FirstCall), append(warmCompiling, o.Warm.Compiling)
		}
	}
	median := func(key string, list []float64) string {
		if len(list) == 0 {
			return ""
		}
		if key != "" {
			total[key] = harness.Median(list)
		}
		return harness.Number(harness.Median(list))
	}
	return []string{name, strconv.Itoa(len(cold)), median("firstCallCold", cold), median("", coldCompiling), median("firstCallWarm", warm), median("", warmCompiling),
		harness.Number(memory / 1e6), harness.Number(process / 1e6)}
}

func exportRow(name string, own []*outcome, total map[string]float64) []string {
	said, n := map[string]int{}, 0
	for _, o := range own {
		for _, c := range o.Claims {
			n++
			said[c.Said]++
		}
	}
	if ran := n - said[notRun]; ran > 0 {
		total["exportedConfirmed"] = float64(said[confirmed]) / float64(ran)
	}
	return []string{name, strconv.Itoa(n), strconv.Itoa(said[confirmed]), strconv.Itoa(said[otherwise] + said[falseAlarm]), strconv.Itoa(said[broken]), strconv.Itoa(said[notRun])}
}
