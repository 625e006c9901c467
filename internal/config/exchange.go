package config

import (
	"os"

	"github.com/sightline-evm/sightline/internal/exchange"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/pipeline"
)

// RegisterExchange registers the flags with which a campaign exchanges inputs with others that run at the same time.
func (s *Settings) RegisterExchange() {
	f, e := s.flags, &s.options.Campaign.Exchange
	f.StringVar(&e.URL, "exchange", "", "exchange inputs with campaigns on other machines that fuzz the same, through the hub or NATS server at this `URL`, nats://HOST:PORT or tls://HOST:PORT; its token is in "+exchange.TokenVariable)
	f.StringVar(&e.CA, "exchange-ca", "", "trust the hub if its certificate comes from one in this `FILE`, PEM (default: the system's)")
	f.StringVar(&e.Cert, "exchange-cert", "", "show the hub this certificate, a `FILE`, PEM")
	f.StringVar(&e.Key, "exchange-key", "", "`FILE` with the key of --exchange-cert, PEM")
	f.StringVar(&e.TokenFile, "exchange-token-file", "", "`FILE` with the hub's token, in place of "+exchange.TokenVariable+", or with NATS credentials")
	f.BoolVar(&e.Plain, "exchange-plain", false, "connect with a hub on another machine without TLS: whoever is between can read and change everything")
	f.StringVar(&e.Replay, "replay-exchange", "", "run a worker of an exchange again, by this `LOG`, its exchange.log: with its --seed, --test-limit and --workers 1, the result is the same")
}

// ofExchange are the flags of use with --exchange alone.
var ofExchange = []string{"exchange-ca", "exchange-cert", "exchange-key", "exchange-token-file", "exchange-plain"}

// checkExchange checks them.
func (s *Settings) checkExchange() error {
	e := &s.options.Campaign.Exchange
	if !s.has("exchange") {
		return nil
	}
	for _, name := range ofExchange {
		if s.flags.Changed(name) && e.URL == "" {
			return exit.BadInput("--%s without --exchange: there is no hub to connect with", name)
		}
	}
	switch c := &s.options.Campaign; {
	case s.flags.Changed("exchange") && s.flags.Changed("replay-exchange"):
		return exit.BadInput("--exchange and --replay-exchange are mutually exclusive: the log is in place of the hub")
	case s.flags.Changed("replay-exchange") && e.Replay == "":
		return exit.BadInput("--replay-exchange is empty: name the exchange.log of a run")
	case e.Replay != "" && c.Workers != 1:
		return exit.BadInput("--replay-exchange with --workers %d: what several workers do depends on more than a log; only --workers 1 can be replayed", c.Workers)
	case s.flags.Changed("exchange"):
		if err := e.Check(); err != nil {
			return exit.BadInput("--exchange: %w", err)
		}
	}
	return nil
}

// exchange is with whom a campaign exchanges inputs, with the secret that no flag has.
func (s *Settings) exchange() pipeline.Exchange {
	e := s.options.Campaign.Exchange
	if e.URL != "" && e.TokenFile == "" {
		e.Token = os.Getenv(exchange.TokenVariable)
	}
	return e
}
