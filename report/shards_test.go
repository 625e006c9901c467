package report

import "testing"

// TestShards: what is said of shards, and when a pass is an error for want of them.
func TestShards(t *testing.T) {
	for _, c := range []struct {
		shards          *Shards
		said, verdict   string
		reason          string
		doubtful, fails bool
	}{
		{nil, "", Pass, "1 of 1 changed line reached, nothing broke", false, false},
		{&Shards{Of: 8, Complete: 8, Quorum: 1}, "", Pass, "1 of 1 changed line reached, nothing broke", false, false},
		{&Shards{Of: 8, Complete: 7, Missing: []int{2}, Quorum: 0.5}, "7 of 8 shards: shard 2 left nothing", Pass, "1 of 1 changed line reached, nothing broke, by 7 of 8 shards", true, false},
		{&Shards{Of: 2, Complete: 1, Partial: []int{0}, Quorum: 0.5}, "1 of 2 shards: shard 0 did not come to an end, and counts as far as it came", Pass, "1 of 1 changed line reached, nothing broke, by 1 of 2 shards", true, false},
		{&Shards{Of: 1, Partial: []int{0}, Quorum: 0.5}, "0 of 1 shard: shard 0 did not come to an end, and counts as far as it came", Error,
			"0 of 1 shard: shard 0 did not come to an end, and counts as far as it came; a pass needs 50 % of them (--quorum)", false, false},
		{&Shards{Of: 8, Complete: 3, Missing: []int{0, 1}, Partial: []int{4, 6, 7}, Quorum: 0.5}, "3 of 8 shards: shards 0, 1 left nothing; shards 4, 6, 7 did not come to their end, and count as far as they came", Error,
			"3 of 8 shards: shards 0, 1 left nothing; shards 4, 6, 7 did not come to their end, and count as far as they came; a pass needs 50 % of them (--quorum)", false, false},
		{&Shards{Of: 20, Missing: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}}, "0 of 20 shards: shards 0, 1, 2, 3, 4, 5, 6, 7 and 12 more left nothing", Pass,
			"1 of 1 changed line reached, nothing broke, by 0 of 20 shards", true, false},
		{&Shards{Of: 8, Complete: 1, Missing: []int{1, 2, 3, 4, 5, 6, 7}, Quorum: 1}, "1 of 8 shards: shards 1, 2, 3, 4, 5, 6, 7 left nothing", Fail, "1 introduced finding at or above high", false, true},
	} {
		r := &Report{FailOn: "high", Lines: []Line{{File: "a.sol", Line: 1, Status: Reached}}, Stats: Stats{Executions: 9_000, Calls: 9_000}, Shards: c.shards}
		if c.fails {
			r.Findings = []Finding{{Severity: "high", Comparison: Introduced}}
		}
		Decide(r)
		if said := r.DescribeShards(); said != c.said || r.Verdict != c.verdict || r.Reason != c.reason || r.Doubtful() != c.doubtful {
			t.Errorf("%+v: %q, %s (%s), doubtful %v; want %q, %s (%s), %v", c.shards, said, r.Verdict, r.Reason, r.Doubtful(), c.said, c.verdict, c.reason, c.doubtful)
		}
	}
}
