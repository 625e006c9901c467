package chain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
)

const (
	// maxAnswer bounds one answer, bytes: code has 24,576 at most (EIP-170), twice that
	// as hexadecimal digits, some sixteen words more. Arbitrary beyond that.
	maxAnswer = 4 << 20
	// requestTime is how long one request may take. Arbitrary: endpoints answer within
	// a second or not at all.
	requestTime = 20 * time.Second
	// attempts and defaultPause: an endpoint that limits how often it is asked answers
	// again after some seconds. The pause doubles each time.
	attempts     = 5
	defaultPause = 500 * time.Millisecond
)

// client asks an endpoint.
type client struct {
	rpc   *rpc.Client
	host  string        // what messages may show of the address
	pause time.Duration // before the second attempt
}

func dial(ctx context.Context, place *url.URL, pause time.Duration) (*client, error) {
	c := &client{host: place.Hostname(), pause: pause}
	inner, err := rpc.DialOptions(ctx, place.String(), rpc.WithHTTPClient(&http.Client{
		Timeout: requestTime, Transport: bounded{http.DefaultTransport},
		// The user has allowed requests to this host alone.
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("it redirects") },
	}))
	if err != nil {
		return nil, c.plain(err)
	}
	c.rpc = inner
	return c, nil
}

// bounded limits answers.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(request)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, maxAnswer), response.Body}
	}
	return response, err
}

// batch asks several questions at once, again where the endpoint could not be reached
// or had enough for the moment.
func (c *client) batch(ctx context.Context, questions []rpc.BatchElem) error {
	wait := c.pause
	for attempt := 1; ; attempt++ {
		err := c.rpc.BatchCallContext(ctx, questions)
		for i := range questions {
			if err == nil {
				err = questions[i].Error
			}
			questions[i].Error = nil
		}
		if err == nil {
			return nil
		}
		if attempt == attempts || !passing(err) || ctx.Err() != nil {
			return c.plain(err)
		}
		select {
		case <-ctx.Done():
			return c.plain(ctx.Err())
		case <-time.After(wait):
		}
		wait *= 2
	}
}

// tooMany is the JSON-RPC error code of endpoints that limit requests.
const tooMany = -32005

// passing reports whether asking again may help.
func passing(err error) bool {
	var status rpc.HTTPError
	if errors.As(err, &status) {
		return status.StatusCode == http.StatusTooManyRequests || status.StatusCode >= http.StatusInternalServerError
	}
	var answer rpc.Error
	if errors.As(err, &answer) {
		return answer.ErrorCode() == tooMany || answer.ErrorCode() == http.StatusTooManyRequests
	}
	var network net.Error
	return errors.As(err, &network)
}

// plain is an error without the endpoint's address, and with what may help.
func (c *client) plain(err error) error {
	var place *url.Error
	if errors.As(err, &place) {
		err = place.Err
	}
	var status rpc.HTTPError
	if errors.As(err, &status) { // its text holds the body
		return fmt.Errorf("%s answers %s", c.host, status.Status)
	}
	var network net.Error
	if errors.As(err, &network) {
		return fmt.Errorf("%s could not be reached: %w; check the address, and that this machine may ask it", c.host, err)
	}
	text := err.Error()
	if strings.Contains(text, "missing trie node") || strings.Contains(text, "state") && strings.Contains(text, "not available") || strings.Contains(text, "pruned") {
		return fmt.Errorf("%s does not have the state of this block: %s; give a newer --block or an archive node", c.host, text)
	}
	return fmt.Errorf("%s: %w", c.host, err)
}
