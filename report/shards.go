package report

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// Shards says that several machines fuzzed, or that the one that did so did not come to its end.
type Shards struct {
	Of       int     `json:"of"`                // that the campaign has
	Complete int     `json:"complete"`          // that came to their end
	Missing  []int   `json:"missing,omitempty"` // that left nothing, from 0
	Partial  []int   `json:"partial,omitempty"` // that were killed or canceled: what they found until then counts
	Quorum   float64 `json:"quorum"`            // the share of Of, from 0 to 1, that Complete must be for a pass
}

// incomplete reports whether some shards did not come to their end.
func (s *Shards) incomplete() bool { return s != nil && s.Complete < s.Of }

// starved reports whether too few shards came to their end for a pass.
func (s *Shards) starved() bool { return s != nil && float64(s.Complete) < s.Quorum*float64(s.Of) }

// String is "7 of 8 shards".
func (s *Shards) String() string {
	return fmt.Sprintf("%d of %s", s.Complete, human.Plural(s.Of, "shard"))
}

// DescribeShards says which shards did not come to their end; empty where all did, or one machine fuzzed.
func (r *Report) DescribeShards() string {
	s := r.Shards
	if !s.incomplete() {
		return ""
	}
	var parts []string
	if len(s.Missing) > 0 {
		parts = append(parts, shardNumbers(s.Missing)+" left nothing")
	}
	if len(s.Partial) > 0 {
		parts = append(parts, shardNumbers(s.Partial)+" did not come to an end, and counts as far as it came")
		if len(s.Partial) > 1 {
			parts[len(parts)-1] = shardNumbers(s.Partial) + " did not come to their end, and count as far as they came"
		}
	}
	return s.String() + ": " + strings.Join(parts, "; ")
}

// shardNumbers is "shard 3", "shards 3, 5 and 1 more".
func shardNumbers(shards []int) string {
	const most = 8 // arbitrary
	word := "shard "
	if len(shards) > 1 {
		word = "shards "
	}
	var names []string
	for _, i := range shards[:min(len(shards), most)] {
		names = append(names, fmt.Sprint(i))
	}
	return word + strings.Join(names, ", ") + human.More(len(shards)-len(names))
}

// shards writes which shards are missing.
func (p *page) shards() {
	if said := p.r.DescribeShards(); said != "" && !strings.HasPrefix(p.r.Reason, said) { // the reason is shown, too
		p.line("%s.\n", said)
	}
}
