package fuzzer

import "slices"

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
	if !slices.ContainsFunc(c.docket.findings, func(o failure) bool { return o.seen.key() == seen.key() && o.seen.presumed == seen.presumed }) {
		c.docket.findings = append(c.docket.findings, failure{seen, *d})
	}
}
