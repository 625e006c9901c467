package fuzzer

import (
	"context"
	"math/bits"
	"slices"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Exchange connects a campaign with others that have the same World, build and targets. Its methods are called on the
// campaign's goroutine, and must not block.
type Exchange interface {
	// Offer hands on an input that showed something new here. No oracle sees anything in it.
	Offer(Offer)
	// Receive returns inputs of others that are to be tried now, at most limit; executions counts those so far. None of
	// them is trusted: what is not valid in the campaign's Space is refused, and what shows nothing new here is not kept.
	Receive(executions uint64, limit int) []input.Sequence
}

// Offer is an input that showed something new.
type Offer struct {
	Sequence   input.Sequence
	Why        OfferReason
	Target     int             // index into Config.Targets of the one that was reached; −1: none was
	Path       bytecode.PathID // of the sequence that was found; Sequence may be a shorter one
	Executions uint64          // of the campaign so far
}

// OfferReason is what an offered input showed, the most valuable first: what waits is offered in this order.
type OfferReason uint8

// The reasons.
const (
	OfferTarget OfferReason = iota // it reaches a target, on the reference
	OfferState                     // it is the first of its LID to change state
	OfferPath                      // it has a new LID, enters a new block or takes a new branch side
	OfferNear                      // it is nearest to an untaken side of a branch with a target ahead, see Config.OfferNear
	offerReasons
)

var offerWords = [offerReasons]string{"target", "state", "path", "near"}

func (r OfferReason) String() string {
	if r < offerReasons {
		return offerWords[r]
	}
	return "unknown"
}

// ExchangeStats count what a campaign exchanged.
type ExchangeStats struct {
	Offered  uint64 // inputs that were handed on
	Withheld uint64 // inputs that were not, since an oracle sees something in them
	Received uint64 // inputs of others that were run
	Refused  uint64 // inputs of others that were not: no sequence of the Space, or too expensive
	Admitted uint64 // executions of those that showed a path, target, block or branch side that was new here
	Targets  int    // targets that an input of others reached
}

// traffic is what a campaign exchanges.
type traffic struct {
	stats   ExchangeStats
	waiting [offerReasons][]waitingOffer
	nearest map[branchSide]int // the bits of the distance when an input near to it was last offered
	checked uint64             // executions of the judge that looked for what oracles see in offers

	received []input.Sequence // not yet run
	running  uint64           // in tasks that were not merged
	ran      uint64           // executions of tasks that ran inputs of others
	work     uint64           // of these
}

// waitingOffer is an offer that was not looked at by the judge.
type waitingOffer struct {
	Offer
	side branchSide // of OfferNear
	work uint64     // of all calls
}

const (
	// receivedShare: inputs of others get one execution in so many, beyond receivedFloor, which lets a campaign that joins catch
	// up: about 10 ms. One in a hundred is what 64 workers that share 20 inputs a second each cannot fill usefully; arbitrary.
	receivedShare = 100
	receivedFloor = 256
	// receivedWork: they get one part in so many of the work, beyond receivedGrant: who sends calls that burn all gas takes no more.
	// Honest inputs are as heavy as the campaign's own, so that it is five times their share of the executions; arbitrary.
	receivedWork  = 20
	receivedGrant = heavyGrant
	// receivedOfTask is how many are one task: a few, so that one that costs much is noticed.
	receivedOfTask = savedOfTask

	// checkShare: the judge looks at offers for one execution in so many, beyond checkFloor. It is ten times as slow as a worker
	// and follows values, so this is a few percent of the time, and 10 to 30 inputs a second. Arbitrary.
	checkShare = 1000
	checkFloor = 128
	// maxWaiting bounds the offers of one reason that wait for the judge: beyond it the oldest go. Arbitrary.
	maxWaiting = 128
)

// receivedTask is a task that runs inputs of others; false: there are none, or they have had their share.
func (c *Campaign) receivedTask() (task, bool) {
	if c.Exchange == nil {
		return task{}, false
	}
	x := &c.traffic
	if x.work > c.ration.work/receivedWork+receivedGrant {
		return task{}, false
	}
	executions := c.result.Stats.Executions
	most := executions/receivedShare + receivedFloor
	if x.ran+x.running >= most {
		return task{}, false
	}
	limit := int(min(most-x.ran-x.running, receivedOfTask))
	if len(x.received) == 0 {
		for i, seq := range c.Exchange.Receive(executions, limit) {
			if i >= limit || len(seq) == 0 || c.Space.Validate(seq) != nil {
				x.stats.Refused++
				continue
			}
			x.received = append(x.received, seq.Clone())
		}
	}
	if len(x.received) == 0 {
		return task{}, false
	}
	limit = min(limit, len(x.received))
	t := task{run: x.received[:limit:limit], received: true, sounding: c.exhausted()}
	x.received = x.received[limit:]
	x.running += uint64(limit)
	return t, true
}

// mergeReceived counts what inputs of others took, and keeps those that were not run.
func (c *Campaign) mergeReceived(b *batch) {
	x := &c.traffic
	x.running -= uint64(len(b.task.run))
	x.ran += b.executions
	x.work += b.work
	x.stats.Received += uint64(len(b.task.run) - len(b.rest) - len(b.burning))
	x.stats.Refused += uint64(len(b.burning))
	x.received = slices.Concat(b.rest, x.received)
}

// consider notes what a discovery is worth to others; in is how the suite took it.
func (c *Campaign) consider(d *discovery, seed *Seed, in admission, newSides bool) {
	if c.Exchange == nil {
		return
	}
	if d.received {
		if in.kept || seed.NewBlocks || newSides {
			c.traffic.stats.Admitted++
		}
		return // the others have it
	}
	if d.broken {
		c.traffic.stats.Withheld++
		return
	}
	seq := d.sequence
	if d.short != nil {
		seq = d.short
	}
	o := waitingOffer{Offer: Offer{Sequence: seq, Target: -1, Path: d.pid}, work: d.work}
	switch {
	case in.change:
		o.Why = OfferState
	case in.lid || seed.NewBlocks || newSides:
		o.Why = OfferPath
	default:
		var near bool
		if o.side, near = c.comesNear(d, seed); !near || !c.OfferNear {
			return
		}
		o.Why = OfferNear
	}
	c.wait(o)
}

// comesNear is an untaken branch side with a target ahead to which the seed is the nearest input by half or more.
func (c *Campaign) comesNear(d *discovery, seed *Seed) (side branchSide, near bool) {
	for i := range d.news.closer {
		a := &d.news.closer[i]
		e := c.suite.frontier[frontierSide{a.side, true}]
		if !a.ahead || e == nil || e.seed != seed {
			continue
		}
		n := distanceBits(&a.distance)
		if was, known := c.traffic.nearest[a.side]; known && n >= was {
			continue
		}
		if c.traffic.nearest == nil {
			c.traffic.nearest = map[branchSide]int{}
		}
		c.traffic.nearest[a.side] = n // at most 257 times, and as many sides as the frontier ever has
		side, near = a.side, true
	}
	return side, near
}

// distanceBits is the number of bits of a distance.
func distanceBits(x *uint256.Int) int {
	for i := len(x) - 1; i >= 0; i-- {
		if x[i] != 0 {
			return 64*i + bits.Len64(x[i])
		}
	}
	return 0
}

// considerTarget notes that a target was reached.
func (c *Campaign) considerTarget(target int, d *discovery) {
	switch {
	case c.Exchange == nil:
	case d.received:
		c.traffic.stats.Targets++
	default:
		c.wait(waitingOffer{Offer: Offer{Sequence: c.result.Targets[target].Sequence, Why: OfferTarget, Target: target, Path: d.pid}, work: d.work})
	}
}

// wait puts an offer behind those that wait for the judge, in the place of one that is farther from the same branch side.
func (c *Campaign) wait(o waitingOffer) {
	list := &c.traffic.waiting[o.Why]
	if o.Why == OfferNear {
		*list = slices.DeleteFunc(*list, func(old waitingOffer) bool { return old.side == o.side })
	}
	if len(*list) == maxWaiting {
		*list = slices.Delete(*list, 0, 1)
	}
	*list = append(*list, o)
}

// sendOffers hands on what waits, as far as the judge has time to look at it. An input in which an oracle sees something, or after
// which a property fails, is an exploit and stays here: a worker's machine may not have looked for all of that.
func (c *Campaign) sendOffers(ctx context.Context) {
	if c.Exchange == nil {
		return
	}
	x := &c.traffic
	for ctx.Err() == nil && x.checked <= c.result.Stats.Executions/checkShare+checkFloor {
		o, ok := x.next()
		if !ok {
			return
		}
		if !c.affordsJudging(o.work) {
			continue // it is as expensive to others
		}
		if o.work >= heavyWork {
			c.judged += o.work * judgeFactor
		}
		x.checked += uint64(1 + len(c.Space.Properties())) // at most
		if c.breaks(o.Sequence) {
			x.stats.Withheld++
			continue
		}
		o.Executions = c.result.Stats.Executions
		x.stats.Offered++
		c.Exchange.Offer(o.Offer)
	}
}

// next takes the offer that comes first of those that wait.
func (x *traffic) next() (waitingOffer, bool) {
	for why := range x.waiting {
		if list := x.waiting[why]; len(list) > 0 {
			x.waiting[why] = list[1:]
			return list[0], true
		}
	}
	return waitingOffer{}, false
}
