package exchange

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// fetchBatch is how many messages are asked for at once: 4 MiB at most.
	fetchBatch = 64
	// fetchWait is how long the hub may wait for them.
	fetchWait = 2 * time.Second
	// fetchPause is between two batches: 3,200 messages a second at most, ten times what a campaign can run.
	fetchPause = 20 * time.Millisecond
	// connectPause is how often a worker looks whether it is connected again.
	connectPause = 200 * time.Millisecond
)

// cursor is how far a worker has read.
type cursor struct {
	made time.Time // the stream, which may be another one when the hub comes back
	last uint64    // message
}

// receive reads what others send, from the first input on that the stream has.
func (l *Live) receive(ctx context.Context) {
	var at cursor
	said := ""
	for ctx.Err() == nil {
		if !l.conn.IsConnected() {
			sleep(ctx, connectPause)
			continue
		}
		err := l.read(ctx, &at)
		if err == nil || ctx.Err() != nil || !l.conn.IsConnected() { // otherwise the connection's handlers tell
			continue
		}
		if text := err.Error(); text != said && !errors.Is(err, context.DeadlineExceeded) {
			said = text
			l.mu.Lock()
			l.tell(fmt.Sprintf("the hub gives nothing: %v; the campaign goes on, and asks again", err))
			l.mu.Unlock()
		}
		sleep(ctx, retryWait)
	}
}

// read reads until something fails.
func (l *Live) read(ctx context.Context, at *cursor) error {
	consumer, err := l.consumer(ctx, at)
	if err != nil {
		return err
	}
	for ctx.Err() == nil && l.conn.IsConnected() {
		batch, err := consumer.Fetch(fetchBatch, jetstream.FetchMaxWait(fetchWait))
		if err != nil {
			return err
		}
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil {
				return err
			}
			at.last = max(at.last, meta.Sequence.Stream)
			l.take(m)
		}
		if err := batch.Error(); err != nil {
			return err
		}
		sleep(ctx, fetchPause)
	}
	return nil
}

// consumer makes what reads the stream, behind what was read; the stream too, where the hub is a server of another kind.
func (l *Live) consumer(ctx context.Context, at *cursor) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	stream, err := l.js.Stream(ctx, StreamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = l.js.CreateStream(ctx, Stream(DefaultMaxBytes))
	}
	if err != nil {
		return nil, err
	}
	info := stream.CachedInfo()
	if !info.Created.Equal(at.made) || info.State.LastSeq < at.last {
		*at = cursor{made: info.Created}
	}
	return stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		FilterSubject: subject(l.o.Campaign, "*"), AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, InactiveThreshold: readerPatience,
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: at.last + 1,
	})
}

// take queues a message for the campaign, unless it is known here or no seed.
func (l *Live) take(m jetstream.Msg) {
	s, err := readSeed(l.o.Campaign, m.Subject(), m.Headers(), m.Data())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Came++
	switch {
	case err != nil:
		l.stats.Refused++
	case !l.met.meet(s.hash):
		l.stats.Met++
	default:
		l.stats.Dropped += uint64(l.unread.put(s))
	}
}
