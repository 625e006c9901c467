// Package cheats brings package cheatcode's cheatcodes to a machine: the accounts that
// they are called at, what of them is undone with a call, and whom they listen to.
package cheats

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/evm/internal/record"
)

// Cheats is what a machine knows of cheatcodes; nil when the World has none. How they
// come by state and environment is each machine's own.
type Cheats struct {
	edge    *cheatcode.Edge
	answers *cheatcode.Answers
	only    []common.Address
	tester  common.Address
	lenient bool
	State   *cheatcode.State
	own     bool // State is not shared: it may be changed

	// stale: the environment is not what the next call finds where no cheatcode has set
	// anything, besides block number and time.
	stale bool

	before       *cheatcode.State // at the start of the call
	number, time uint64           // likewise
	host         Host
	rec          *record.Recorder
}

// Host is a machine that has cheatcodes.
type Host interface {
	cheatcode.Host
	// WorldEnvironment is what the next call finds where no cheatcode has set anything.
	WorldEnvironment() cheatcode.Environment
}

// New gives a machine what a World has.
func New(c *evm.Cheats) *Cheats {
	edge := &c.Edge
	if c.Answers != nil {
		answering := c.Answers.Edge()
		edge = &answering
	}
	return &Cheats{edge: edge, answers: c.Answers, only: c.Only, tester: c.Tester, lenient: c.Lenient, State: &c.State, stale: true}
}

// Install makes the cheatcodes' accounts precompiled contracts.
func (c *Cheats) Install(precompiles vm.PrecompiledContracts, host Host, rec *record.Recorder) {
	c.host, c.rec = host, rec
	rec.Watcher = c
	precompiles[cheatcode.Address] = Account{c}
	precompiles[cheatcode.Console] = console{}
}

// Writable is the state, to be changed.
func (c *Cheats) Writable() *cheatcode.State {
	if !c.own {
		c.State, c.own = c.State.Clone(), true
	}
	return c.State
}

// Keep is the state to come back to, before a call.
func (c *Cheats) Keep() *cheatcode.State {
	if c == nil {
		return nil
	}
	c.own = false
	return c.State
}

// Rewind goes back to what Keep returned.
func (c *Cheats) Rewind(to *cheatcode.State) {
	c.State, c.own, c.stale = to, false, true
	c.Begin()
}

// Begin puts the environment of a call into effect, where it is not in effect yet.
func (c *Cheats) Begin() {
	c.before = c.State
	if c.stale {
		c.stale = c.State.Settings != (cheatcode.Settings{})
		now := c.host.WorldEnvironment()
		c.State.Settings.Apply(&now)
		c.host.SetEnvironment(now)
	}
	now := c.host.Environment()
	c.number, c.time = now.Number, now.Time
}

// Finish is the last word on how a call ended: cheatcodes may have asked for something
// that did not happen. A call that fails leaves nothing behind.
func (c *Cheats) Finish(call *cheatcode.Call, outcome evm.Outcome, output []byte) (evm.Outcome, []byte) {
	if outcome == evm.Success && c.State.Busy() {
		if end := c.Writable().End(call, cheatcode.Answer{Success: true, Output: output}); !end.Success {
			outcome, output = evm.Reverted, end.Output
		}
	}
	if outcome != evm.Success && c.State != c.before {
		c.State, c.own, c.stale = c.before, false, true
		now := c.host.Environment()
		now.Number, now.Time = c.number, c.time
		c.host.SetEnvironment(now)
		now = c.host.WorldEnvironment()
		c.State.Settings.Apply(&now)
		c.host.SetEnvironment(now)
	}
	return outcome, output
}

// OutcomeFor is the outcome of a frame that cheatcodes end.
func OutcomeFor(success bool) evm.Outcome {
	if success {
		return evm.Success
	}
	return evm.Reverted
}

// Deployment is what [cheatcode.Creator] is called with, where a call is one of
// deployCode; false: it is not, or cannot be.
func (c *Cheats) Deployment(call *cheatcode.Call) (input []byte, ok bool) {
	if call.To != cheatcode.Address || call.Delegate || call.Static || !call.Value.IsZero() || !cheatcode.Deploys(call.Input) || c.only != nil && !slices.Contains(c.only, call.By) {
		return nil, false
	}
	return c.Writable().Deploy(c.edge, call)
}

// Accessed tells cheatcodes of a read or a write.
func (c *Cheats) Accessed(account common.Address, slot *uint256.Int, write bool) {
	if c.State.Recording {
		c.Writable().Accessed(cheatcode.Access{Account: account, Slot: slot.Bytes32(), Write: write})
	}
}

// Emitted tells cheatcodes of an event.
func (c *Cheats) Emitted(e cheatcode.Event) {
	if c.State.Watches() {
		c.Writable().Emitted(e)
	}
}

// BlockHash is the hash of a block, whose own is given.
func (c *Cheats) BlockHash(number uint64, own common.Hash) common.Hash {
	if hash, ok := c.State.BlockHash(number); ok {
		return hash
	}
	return own
}

// Export is the cheatcodes of the World after the last call, whose block is given.
func (c *Cheats) Export(block *evm.Block) *evm.Cheats {
	if c == nil {
		return nil
	}
	e := c.host.Environment()
	block.Coinbase, block.BaseFee, block.GasLimit, block.ChainID = e.Coinbase, e.BaseFee, e.GasLimit, e.ChainID
	return &evm.Cheats{State: *c.State.Clone(), Edge: *c.edge, Answers: c.answers, Only: c.only, Tester: c.tester, Lenient: c.lenient}
}

// Account is the account that cheatcodes are called at, as a precompiled contract.
type Account struct{ *Cheats }

// Name implements vm.PrecompiledContract.
func (c Account) Name() string { return "cheatcodes" }

// RequiredGas implements vm.PrecompiledContract.
func (c Account) RequiredGas(input []byte) uint64 { return cheatcode.Gas(input) }

// Run calls a cheatcode for the frame that called the innermost one, which is the
// cheatcodes' own.
func (c Account) Run(input []byte) ([]byte, error) {
	depth := c.rec.Top.Depth - 1
	by := c.rec.Top.Caller
	if depth >= 0 {
		by = c.rec.Open[depth].Self
	}
	if c.only != nil && !slices.Contains(c.only, by) && !c.testing() {
		return nil, nil
	}
	c.stale = true
	output, ok := cheatcode.Run(c.host, c.Writable(), c.edge, by, depth, input)
	if !ok {
		return output, vm.ErrExecutionReverted
	}
	return output, nil
}

// testing reports whether a fuzz test is being run.
func (c *Cheats) testing() bool {
	outermost := c.rec.Open[0]
	return c.tester != (common.Address{}) && outermost.Caller == c.tester && slices.Contains(c.only, outermost.Self)
}

// console is the account that console.log calls: what it is told is in the frame.
type console struct{}

func (console) Name() string { return "console" }

func (console) RequiredGas([]byte) uint64 { return 0 }

func (console) Run([]byte) ([]byte, error) { return nil, nil }
