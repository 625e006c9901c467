package fuzzer

import (
	"context"
	"errors"
	"slices"
)

// resumes tidies once all workers are idle, and reports whether there was anything: then the search may go on.
func (c *Campaign) resumes(ctx context.Context) bool {
	if !c.tidy(ctx) {
		return false
	}
	c.result.Stopped = "" // said again if it is so
	return true
}

// conclude confirms and minimizes what is left when the campaign is over, and completes its result.
func (c *Campaign) conclude(ctx context.Context) *Result {
	c.reportUnpassed(ctx)
	c.closeDocket(ctx)
	c.tidy(ctx)
	return c.finish()
}

// finish completes the result once all workers are idle, and trims the corpus unless the
// campaign was canceled.
func (c *Campaign) finish() *Result {
	if c.Corpus != nil && c.result.Stopped != Canceled {
		var err error
		if c.Corpus.Withhold {
			err = c.Corpus.clear(c.Space, c.breaks)
		}
		if err = errors.Join(err, c.Corpus.Trim(c.Space, c.judge)); err != nil {
			c.result.Notes = append(c.result.Notes, err.Error())
		}
	}
	c.dropChosen()
	c.dropPresumed()
	c.findStops()
	c.result = *c.soFar()
	return &c.result
}

// dropChosen drops findings in contracts that the sequence deploys with arguments of its own
// choice, where the same happens otherwise.
func (c *Campaign) dropChosen() {
	c.result.Findings = slices.DeleteFunc(c.result.Findings, func(f *Finding) bool {
		return f.Chosen && c.reported.has(findingKey{oracle: f.Oracle.ID, at: f.Location, severity: f.Severity}, true)
	})
}

// dropPresumed drops findings that presume a call in the name of a contract, where the same happens without. Sequences are minimized: some
// do without it by now.
func (c *Campaign) dropPresumed() {
	var list []*Finding
	for _, f := range c.result.Findings {
		i := slices.IndexFunc(list, f.SamePlace)
		switch {
		case i < 0:
			list = append(list, f)
		case f.Outdoes(list[i], c.Space):
			list[i] = f
		}
	}
	c.result.Findings = list
}
