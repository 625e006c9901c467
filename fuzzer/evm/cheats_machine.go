package evm

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
)

// cheats is what a machine knows of cheatcodes; nil when the World has none. How they
// come by state and environment is each machine's own.
type cheats struct {
	edge    *cheatcode.Edge
	answers *cheatcode.Answers
	only    []common.Address
	tester  common.Address
	lenient bool
	state   *cheatcode.State
	own     bool // state is nobody else's: it may be changed

	// stale: the environment is not what the next call finds where no cheatcode has set
	// anything, besides block number and time.
	stale bool

	before       *cheatcode.State // at the start of the call
	number, time uint64           // likewise
	host         cheatHost
	rec          *recorder
}

// cheatHost is a machine that has cheatcodes.
type cheatHost interface {
	cheatcode.Host
	// worldEnvironment is what the next call finds where no cheatcode has set anything.
	worldEnvironment() cheatcode.Environment
}

func newCheats(c *Cheats) *cheats {
	edge := &c.Edge
	if c.Answers != nil {
		answering := c.Answers.Edge()
		edge = &answering
	}
	return &cheats{edge: edge, answers: c.Answers, only: c.Only, tester: c.Tester, lenient: c.Lenient, state: &c.State, stale: true}
}

// install makes the cheatcodes' accounts precompiled contracts.
func (c *cheats) install(precompiles vm.PrecompiledContracts, host cheatHost, rec *recorder) {
	c.host, c.rec = host, rec
	rec.watcher = c
	precompiles[cheatcode.Address] = cheatAccount{c}
	precompiles[cheatcode.Console] = console{}
}

// writable is the state, to be changed.
func (c *cheats) writable() *cheatcode.State {
	if !c.own {
		c.state, c.own = c.state.Clone(), true
	}
	return c.state
}

// keep is the state to come back to, before a call.
func (c *cheats) keep() *cheatcode.State {
	if c == nil {
		return nil
	}
	c.own = false
	return c.state
}

// rewind goes back to what keep gave.
func (c *cheats) rewind(to *cheatcode.State) {
	c.state, c.own, c.stale = to, false, true
	c.begin()
}

// begin puts the environment of a call into effect, where it is not in effect yet.
func (c *cheats) begin() {
	c.before = c.state
	if c.stale {
		c.stale = c.state.Settings != (cheatcode.Settings{})
		now := c.host.worldEnvironment()
		c.state.Settings.Apply(&now)
		c.host.SetEnvironment(now)
	}
	now := c.host.Environment()
	c.number, c.time = now.Number, now.Time
}

// finish is the last word on how a call ended: cheatcodes may have asked for something
// that did not happen. A call that fails leaves nothing behind.
func (c *cheats) finish(call *cheatcode.Call, outcome Outcome, output []byte) (Outcome, []byte) {
	if outcome == Success && c.state.Busy() {
		if end := c.writable().End(call, cheatcode.Answer{Success: true, Output: output}); !end.Success {
			outcome, output = Reverted, end.Output
		}
	}
	if outcome != Success && c.state != c.before {
		c.state, c.own, c.stale = c.before, false, true
		now := c.host.Environment()
		now.Number, now.Time = c.number, c.time
		c.host.SetEnvironment(now)
		now = c.host.worldEnvironment()
		c.state.Settings.Apply(&now)
		c.host.SetEnvironment(now)
	}
	return outcome, output
}

func outcomeFor(success bool) Outcome {
	if success {
		return Success
	}
	return Reverted
}

// deployment is what [cheatcode.Creator] is called with, where a call is one of
// deployCode; false: it is not, or cannot be.
func (c *cheats) deployment(call *cheatcode.Call) (input []byte, ok bool) {
	if call.To != cheatcode.Address || call.Delegate || call.Static || !call.Value.IsZero() || !cheatcode.Deploys(call.Input) || c.only != nil && !slices.Contains(c.only, call.By) {
		return nil, false
	}
	return c.writable().Deploy(c.edge, call)
}

// Accessed tells cheatcodes of a read or a write.
func (c *cheats) Accessed(account common.Address, slot *uint256.Int, write bool) {
	if c.state.Recording {
		c.writable().Accessed(cheatcode.Access{Account: account, Slot: slot.Bytes32(), Write: write})
	}
}

// emitted tells cheatcodes of an event.
func (c *cheats) emitted(e cheatcode.Event) {
	if c.state.Watches() {
		c.writable().Emitted(e)
	}
}

// blockHash is the hash of a block, whose own is given.
func (c *cheats) blockHash(number uint64, own common.Hash) common.Hash {
	if hash, ok := c.state.BlockHash(number); ok {
		return hash
	}
	return own
}

// export is the cheatcodes of the World after the last call, whose block is given.
func (c *cheats) export(block *Block) *Cheats {
	if c == nil {
		return nil
	}
	e := c.host.Environment()
	block.Coinbase, block.BaseFee, block.GasLimit, block.ChainID = e.Coinbase, e.BaseFee, e.GasLimit, e.ChainID
	return &Cheats{State: *c.state.Clone(), Edge: *c.edge, Answers: c.answers, Only: c.only, Tester: c.tester, Lenient: c.lenient}
}

// cheatAccount is the account that cheatcodes are called at, as a precompiled contract.
type cheatAccount struct{ *cheats }

func (c cheatAccount) Name() string { return "cheatcodes" }

func (c cheatAccount) RequiredGas(input []byte) uint64 { return cheatcode.Gas(input) }

// Run calls a cheatcode for the frame that called the innermost one, which is the
// cheatcodes' own.
func (c cheatAccount) Run(input []byte) ([]byte, error) {
	depth := c.rec.top.depth - 1
	by := c.rec.top.caller
	if depth >= 0 {
		by = c.rec.open[depth].self
	}
	if c.only != nil && !slices.Contains(c.only, by) && !c.testing() {
		return nil, nil
	}
	c.stale = true
	output, ok := cheatcode.Run(c.host, c.writable(), c.edge, by, depth, input)
	if !ok {
		return output, vm.ErrExecutionReverted
	}
	return output, nil
}

// testing reports whether a fuzz test is being run.
func (c *cheats) testing() bool {
	outermost := c.rec.open[0]
	return c.tester != (common.Address{}) && outermost.caller == c.tester && slices.Contains(c.only, outermost.self)
}

// console is the account that console.log calls: what it is told is in the frame.
type console struct{}

func (console) Name() string { return "console" }

func (console) RequiredGas([]byte) uint64 { return 0 }

func (console) Run([]byte) ([]byte, error) { return nil, nil }
