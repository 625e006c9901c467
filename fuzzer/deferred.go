package fuzzer

import (
	"context"
	"slices"
)

// docket holds what the judge has yet to confirm. It takes ten times as long for a call as
// the workers' machine, a tenth of a second for one that burns all its gas: what heavy calls
// showed waits until the judge may spend that much.
type docket struct {
	judged   uint64 // work of the judge, in that of the workers' machine
	findings []failure
	targets  []deferredHit
	dropped  int // findings that were not confirmed, since there were too many
}

// deferredHit is a target that a heavy execution reached.
type deferredHit struct {
	hit       hit
	discovery discovery
}

const (
	// judgeFactor: the judge takes so many times as long (measured: 3 to 12).
	judgeFactor = 10
	// judgeShare: the judge may spend one part in so many of the campaign's work on what
	// heavy calls showed, beyond heavyGrant. Arbitrary.
	judgeShare = 8
	// probingWork bounds the minimizer's work for what a heavy call showed: about two
	// seconds. Arbitrary.
	probingWork = 1 << 26
	// maxDeferred bounds the findings of heavy calls that are confirmed once the campaign
	// is over: half a minute's work. Arbitrary.
	maxDeferred = 32
)

// affordsJudging reports whether the judge may run a sequence of so much work now.
func (c *Campaign) affordsJudging(work uint64) bool {
	return work < heavyWork || c.judged+work*judgeFactor <= heavyGrant+c.work/judgeShare
}

// probes is the number of the minimizer's probes for a sequence of so much work.
func probes(most int, work uint64) int {
	if work < heavyWork {
		return most
	}
	return int(min(uint64(most), probingWork/(judgeFactor*work)))
}

// confirmDeferred confirms what the judge may spend its work on now: findings first.
func (c *Campaign) confirmDeferred(ctx context.Context) {
	if len(c.docket.findings) == 0 && len(c.docket.targets) == 0 {
		return
	}
	findings, targets := c.docket.findings, c.docket.targets
	c.docket.findings, c.docket.targets = nil, nil // those that still have to wait come again
	for i := range findings {
		c.confirmFinding(ctx, findings[i].seen, &findings[i].discovery)
	}
	for i := range targets {
		c.confirmTarget(targets[i].hit, &targets[i].discovery, &proof{})
	}
}

// closeDocket confirms the findings that are left once the campaign is over, whatever that
// takes, but no more than a bound; and targets as far as the judge may.
func (c *Campaign) closeDocket(ctx context.Context) {
	findings := c.docket.findings
	c.docket.findings = nil
	for i := range findings {
		if i == maxDeferred {
			c.docket.dropped = len(findings) - i
			break
		}
		c.docket.judged = 0
		c.confirmFinding(ctx, findings[i].seen, &findings[i].discovery)
	}
	c.docket.judged = 0
	c.confirmDeferred(ctx)
}

// deferHit keeps a hit for later, unless another one of the target's is kept that says as much.
func (c *Campaign) deferHit(h hit, d *discovery) {
	if !slices.ContainsFunc(c.docket.targets, func(o deferredHit) bool {
		return o.hit.target == h.target && (o.hit.kept || !h.kept)
	}) {
		c.docket.targets = append(c.docket.targets, deferredHit{h, *d})
	}
}

// deferFinding keeps what an oracle saw for later.
func (c *Campaign) deferFinding(seen observation, d *discovery) {
	if !slices.ContainsFunc(c.docket.findings, func(o failure) bool { return o.seen.key() == seen.key() }) {
		c.docket.findings = append(c.docket.findings, failure{seen, *d})
	}
}
