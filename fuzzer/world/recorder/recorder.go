// Package recorder is a chain that deploy scripts talk to: what they send to its JSON-RPC
// endpoint is run at once, each transaction in a block of its own, and recorded, so that
// a World can be made of it.
package recorder

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

const (
	// gasLimit is what a transaction gets, whatever it asks for: code that is made for
	// mapping is up to four times as long as what the script has measured.
	gasLimit = 4 * evm.CallGas
	// maxTransactions bounds a script: the largest deployments have some hundreds.
	maxTransactions = 10_000
	// secondsPerBlock is mainnet's.
	secondsPerBlock = 12
)

// Options say what scripts find.
type Options struct {
	// Substitute replaces creation code that a script sends, its arguments included, by
	// what is to run in its place; nil: nothing is replaced.
	Substitute func(code []byte) []byte
	// Deployer is a contract that deploys what stands behind 32 bytes of salt in its
	// calldata. What is replaced there lies where the script's own code would.
	Deployer common.Address
	Machine  []evm.Option
}

// Recorder is the chain.
type Recorder struct {
	options  Options
	instance common.Hash // that no other Recorder has, in no run; nothing else depends on it

	mu       sync.Mutex
	start    *evm.World
	machine  *gethvm.Reference
	calls    evm.Sequence // the transactions so far, the failed ones too
	made     []*transaction
	byHash   map[common.Hash]*transaction
	waiting  []*transaction // for one with the nonce before theirs
	sent     int            // transactions, those that wait included
	state    *evm.World     // behind calls; nil: not known
	advance  uint64         // seconds that pass before the next transaction, beyond a block's
	refusals []string
}

// transaction is one that was run.
type transaction struct {
	hash     common.Hash
	nonce    uint64
	from     common.Address
	to       *common.Address // nil: a deployment
	data     []byte          // as the script sent it
	value    *uint256.Int    // wei; nil: none
	call     evm.Call        // that was run
	given    []byte          // what the script gave as its Data
	contract *common.Address
	gasUsed  uint64
	outcome  evm.Outcome
	logs     []*types.Log
	number   uint64 // of its block
	time     uint64
}

// New makes a chain that begins with a World.
func New(world *evm.World, table *bytecode.Table, options Options) (*Recorder, error) {
	machine, err := gethvm.New(world, table, options.Machine...)
	if err != nil {
		return nil, err
	}
	r := &Recorder{options: options, start: world, machine: machine, byHash: map[common.Hash]*transaction{}}
	_, err = rand.Read(r.instance[:])
	return r, err
}

// Handler serves the endpoint.
func (r *Recorder) Handler() (http.Handler, error) {
	server := rpc.NewServer()
	for name, methods := range map[string]any{
		"eth": &ethMethods{r}, "net": &netMethods{r}, "web3": &web3Methods{},
		"evm": &evmMethods{r}, "hardhat": &devMethods{r}, "anvil": &devMethods{r},
	} {
		if err := server.RegisterName(name, methods); err != nil {
			return nil, err
		}
	}
	return server, nil
}

// Given are the transactions that succeeded, in order, with the code that the script
// sent.
func (r *Recorder) Given() evm.Sequence {
	r.mu.Lock()
	defer r.mu.Unlock()
	var calls evm.Sequence
	for _, t := range r.made {
		if t.outcome == evm.Success {
			call := t.call
			call.Data = t.given
			calls = append(calls, call)
		}
	}
	return calls
}

// Failed are the transactions that failed, for people: what they would have done is not
// in the World.
func (r *Recorder) Failed() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	failed := slices.Clone(r.refusals)
	for _, t := range r.waiting {
		failed = append(failed, fmt.Sprintf("a transaction from %s with the nonce %d: those before it were never sent", t.from, t.nonce))
	}
	return failed
}

// head is the number and the time of the latest block.
func (r *Recorder) head() (number, at uint64) {
	if n := len(r.made); n > 0 {
		return r.made[n-1].number, r.made[n-1].time
	}
	return r.start.Block.Number, r.start.Block.Time
}

// nonce is an account's.
func (r *Recorder) nonce(a common.Address) (uint64, error) {
	n := uint64(0)
	account, err := r.start.Account(a)
	if err != nil {
		return 0, err
	}
	if account != nil {
		n = account.Nonce
	}
	for _, t := range r.made {
		if t.from == a {
			n++
		}
	}
	return n, nil
}

// send runs a transaction, or keeps it until those of its account that come before it
// have been sent, as a node does: forge sends several at once. A nil nonce is the
// next one, a nil hash is made up. A failure of the contract is not an error: the
// receipt tells.
func (r *Recorder) send(t *transaction, nonce *uint64, hash *common.Hash) (common.Hash, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sent >= maxTransactions {
		return common.Hash{}, fmt.Errorf("at most %d transactions are recorded", maxTransactions)
	}
	next, err := r.nonce(t.from)
	if err != nil {
		return common.Hash{}, err
	}
	t.nonce = next
	if nonce != nil {
		t.nonce = *nonce
	}
	if t.nonce < next {
		return common.Hash{}, fmt.Errorf("nonce too low: next nonce %d, tx nonce %d", next, t.nonce)
	}
	if hash != nil {
		t.hash = *hash
	} else {
		t.hash = crypto.Keccak256Hash([]byte("sightline recorded transaction"), new(uint256.Int).SetUint64(uint64(r.sent)).PaddedBytes(32))
	}
	r.sent++
	r.waiting = append(r.waiting, t)
	return t.hash, r.runWaiting()
}

// runWaiting runs the transactions whose turn it is.
func (r *Recorder) runWaiting() error {
	for i := 0; i < len(r.waiting); i++ {
		t := r.waiting[i]
		next, err := r.nonce(t.from)
		if err != nil {
			return err
		}
		if t.nonce != next {
			continue
		}
		r.waiting = slices.Delete(r.waiting, i, i+1)
		if err := r.run(t); err != nil {
			return err
		}
		i = -1 // another one may have waited for it
	}
	return nil
}

// run runs a transaction in a block of its own.
func (r *Recorder) run(t *transaction) error {
	t.call, t.given = r.call(t.from, t.to, t.data, t.value, t.nonce)
	t.call.BlockAdvance, t.call.TimeAdvance = 1, secondsPerBlock+r.advance
	number, at := r.head()
	t.number, t.time = number+1, at+t.call.TimeAdvance
	exec, err := r.machine.Run(append(slices.Clip(r.calls), t.call))
	if err != nil {
		return err
	}
	result := &exec.Calls[len(exec.Calls)-1]
	t.outcome, t.gasUsed = result.Outcome, result.GasUsed
	if t.outcome == evm.Success {
		t.logs = logsOf(exec, len(exec.Calls)-1)
	} else {
		r.refusals = append(r.refusals, fmt.Sprintf("transaction %d, from %s: %s", len(r.made)+1, t.from, result.Reason()))
	}
	if t.to == nil {
		address := t.call.Address
		t.contract = &address
	}
	for _, l := range t.logs {
		l.TxHash, l.BlockNumber, l.BlockHash = t.hash, t.number, blockHash(t.number)
	}
	r.advance, r.state = 0, nil
	r.calls, r.made = append(r.calls, t.call), append(r.made, t)
	r.byHash[t.hash] = t
	return nil
}

// saltSize is how much of the deployer's calldata is salt, bytes.
const saltSize = 32

// call is a transaction as a call, with its data before anything was replaced.
func (r *Recorder) call(from common.Address, to *common.Address, data []byte, value *uint256.Int, nonce uint64) (c evm.Call, given []byte) {
	c = evm.Call{From: from, Data: data, Gas: gasLimit}
	if value != nil {
		c.Value = *value
	}
	switch {
	case to == nil:
		c.Create, c.Address, c.Data = true, crypto.CreateAddress(from, nonce), r.substitute(data)
	case *to == r.options.Deployer && len(data) > saltSize && c.Value.IsZero():
		code := data[saltSize:]
		if replaced := r.substitute(code); !bytes.Equal(replaced, code) {
			at := crypto.CreateAddress2(*to, common.BytesToHash(data[:saltSize]), crypto.Keccak256(code))
			return evm.Call{From: *to, Create: true, Address: at, Data: replaced, Gas: gasLimit}, code
		}
		c.To = *to
	default:
		c.To = *to
	}
	return c, data
}

func (r *Recorder) substitute(code []byte) []byte {
	if r.options.Substitute == nil {
		return code
	}
	return r.options.Substitute(code)
}

// logsOf are the events of a call that succeeded, without those of what it called that
// failed.
func logsOf(exec *evm.Execution, call int) []*types.Log {
	var logs []*types.Log
	frames := exec.Calls[call].Frames
	undone := map[int]bool{}
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if undone[i] = f.Outcome != evm.Success || undone[f.Parent]; undone[i] {
			continue
		}
		for _, l := range f.Logs {
			logs = append(logs, &types.Log{Address: l.Address, Topics: slices.Clone(l.Topics), Data: slices.Clone(l.Data), Index: uint(len(logs))})
		}
	}
	return logs
}

// blockHash makes up the hash of a block.
func blockHash(number uint64) common.Hash {
	return crypto.Keccak256Hash([]byte("sightline recorded block"), new(uint256.Int).SetUint64(number).PaddedBytes(32))
}
