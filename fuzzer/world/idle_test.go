package world_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
)

// TestIdle: what stands in for an interface that acts answers with zeros and with what fits the names, is told what it is told, and refuses to act.
func TestIdle(t *testing.T) {
	c := newChain(t, source(t, "testdata/idle.sol"), world.Options{})
	exec := c.call(world.User1, "Vault", "all")
	now := common.LeftPadBytes(new(big.Int).SetUint64(c.world.Block.Time).Bytes(), 32)
	want := make([]byte, 6*32)
	copy(want[2*32:], now)
	if got := exec.Calls[0]; got.Outcome != evm.Success || string(got.Output) != string(want) {
		t.Errorf("views: %v %s %x", got.Outcome, got.Reason(), got.Output)
	}
	const amount = 5
	put := c.encode(world.User1, "Vault", "put", big.NewInt(amount))
	shares := c.encode(world.User1, "Vault", "shares", world.User1.Address)
	exec = c.run(put, shares)
	if got := new(big.Int).SetBytes(exec.Calls[1].Output); exec.Calls[0].Outcome != evm.Success || got.Int64() != amount {
		t.Errorf("put: %s, %v shares", exec.Calls[0].Reason(), got)
	}
	rate := c.encode(world.Deployer, "IYieldVenue", "setExchangeRate", big.NewInt(2e18))
	if got := new(big.Int).SetBytes(c.run(rate, put, shares).Calls[2].Output); got.Int64() != 2*amount {
		t.Errorf("at twice the rate %v shares", got)
	}
	exec = c.call(world.User1, "Vault", "invest", big.NewInt(1))
	if got := exec.Calls[0].Reason(); got != "idle: nothing implements this" {
		t.Errorf("invest: %q", got)
	}
	if exec = c.call(world.Deployer, "Queue", "migrate", c.instance("IRouter#2").Address); exec.Calls[0].Outcome != evm.Success {
		t.Errorf("migrate: %s", exec.Calls[0].Reason())
	}
}
