package sarif

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Limits of what GitHub keeps of a file. It accepts more (see the package comment), and
// drops the excess.
const (
	MaxResults       = 5_000
	MaxLocations     = 100   // related locations of a result
	MaxFlowLocations = 1_000 // steps of a result, over its code flows
	MaxTags          = 10
	MaxDescription   = 1_024 // characters
	MaxName          = 255   // characters
	MaxGzip          = 10_000_000
)

// Encode cuts the log to what GitHub keeps, and writes it as indented JSON. A notification
// says what was cut. Encode changes the log.
func Encode(log *Log) ([]byte, error) { return encodeWithin(log, MaxGzip) }

// encodeWithin is Encode with a limit of size, in bytes after gzip.
func encodeWithin(log *Log, size int) ([]byte, error) {
	for _, run := range log.Runs {
		run.limit()
	}
	for {
		data, err := encode(log)
		if err != nil {
			return nil, err
		}
		zipped, err := gzipSize(data)
		if err != nil || zipped <= size {
			return data, err
		}
		shrunk := false
		for _, run := range log.Runs {
			shrunk = run.shrink() || shrunk
		}
		if !shrunk {
			return nil, fmt.Errorf("sarif: no results are left to drop and the file is still above %d bytes gzipped", size)
		}
	}
}

// limit cuts the run to what GitHub keeps.
func (r *Run) limit() {
	for i := range r.Tool.Driver.Rules {
		rule := &r.Tool.Driver.Rules[i]
		rule.Name = cut(rule.Name, MaxName)
		rule.ShortDescription.Text = cut(rule.ShortDescription.Text, MaxDescription)
		rule.FullDescription.Text = cut(rule.FullDescription.Text, MaxDescription)
		if tags := rule.Properties.Tags; len(tags) > MaxTags {
			rule.Properties.Tags = tags[:MaxTags]
		}
	}
	r.keepResults(MaxResults)
	shortened := 0
	for i := range r.Results {
		if r.Results[i].limit() {
			shortened++
		}
	}
	if shortened > 0 {
		r.Notify(Warning, fmt.Sprintf("%d results have more steps or places than GitHub keeps; they are cut.", shortened))
	}
}

// limit cuts the result to what GitHub keeps, and reports whether it had to.
func (res *Result) limit() bool {
	shortened := false
	if len(res.RelatedLocations) > MaxLocations {
		res.RelatedLocations = res.RelatedLocations[:MaxLocations]
		shortened = true
	}
	left := MaxFlowLocations
	for i := range res.CodeFlows {
		flow := &res.CodeFlows[i].ThreadFlows[0]
		if left == 0 {
			res.CodeFlows = res.CodeFlows[:i]
			return true
		}
		if len(flow.Locations) > left {
			flow.Locations = flow.Locations[:left]
			shortened = true
		}
		left -= len(flow.Locations)
	}
	return shortened
}

// keepResults keeps the n most severe results, in their order.
func (r *Run) keepResults(n int) {
	total := len(r.Results)
	if total <= n {
		return
	}
	order := make([]int, total)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(rank(r.Results[a].Level), rank(r.Results[b].Level))
	})
	order = order[:n]
	slices.Sort(order)
	kept := make([]Result, n)
	for i, from := range order {
		kept[i] = r.Results[from]
	}
	r.Results = kept
	r.Notify(Warning, fmt.Sprintf("%d of %d results are left out, the least severe ones: GitHub keeps no more.", total-n, total))
}

// shrink makes the run smaller: it drops the code flows first, then half of the results.
// It reports whether there was anything to drop.
func (r *Run) shrink() bool {
	dropped := false
	for i := range r.Results {
		dropped = dropped || len(r.Results[i].CodeFlows) > 0
		r.Results[i].CodeFlows = nil
	}
	if dropped {
		r.Notify(Warning, "The steps of all results are left out: the file was larger than GitHub takes.")
		return true
	}
	if len(r.Results) == 0 {
		return false
	}
	r.keepResults(len(r.Results) / 2)
	return true
}

// rank orders levels, the most severe first.
func rank(level string) int {
	switch level {
	case Error:
		return 0
	case Warning:
		return 1
	}
	return 2
}

// cut shortens s to n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:n-1]) + "…"
}

// gzipSize is the size of data after gzip, in bytes.
func gzipSize(data []byte) (int, error) {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(data); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return buf.Len(), nil
}
