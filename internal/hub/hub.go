// Package hub is the server of the live exchange: a NATS server with JetStream in this process, which takes one kind of
// connection, that of a worker, and lets it do nothing but publish and read seeds.
package hub

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sightline-evm/sightline/internal/exchange"
	"github.com/sightline-evm/sightline/internal/exit"
)

// Options say where a hub listens, and what it keeps.
type Options struct {
	Listen   string // host:port; port 0: any that is free
	Store    string // folder of the seeds; it is made if it does not exist
	Token    string // that workers have to know; empty: none, which loopback alone may have
	Cert     string // file of the TLS certificate, PEM; empty: no TLS, which loopback alone may lack
	Key      string // file of its key, PEM
	MaxBytes int64  // of seeds on disk, at least MinBytes; the oldest go. 0: exchange.DefaultMaxBytes
	Log      func(text string)
}

// Bounds of a hub. A worker has one connection with a handful of subscriptions, and what it sends is small. Arbitrary, unless
// they say more.
const (
	MinBytes       = 1 << 20
	maxConnections = 1024    // four times the jobs of GitHub's largest matrix
	maxSubs        = 32      // of a connection
	maxPending     = 8 << 20 // bytes that wait for a slow worker before it is cut off
	maxMemory      = 64 << 20
	startTimeout   = 10 * time.Second
	stopTimeout    = 5 * time.Second
)

// Hub is a server that runs.
type Hub struct {
	server *server.Server
	url    string
}

// Start starts a hub, and returns once it takes connections.
func Start(ctx context.Context, o Options) (*Hub, error) {
	opts, admin, err := configure(&o)
	if err != nil {
		return nil, exit.BadInput("%w", err)
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, exit.CannotFuzz("the hub cannot be set up: %w", err)
	}
	s.SetLoggerV2(logger{o.Log}, false, false, false)
	go s.Start()
	h := &Hub{server: s}
	if !s.ReadyForConnections(startTimeout) {
		h.Stop()
		return nil, exit.CannotFuzz("the hub did not take connections at %s within %s; is the port taken?", o.Listen, startTimeout)
	}
	if !s.JetStreamEnabled() {
		h.Stop()
		return nil, exit.CannotFuzz("the hub cannot keep seeds in %s: is it writable, and is there room?", o.Store)
	}
	scheme := "nats"
	if opts.TLSConfig != nil {
		scheme = "tls"
	}
	h.url = scheme + "://" + s.Addr().String()
	if err := makeStream(ctx, s, admin, o.MaxBytes); err != nil {
		h.Stop()
		return nil, exit.CannotFuzz("the hub cannot keep seeds in %s: %w", o.Store, err)
	}
	return h, nil
}

// configure checks the options and turns them into the server's.
func configure(o *Options) (opts *server.Options, admin string, err error) {
	host, text, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, "", fmt.Errorf("%q is not HOST:PORT, such as 127.0.0.1:4222", o.Listen)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, "", fmt.Errorf("%q is not HOST:PORT: %q is not a port", o.Listen, text)
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = exchange.DefaultMaxBytes
	}
	switch {
	case o.MaxBytes < MinBytes:
		return nil, "", fmt.Errorf("%d bytes of seeds are too few: at least %d", o.MaxBytes, MinBytes)
	case (o.Cert == "") != (o.Key == ""):
		return nil, "", errors.New("TLS needs both a certificate and its key")
	case !exchange.IsLoopback(host) && o.Cert == "":
		return nil, "", fmt.Errorf("%s can be reached from other machines: that needs TLS, a certificate and its key", o.Listen)
	case !exchange.IsLoopback(host) && o.Token == "":
		return nil, "", fmt.Errorf("%s can be reached from other machines: that needs a token", o.Listen)
	}
	admin = rand.Text()
	opts = &server.Options{
		ServerName: "sightline-hub", Host: host, Port: int(port), NoSigs: true,
		MaxConn: maxConnections, MaxSubs: maxSubs, MaxPending: maxPending, MaxPayload: exchange.MaxMessage,
		JetStream: true, StoreDir: o.Store, JetStreamMaxMemory: maxMemory,
		JetStreamMaxStore:          o.MaxBytes + o.MaxBytes/4, // the files of a store have more than its messages
		CustomClientAuthentication: &gate{token: o.Token, admin: admin},
	}
	if port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	if o.Cert != "" {
		pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, "", fmt.Errorf("the certificate %s with the key %s: %w", o.Cert, o.Key, err)
		}
		opts.TLS, opts.TLSConfig, opts.TLSTimeout = true, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, startTimeout.Seconds()
	}
	return opts, admin, nil
}

// makeStream makes the stream of seeds, or gives it the bounds that it has now.
func makeStream(ctx context.Context, s *server.Server, admin string, maxBytes int64) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	options := []nats.Option{nats.InProcessServer(s), nats.Token(admin), nats.NoReconnect()}
	conn, err := nats.Connect("", options...)
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	_, err = js.CreateOrUpdateStream(ctx, exchange.Stream(maxBytes))
	return err
}

// URL is what workers connect to.
func (h *Hub) URL() string { return h.url }

// Stop stops the hub, within a few seconds.
func (h *Hub) Stop() {
	h.server.Shutdown()
	done := make(chan struct{})
	go func() { h.server.WaitForShutdown(); close(done) }()
	select {
	case <-done:
	case <-time.After(stopTimeout):
	}
}

// gate lets workers in, with what they may do and no more.
type gate struct{ token, admin string }

// Check is called by the server for each connection.
func (g *gate) Check(c server.ClientAuthentication) bool {
	given := c.GetOpts().Token
	if c.Kind() != server.CLIENT {
		return false
	}
	if equal(given, g.admin) && c.RemoteAddress() == nil || equal(given, g.admin) && isPipe(c.RemoteAddress()) {
		c.RegisterUser(&server.User{Username: "hub"})
		return true
	}
	if g.token != "" && !equal(given, g.token) {
		return false
	}
	c.RegisterUser(&server.User{Username: "worker", Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: exchange.Publishes},
		Subscribe: &server.SubjectPermission{Allow: exchange.Subscribes},
	}})
	return true
}

// isPipe reports whether an address is of a connection in this process.
func isPipe(a net.Addr) bool { return a.Network() == "pipe" }

// equal compares secrets in a time that tells nothing of them.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// logger passes on what an operator has to know.
type logger struct{ log func(string) }

func (l logger) Noticef(string, ...any) {}
func (l logger) Debugf(string, ...any)  {}
func (l logger) Tracef(string, ...any)  {}

// Warnf is what may need attention.
func (l logger) Warnf(format string, v ...any) { l.log("warning: " + fmt.Sprintf(format, v...)) }

// Errorf is what went wrong.
func (l logger) Errorf(format string, v ...any) { l.log("error: " + fmt.Sprintf(format, v...)) }

// Fatalf is what the server cannot go on after; it does not end the process.
func (l logger) Fatalf(format string, v ...any) { l.log("error: " + fmt.Sprintf(format, v...)) }
