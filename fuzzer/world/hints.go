package world

import (
	"math/big"
)

const (
	hour = 60 * 60 // seconds
	day  = 24 * hour
	// token is the usual unit of 18 decimals.
	tokenDecimals = 18
)

// hint is what a parameter's name suggests.
type hint struct {
	words []string // one of them must be a word of the name
	value func(d *deployer) *big.Int
}

func constant(n int64) func(*deployer) *big.Int {
	return func(*deployer) *big.Int { return big.NewInt(n) }
}

// later is a moment so many seconds after the first call.
func later(seconds int64) func(*deployer) *big.Int {
	return func(d *deployer) *big.Int {
		now := new(big.Int).SetUint64(d.machine.World().Block.Time)
		return now.Add(now, big.NewInt(seconds))
	}
}

// blocks is so many blocks after the first call's.
func blocks(n int64) func(*deployer) *big.Int {
	return func(d *deployer) *big.Int {
		number := new(big.Int).SetUint64(d.machine.World().Block.Number)
		return number.Add(number, big.NewInt(n))
	}
}

// hints are tried in order. Their values are what constructors of common
// contracts (tokens, sales, vesting, governance) accept: fees are in basis
// points or percent, thresholds must not exceed the few accounts there are.
var hints = []hint{
	{[]string{"decimals"}, constant(tokenDecimals)},
	{[]string{"block", "blocknumber"}, blocks(100)},
	{[]string{"start", "opening", "open", "begin"}, later(hour)}, // some things can be done before, and time passes in campaigns
	{[]string{"deadline", "end", "closing", "close", "expiry", "expire", "expiration", "maturity", "until", "unlock", "release", "finish"}, later(30 * day)},
	{[]string{"time", "timestamp", "date"}, later(day)},
	{[]string{"duration", "period", "delay", "interval", "cliff", "window", "cooldown", "timeout"}, constant(day)},
	{[]string{"threshold", "required", "quorum", "confirmation", "min", "minimum", "version", "nonce", "id", "index"}, constant(1)},
	{[]string{"fee", "bps", "percent", "percentage", "royalty", "basis"}, constant(100)},
	{[]string{"rate", "ratio", "numerator", "denominator", "factor"}, constant(100)},
	{[]string{"cap", "goal"}, func(*deployer) *big.Int { return units(1_000) }}, // senders have ten times as much, see [funding]
	{[]string{"supply", "ceiling", "amount", "max", "maximum", "limit", "total"}, func(*deployer) *big.Int { return units(1_000_000) }},
	{[]string{"price", "cost"}, func(*deployer) *big.Int { return units(1) }},
}

// units is n times 10^18.
func units(n int64) *big.Int {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(tokenDecimals), nil)
	return unit.Mul(unit, big.NewInt(n))
}
