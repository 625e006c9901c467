package exchange

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sightline-evm/sightline/internal/files"
)

// TokenVariable is the environment variable that may have the hub's token.
const TokenVariable = "SIGHTLINE_EXCHANGE_TOKEN"

// Link says where the hub is, and how one may connect to it. The zero value is none.
type Link struct {
	URL   string // nats://HOST:PORT or tls://HOST:PORT; several of one cluster are separated by commas
	CA    string // file of the certificates that the hub's must come from, PEM; empty: the system's
	Cert  string // file of the worker's own certificate, PEM; empty: none
	Key   string // of its key, PEM
	Token string // empty: none
	// TokenFile has the token, or NATS credentials (a .creds file); empty: Token.
	TokenFile string
	// Plain allows a hub on another machine without TLS: others on the way can read and change everything, the token too.
	Plain bool
}

// Bounds of a connection: ten seconds is the most that anything waits, and the rest leaves room below it.
const (
	dialTimeout    = 2 * time.Second
	requestTimeout = 4 * time.Second
	reconnectWait  = time.Second
	reconnectNoise = 500 * time.Millisecond
	pingInterval   = 3 * time.Second // twice without an answer, and the hub is gone
	maxPings       = 2
	// MaxSecret bounds a file with a token or credentials, bytes.
	MaxSecret = 16 << 10
)

// Check reports what is wrong with a link, before anything connects.
func (l *Link) Check() error {
	if strings.TrimSpace(l.URL) == "" {
		return errors.New("there is no address: want nats://HOST:PORT or tls://HOST:PORT")
	}
	for _, text := range strings.Split(l.URL, ",") {
		if err := l.checkURL(strings.TrimSpace(text)); err != nil {
			return err
		}
	}
	if (l.Cert == "") != (l.Key == "") {
		return errors.New("a worker's certificate needs its key, and the other way round")
	}
	return nil
}

func (l *Link) checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "nats" && u.Scheme != "tls" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return errors.New("it is not the address of a hub: want nats://HOST:PORT or tls://HOST:PORT") // the text may hold a secret
	case u.User != nil:
		return fmt.Errorf("no user or token belongs into the address, which others can see: set %s, or name a file with --exchange-token-file", TokenVariable)
	case u.Scheme == "nats" && !IsLoopback(u.Hostname()) && !l.Plain && l.CA == "" && l.Cert == "":
		return fmt.Errorf("%s is another machine: use tls://, or say --exchange-plain where the network between is yours", u.Host)
	}
	return nil
}

// IsLoopback reports whether a host is this machine, and reached by nothing else.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// options are those of the connection.
func (l *Link) options() ([]nats.Option, error) {
	options := []nats.Option{
		nats.Name("sightline"), nats.Timeout(dialTimeout), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(reconnectNoise, reconnectNoise), nats.ReconnectBufSize(-1),
		nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(maxPings), nats.IgnoreDiscoveredServers(), nats.NoCallbacksAfterClientClose(),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // the library prints it otherwise
	}
	if strings.Contains(l.URL, "tls://") || l.CA != "" || l.Cert != "" {
		config := &tls.Config{MinVersion: tls.VersionTLS12}
		if l.CA != "" {
			pem, err := files.ReadBounded(l.CA, 1<<20)
			if err != nil {
				return nil, fmt.Errorf("the certificates in %s: %w", l.CA, files.Plain(err))
			}
			if config.RootCAs = x509.NewCertPool(); !config.RootCAs.AppendCertsFromPEM(pem) {
				return nil, fmt.Errorf("%s has no certificate: want PEM", l.CA)
			}
		}
		if l.Cert != "" {
			pair, err := tls.LoadX509KeyPair(l.Cert, l.Key)
			if err != nil {
				return nil, fmt.Errorf("the certificate %s with the key %s: %w", l.Cert, l.Key, err)
			}
			config.Certificates = []tls.Certificate{pair}
		}
		options = append(options, nats.Secure(config))
	}
	secret := l.Token
	if l.TokenFile != "" {
		data, err := files.ReadBounded(l.TokenFile, MaxSecret)
		if err != nil {
			return nil, fmt.Errorf("the token in %s: %w", l.TokenFile, files.Plain(err))
		}
		if strings.Contains(string(data), "-----BEGIN NATS USER JWT-----") {
			return append(options, nats.UserCredentialBytes(data)), nil
		}
		if secret = strings.TrimSpace(string(data)); secret == "" {
			return nil, fmt.Errorf("%s is empty: want a token", l.TokenFile)
		}
	}
	if secret != "" {
		options = append(options, nats.Token(secret))
	}
	return options, nil
}

// isCertificate reports whether TLS failed, for a reason that stays.
func isCertificate(err error) bool {
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &alert)
}
