package fuzzer

import "slices"

// Sample is what a campaign had reached at one moment.
type Sample struct {
	Mark
	Paths    int // distinct path identifiers
	Blocks   int // distinct blocks entered
	Reached  int // targets
	Findings int
}

// maxSamples bounds the samples of a campaign: a chart as wide as a page shows no more.
const maxSamples = 120

// timeline samples a campaign at intervals of executions, not of time, so that the same
// executions give the same samples. Whenever there are too many, every other one is dropped and the
// interval grows as much, so that about half as many are left at least, however long the campaign takes.
type timeline struct {
	samples  []Sample
	interval uint64 // executions between two samples; 0: none was taken
}

// sample samples the campaign if the last sample is an interval ago.
func (c *Campaign) sample() {
	t := &c.timeline
	if n := len(t.samples); n > 0 && c.result.Stats.Executions < t.samples[n-1].Executions+t.interval {
		return
	}
	t.add(c.sampleNow())
}

// sampleNow is a sample of this moment.
func (c *Campaign) sampleNow() Sample {
	s := c.stats()
	return Sample{Mark: c.now(), Paths: s.Paths, Blocks: s.Blocks, Reached: s.Reached, Findings: s.Findings}
}

// add adds a sample. If there are too many, every other one is dropped, but the last.
func (t *timeline) add(s Sample) {
	t.interval = max(t.interval, 1)
	if len(t.samples) == maxSamples-1 { // one is left for the end
		kept := t.samples[:0]
		for i, s := range t.samples {
			if i%2 == 0 {
				kept = append(kept, s)
			}
		}
		t.samples = kept
		// Batches of executions may be longer than the interval was.
		t.interval = max(2*t.interval, kept[len(kept)-1].Executions/uint64(len(kept)))
	}
	t.samples = append(t.samples, s)
}

// closeTimeline returns the samples, the last of which is of this moment.
func (c *Campaign) closeTimeline() []Sample {
	samples := c.timeline.samples
	last := c.sampleNow()
	if n := len(samples); n > 0 && samples[n-1].Executions == last.Executions {
		samples = samples[:n-1]
	}
	return append(slices.Clone(samples), last) // the campaign may go on
}
