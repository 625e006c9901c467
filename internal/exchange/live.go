package exchange

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Options of a worker's place in the exchange.
type Options struct {
	Link
	// Campaign names what all of its workers have in common: the World, the build and the targets. It is part of a subject:
	// letters and digits.
	Campaign string
	Space    *input.Space
	Log      *Log              // of what is taken in; nil: none
	Say      func(text string) // what people should know; called where the campaign calls
}

// Bounds of a worker.
const (
	// maxUnsent is how many inputs wait for the hub; where it is gone, these are sent once it is back. Arbitrary.
	maxUnsent = 1000
	// maxUnread is how many inputs of others wait for the campaign: a minute's share of it. Arbitrary.
	maxUnread = 4096
	// maxQueue bounds the text of each of the two, bytes. Arbitrary: mostly they have 2 MB.
	maxQueue = 16 << 20
	// maxKnown is how many inputs, or paths, a worker remembers, twice: as many as the stream has.
	maxKnown = maxSeeds / 2
	// maxNews bounds what is said between two calls of the campaign.
	maxNews = 8
	// farewell is how long a worker that ends may still send what reached a target or changed state.
	farewell = time.Second
	// closing is how long its goroutines have to end; they wait for nothing longer than requestTimeout.
	closing = 6 * time.Second
)

// Live is a campaign's connection with others that run now. Its goroutines talk to the hub; what the campaign calls
// only looks into queues.
type Live struct {
	o    Options
	from string // this worker, on the wire
	conn *nats.Conn
	js   jetstream.JetStream

	cancel context.CancelFunc
	ended  sync.WaitGroup
	turn   uint64 // of Receive; the campaign's goroutine alone has it

	mu     sync.Mutex
	unsent queue
	unread queue
	met    known[hash]
	paths  known[bytecode.PathID] // of inputs that this worker offered or took in: n others would tell it of each n times
	news   []string
	stats  Stats
}

// Stats count what a worker did on the wire.
type Stats struct {
	Sent      uint64 // inputs that the hub has taken
	Unsent    uint64 // inputs that it has not, in the end
	Came      uint64 // messages of the campaign's, this worker's own included
	Refused   uint64 // of these, those that are not seeds
	Met       uint64 // of these, those that were known here
	Dropped   uint64 // inputs that had to go since too many waited, on their way out or in
	Losses    uint64 // of the connection
	Connected bool   // it was, at some time
}

// Dial connects a campaign. A hub that does not answer is not an error: the campaign goes on alone, and is connected once it does. An
// error means that this link can never work: another address, token or certificate is needed.
func Dial(ctx context.Context, o Options) (*Live, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	options, err := o.options()
	if err != nil {
		return nil, err
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	l := &Live{
		o: o, from: rand.Text(), unsent: queue{most: maxUnsent, bytes: maxQueue}, unread: queue{most: maxUnread, bytes: maxQueue},
		met: known[hash]{most: maxKnown}, paths: known[bytecode.PathID]{most: maxKnown},
	}
	if err := l.connect(options); err != nil {
		return nil, err
	}
	if l.js, err = jetstream.New(l.conn, jetstream.WithDefaultTimeout(requestTimeout)); err != nil {
		l.conn.Close()
		return nil, err
	}
	ctx, l.cancel = context.WithCancel(context.WithoutCancel(ctx)) // Close ends it, so that a campaign that is canceled still says good-bye
	l.ended.Go(func() { l.send(ctx) })
	l.ended.Go(func() { l.receive(ctx) })
	return l, nil
}

// connect makes the connection, or begins to try.
func (l *Live) connect(options []nats.Option) (err error) {
	options = append(options,
		nats.ReconnectHandler(func(*nats.Conn) { l.connected() }),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { l.lost() }),
	)
	once := append(options[:len(options):len(options)], nats.RetryOnFailedConnect(false))
	if l.conn, err = nats.Connect(l.o.URL, once...); err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.stats.Connected = true
		return nil
	}
	if never(err) {
		return fmt.Errorf("the hub does not let this worker in: %w", err)
	}
	l.o.Say(fmt.Sprintf("the hub cannot be reached (%v): this campaign goes on alone until it can", err))
	l.conn, err = nats.Connect(l.o.URL, append(options, nats.ConnectHandler(func(*nats.Conn) { l.connected() }))...)
	return err
}

// never reports whether the same connection will fail again, whenever it is tried.
func never(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrSecureConnRequired) ||
		errors.Is(err, nats.ErrSecureConnWanted) || isCertificate(err)
}

func (l *Live) connected() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stats.Losses > 0 || !l.stats.Connected {
		l.tell("connected with the hub")
	}
	l.stats.Connected = true
}

func (l *Live) lost() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Losses++
	l.tell("the hub is gone: this campaign goes on alone until it is back")
}

// tell keeps what is to be said.
func (l *Live) tell(text string) {
	if len(l.news) < maxNews {
		l.news = append(l.news, text)
	}
}

// say says it, where the campaign calls.
func (l *Live) say() {
	l.mu.Lock()
	news := l.news
	l.news = nil
	l.mu.Unlock()
	for _, text := range news {
		l.o.Say(text)
	}
}

// Offer queues an input for the others.
func (l *Live) Offer(o fuzzer.Offer) {
	s, ok := newSeed(l.o.Space, &o)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !ok {
		l.stats.Dropped++
		return
	}
	if s.isOfPath() {
		l.paths.meet(s.path)
	}
	if !l.met.meet(s.hash) {
		return
	}
	l.stats.Dropped += uint64(l.unsent.put(s))
}

// Receive takes inputs of others.
func (l *Live) Receive(executions uint64, limit int) (list []input.Sequence) {
	l.say()
	l.turn++
	for len(list) < limit {
		l.mu.Lock()
		s := l.unread.take()
		known := s != nil && s.isOfPath() && l.paths.has(s.path)
		l.mu.Unlock()
		if s == nil {
			break
		}
		if known {
			l.count(&l.stats.Met)
			continue
		}
		seq, err := parseSequence(l.o.Space, s.text)
		if err != nil {
			l.count(&l.stats.Refused)
			limit-- // reading it took time, too
			continue
		}
		if s.isOfPath() {
			l.mu.Lock()
			l.paths.meet(s.path)
			l.mu.Unlock()
		}
		list = append(list, seq)
		l.o.Log.add(l.turn, executions, s)
	}
	return list
}

func (l *Live) count(what *uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*what++
}

// Close ends the connection, within a few seconds whatever the hub does, and returns what was counted.
func (l *Live) Close() Stats {
	for waited := time.Duration(0); waited < farewell && l.conn.IsConnected() && l.owes(); waited += sendInterval {
		time.Sleep(sendInterval)
	}
	l.cancel()
	ended := make(chan struct{})
	go func() {
		l.ended.Wait()
		l.conn.Close()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(closing):
	}
	l.say()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Unsent = uint64(l.unsent.n)
	return l.stats
}

// owes reports whether something of worth waits to be sent.
func (l *Live) owes() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.unsent.of[fuzzer.OfferTarget])+len(l.unsent.of[fuzzer.OfferState]) > 0
}

// sleep waits, unless the context ends first.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
