package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// clock makes campaigns of one process take turns, as if each had a machine of its own: time is counted in
// executions of a campaign, and at the end of a slice of them a campaign waits for all others that are not at its end
// yet. Then what was offered in the slice is handed on, in the order of the campaigns. So what a campaign does
// depends on its inputs alone, however the process is scheduled.
type clock struct {
	slice   uint64 // executions
	latency int    // whole slices that an offer is under way, beyond the one in which it is made

	mu      sync.Mutex
	turned  *sync.Cond
	turn    int // slices that all have ended
	waiting int
	running int // campaigns that did not end
	members []*member
	sent    map[int][]message // by the turn at whose end they are there
	known   map[[sha256.Size]byte]bool
	best    uint64 // the least time at which a campaign reached the goal
}

// message is an offer under way.
type message struct {
	from int
	fuzzer.Offer
}

// member is a campaign of a clock. It is the campaign's Exchange, and its machines count.
type member struct {
	clock *clock
	id    int
	goal  *goal
	stop  context.CancelFunc

	now     uint64 // executions, the judge's included: with one worker they take turns
	turn    int    // slices that it has ended
	reached bool
	at      uint64 // when it was, or when it missed

	outbox []message
	inbox  [reasons][]message // in order of arrival
	waits  int                // in it
	paths  map[bytecode.PathID]bool
	traffic
}

// traffic is what a campaign sent, and what it took.
type traffic struct {
	offers  [reasons]int // by reason
	early   int          // of these, in the first slice
	bytes   int          // of all, as text
	met     int          // inputs of others of a path that was sent or taken before
	dropped int          // that came when too many were waiting
}

// reasons is the number of reasons for an offer.
const reasons = int(fuzzer.OfferNear) + 1

// maxInbox bounds what waits for a campaign, as in internal/exchange.
const maxInbox = 4_096

// newClock makes a clock for so many campaigns toward one goal.
func newClock(n int, g *goal, slice uint64, latency int) *clock {
	c := &clock{slice: slice, latency: latency, running: n, sent: map[int][]message{}, known: map[[sha256.Size]byte]bool{}, best: math.MaxUint64}
	c.turned = sync.NewCond(&c.mu)
	for i := range n {
		c.members = append(c.members, &member{clock: c, id: i, goal: g, paths: map[bytecode.PathID]bool{}})
	}
	return c
}

// Offer hands an input on at the end of the slice.
func (m *member) Offer(o fuzzer.Offer) {
	o.Sequence, o.Executions = o.Sequence.Clone(), m.now
	m.offers[o.Why]++
	if m.now <= m.clock.slice {
		m.early++
	}
	m.bytes += len(input.Format(m.goal.Subject.Space, o.Sequence))
	sent := message{from: m.id, Offer: o}
	if sent.newPath() {
		m.paths[o.Path] = true
	}
	m.outbox = append(m.outbox, sent)
}

// Receive returns what others have sent as internal/exchange does: those with the best reason first, of these the
// newest, and none whose path is known here.
func (m *member) Receive(_ uint64, limit int) []input.Sequence {
	var some []input.Sequence
	for why := 0; why < reasons && len(some) < limit; {
		last := len(m.inbox[why]) - 1
		if last < 0 {
			why++
			continue
		}
		o := m.inbox[why][last]
		m.inbox[why] = m.inbox[why][:last]
		m.waits--
		if o.newPath() {
			if m.paths[o.Path] {
				m.met++
				continue
			}
			m.paths[o.Path] = true
		}
		some = append(some, o.Sequence)
	}
	return some
}

// newPath reports whether an input was offered for its path: another one of that path is worth nothing.
func (o *message) newPath() bool { return o.Why == fuzzer.OfferState || o.Why == fuzzer.OfferPath }

// wait ends the slices that are over, each together with the others. It is called while the worker is idle.
func (m *member) wait(ctx context.Context) {
	c := m.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	for m.now >= uint64(m.turn+1)*c.slice && ctx.Err() == nil {
		m.turn++
		c.waiting++
		if c.waiting == c.running {
			c.next()
			continue
		}
		for c.turn < m.turn && ctx.Err() == nil {
			c.turned.Wait()
		}
	}
}

// leave takes a campaign that ended out of the turns.
func (m *member) leave() {
	m.clock.mu.Lock()
	defer m.clock.mu.Unlock()
	m.clock.running--
	if m.clock.running > 0 && m.clock.waiting == m.clock.running {
		m.clock.next()
	}
}

// next begins the next slice: all campaigns are waiting.
func (c *clock) next() {
	c.turn++
	c.waiting = 0
	// A campaign may be beyond the slice's end, and reached the goal there: others may still be sooner.
	for _, m := range c.members {
		if m.reached {
			c.best = min(c.best, m.at)
		}
	}
	for _, m := range c.members {
		if m.now >= c.best && !m.reached {
			m.stop()
		}
		// What a campaign offers beyond the end belongs to the slice in which it is by then.
		late := slices.IndexFunc(m.outbox, func(o message) bool { return o.Executions > uint64(c.turn)*c.slice })
		if late < 0 {
			late = len(m.outbox)
		}
		c.sent[c.turn+c.latency] = append(c.sent[c.turn+c.latency], m.outbox[:late]...)
		m.outbox = m.outbox[late:]
	}
	for _, o := range c.sent[c.turn] {
		c.deliver(o)
	}
	delete(c.sent, c.turn)
	c.turned.Broadcast()
}

// deliver puts a message into the inboxes of the others, unless the same was sent before.
func (c *clock) deliver(o message) {
	key := sha256.Sum256([]byte(input.Format(c.members[0].goal.Subject.Space, o.Sequence)))
	if c.known[key] {
		return
	}
	c.known[key] = true
	for _, m := range c.members {
		if m.id == o.from {
			continue
		}
		m.inbox[o.Why] = append(m.inbox[o.Why], o)
		m.waits++
		for why := reasons - 1; m.waits > maxInbox; {
			if len(m.inbox[why]) == 0 {
				why--
				continue
			}
			m.inbox[why] = m.inbox[why][1:]
			m.waits--
			m.dropped++
		}
	}
}

// counted is a machine of a member's campaign.
type counted struct {
	evm.Machine
	*member
}

// Run runs the sequence and counts it.
func (m counted) Run(seq evm.Sequence) (*evm.Execution, error) {
	exec, err := m.Machine.Run(seq)
	if err == nil {
		m.observe(exec, seq.OverridesState())
	}
	return exec, err
}

// observe counts an execution; one that overrides state reaches nothing.
func (m *member) observe(exec *evm.Execution, overrides bool) {
	if m.now++; m.reached || m.now > m.goal.Limit {
		return // ending
	}
	m.at = m.now
	m.reached = !overrides && m.goal.Reached(exec)
	if m.reached || m.now == m.goal.Limit {
		m.stop()
	}
}

// outcome is what became of a group of campaigns.
type outcome struct {
	Reached    bool
	Executions uint64 // of the campaign that was the first, when it was; else the limit
	Workers    int
	Turns      int
	now        uint64               // executions of all campaigns
	Exchange   fuzzer.ExchangeStats // of all
	traffic
}

// sample is the outcome as that of one campaign.
func (o *outcome) sample() timetotarget.Sample {
	return timetotarget.Sample{Reached: o.Reached, Executions: o.Executions}
}

// runLive runs n campaigns toward a goal that exchange what they find, or alone where n is 1. The result is the same
// for the same arguments.
func runLive(ctx context.Context, g *goal, n int, slice uint64, latency int, seed uint64, now func() time.Time) (*outcome, error) {
	c := newClock(n, g, slice, latency)
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(running, func() {
		c.mu.Lock() // or one may be about to wait
		defer c.mu.Unlock()
		c.turned.Broadcast()
	})()
	results, failures := make([]*fuzzer.Result, n), make([]error, n)
	contexts := make([]context.Context, n)
	for i, m := range c.members {
		contexts[i], m.stop = context.WithCancel(running)
		defer m.stop()
	}
	var group sync.WaitGroup
	for i, m := range c.members {
		group.Go(func() {
			defer m.leave()
			results[i], failures[i] = m.campaign(contexts[i], memberSeed(seed, i), now)
			if failures[i] != nil {
				cancel()
			}
		})
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.outcome(results), nil
}

// memberSeed is the seed of the i-th campaign of a group.
func memberSeed(seed uint64, i int) uint64 {
	if i == 0 {
		return seed
	}
	return rand.New(rand.NewPCG(seed, uint64(i))).Uint64()
}

// campaign runs the member's campaign.
func (m *member) campaign(ctx context.Context, seed uint64, now func() time.Time) (*fuzzer.Result, error) {
	config := m.goal.Subject.Config(fuzzer.Lookahead, fuzzer.Techniques{}, seed, now)
	config.Targets = m.goal.targets
	config.NewMachine = func() (evm.Machine, error) {
		machine, err := m.goal.Subject.NewMachine()
		return counted{machine, m}, err
	}
	if len(m.clock.members) > 1 {
		config.Exchange, config.OfferNear = m, options.near
		config.Progress = func(fuzzer.Event) { m.wait(ctx) }
	}
	result, err := (&fuzzer.Campaign{Config: config}).Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", m.goal.name, seed, err)
	}
	if err := timetotarget.Fault(result); err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", m.goal.name, seed, err)
	}
	return result, nil
}

// outcome sums the campaigns up.
func (c *clock) outcome(results []*fuzzer.Result) *outcome {
	o := &outcome{Executions: math.MaxUint64, Workers: len(c.members), Turns: c.turn}
	for i, m := range c.members {
		if m.reached && (!o.Reached || m.at < o.Executions) {
			o.Reached, o.Executions = true, m.at
		} else if !o.Reached {
			o.Executions = min(o.Executions, m.at)
		}
		for why, n := range m.offers {
			o.offers[why] += n
		}
		o.now += m.now
		o.early += m.early
		o.bytes += m.bytes
		o.met += m.met
		o.dropped += m.dropped
		if x := results[i].Exchange; x != nil {
			o.Exchange.Offered += x.Offered
			o.Exchange.Withheld += x.Withheld
			o.Exchange.Received += x.Received
			o.Exchange.Refused += x.Refused
			o.Exchange.Admitted += x.Admitted
		}
	}
	return o
}
