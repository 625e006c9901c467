package exchange

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// sendInterval: at most 20 inputs a second. 64 workers then send 1,280, which is half of what one of them can read, and a
	// tenth of what the hub takes.
	sendInterval = time.Second / 20
	// retryWait is how long a worker leaves the hub alone after it failed.
	retryWait = time.Second
)

// send sends what waits, one at a time.
func (l *Live) send(ctx context.Context) {
	pace := time.NewTicker(sendInterval)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pace.C:
		}
		if !l.conn.IsConnected() {
			continue
		}
		l.mu.Lock()
		s := l.unsent.take()
		l.mu.Unlock()
		if s == nil {
			continue
		}
		err := l.publish(ctx, s)
		l.mu.Lock()
		switch {
		case err == nil:
			l.stats.Sent++
		case isRefusal(err):
			l.stats.Dropped++
		default:
			l.stats.Dropped += uint64(l.unsent.put(s))
		}
		l.mu.Unlock()
		if err != nil {
			sleep(ctx, retryWait)
		}
	}
}

// publish sends one seed, and waits until the hub has taken it.
func (l *Live) publish(ctx context.Context, s *seed) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := l.js.PublishMsg(ctx, s.message(l.o.Campaign, l.from))
	return err
}

// isRefusal reports whether the hub takes everything but this: it is too large for an external one.
func isRefusal(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, nats.ErrMaxPayload) || errors.As(err, &api) && api.Code == 400
}
