package pipeline

import (
	"errors"
	"io/fs"

	"github.com/sightline-evm/sightline/internal/human"
)

// readSeeds reads the corpora of other fuzzers, which the campaign runs as it runs saved inputs.
func (r *run) readSeeds() {
	for i := range r.o.Campaign.Seeds {
		s := &r.o.Campaign.Seeds[i]
		name := human.Printable(s.Name)
		if s.Config != "" {
			name += ", which " + s.Config + " names"
		}
		reading, err := s.Read(r.head.Deployment.Space)
		switch {
		case s.Config != "" && errors.Is(err, fs.ErrNotExist):
			r.o.Log.Line("seeds   %s: it is not there", name)
			continue
		case err != nil:
			r.o.Log.Warn("no seeds were read from %s: %v", name, err)
			continue
		case reading.Of == 0:
			r.o.Log.Warn("no seeds were read from %s: it has no sequences of Echidna, Medusa or forge", name)
			continue
		}
		r.o.Log.Line("seeds   %s: %s", name, reading.Describe())
		r.config.Given = append(r.config.Given, reading.Sequences...)
	}
	calls := 0
	for i, seq := range r.config.Given { // what they break on the base is not new
		if calls += len(seq); i == maxCompared || calls > maxComparedCalls {
			break
		}
		r.saved = append(r.saved, seq)
	}
}

// Bounds of the seeds that are run on the base as well, which no share of the budget bounds. The
// sequences are as many as fuzzer.Corpus.Trim keeps; of the calls, each has 16 then. Arbitrary.
const (
	maxCompared      = 4096
	maxComparedCalls = 16 * maxCompared
)
