package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// tally counts what became of the transactions of tests; it adds up.
type tally struct {
	passed   []int          // by executor
	failed   []int          // likewise
	skipped  map[string]int // by reason
	failures []failure      // the first maxFailures of each executor
}

// failure is a transaction that did not lead to what its test says.
type failure struct {
	file, test, fork string
	index            int // in the fork's list of post states
	executor         string
	what             string
}

// maxFailures bounds the failures that are shown, for each executor: a screen.
const maxFailures = 20

func newTally() *tally {
	return &tally{passed: make([]int, len(executors)), failed: make([]int, len(executors)), skipped: map[string]int{}}
}

func (t *tally) add(o *tally) {
	for i := range executors {
		t.passed[i] += o.passed[i]
		t.failed[i] += o.failed[i]
	}
	for reason, n := range o.skipped {
		t.skipped[reason] += n
	}
	for _, f := range o.failures {
		t.note(f)
	}
}

func (t *tally) note(f failure) {
	shown := 0
	for i := range t.failures {
		if t.failures[i].executor == f.executor {
			shown++
		}
	}
	if shown < maxFailures {
		t.failures = append(t.failures, f)
	}
}

// run runs every transaction of a test on every executor.
func (t *tally) run(file string, test named) {
	for _, name := range slices.Sorted(maps.Keys(test.Post)) {
		f, resolved, skip := findFork(name, uint64(test.Env.Time))
		if skip == "" {
			skip = test.applySchedule(&f, resolved)
		}
		if base := (*big.Int)(test.Env.BaseFee); skip == "" && base != nil && !base.IsUint64() {
			skip = skipBaseFee
		}
		if skip != "" {
			t.skipped[skip] += len(test.Post[name])
			continue
		}
		for i := range test.Post[name] {
			post := &test.Post[name][i]
			for n := range executors {
				what := test.try(&executors[n], f, post)
				if what == "" {
					t.passed[n]++
					continue
				}
				t.failed[n]++
				t.note(failure{file, test.name, name, i, executors[n].name, what})
			}
		}
	}
}

// applySchedule takes the blob parameters that the test itself gives.
func (f *fixture) applySchedule(to *fork, name string) (skip string) {
	s, given := f.Config.BlobSchedule[name]
	if !given || to.blobs == nil {
		return ""
	}
	const most = 1 << 20 // blobs; a block of some terabytes
	if s.Target > most || s.Max > most || s.UpdateFraction == 0 {
		return skipBlobless
	}
	to.blobs = &params.BlobConfig{Target: int(s.Target), Max: int(s.Max), UpdateFraction: uint64(s.UpdateFraction)}
	return ""
}

// defaultBaseFee is the base fee, wei, of tests that give none: the format's
// first tool took it from a genesis of 0x10 (go-ethereum has the same).
const defaultBaseFee = 0x0a

// block makes the test's block, with accounts of its own.
func (f *fixture) block(on fork) *block {
	env := &f.Env
	b := &block{fork: on, world: &evm.World{
		Accounts: map[common.Address]*evm.Account{},
		Fork:     on.machine,
		Block: evm.Block{
			Number: uint64(env.Number), Time: uint64(env.Time), Coinbase: common.Address(env.Coinbase),
			GasLimit: uint64(env.GasLimit), ChainID: 1, BaseFee: defaultBaseFee,
		},
	}}
	if env.Random != nil {
		b.world.Block.PrevRandao = common.BigToHash((*big.Int)(env.Random))
	}
	if env.BaseFee != nil {
		b.world.Block.BaseFee = (*big.Int)(env.BaseFee).Uint64()
	}
	if f.Config.ChainID != nil {
		b.world.Block.ChainID = uint64(*f.Config.ChainID)
	}
	b.baseFee.SetUint64(b.world.Block.BaseFee)
	b.blobBaseFee = *on.blobBaseFee((*uint64)(env.ExcessBlobGas))
	for address, a := range f.Pre {
		b.world.Accounts[address] = account(&a)
	}
	return b
}

// account is one of the tests' accounts as the machine has them.
func account(a *types.Account) *evm.Account {
	account := &evm.Account{Nonce: a.Nonce, Code: a.Code, Storage: map[common.Hash]common.Hash{}}
	if a.Balance != nil {
		account.Balance.SetFromBig(a.Balance)
	}
	for key, value := range a.Storage {
		if value != (common.Hash{}) {
			account.Storage[key] = value
		}
	}
	return account
}

// try runs one transaction and tells what is wrong; "" when nothing is.
func (f *fixture) try(e *executor, on fork, post *postJSON) string {
	b := f.block(on)
	before := maps.Clone(b.world.Accounts)
	accounts, logs, err := f.apply(e, b, post)
	switch {
	case err != nil && !isRefusal(err):
		return err.Error()
	case err != nil && post.ExpectException == "":
		return "refused: " + err.Error()
	case err != nil: // the state is to be as it was
		if got := stateRoot(before); post.Root != (common.UnprefixedHash{}) && got != common.Hash(post.Root) {
			return fmt.Sprintf("refused, as expected, but the state root is to be %x, not %x as before", post.Root, got)
		}
		return ""
	case post.ExpectException != "":
		return "accepted, which was to be refused: " + post.ExpectException
	}
	var wrong []string
	if got := stateRoot(accounts); got != common.Hash(post.Root) {
		wrong = append(wrong, fmt.Sprintf("state root %x, want %x%s", got, post.Root, describe(accounts, post.State)))
	}
	if got := logsHash(logs); got != common.Hash(post.Logs) {
		wrong = append(wrong, fmt.Sprintf("hash of %d events %x, want %x", len(logs), got, post.Logs))
	}
	return strings.Join(wrong, "; ")
}

// apply decodes the transaction and applies it.
func (f *fixture) apply(e *executor, b *block, post *postJSON) (map[common.Address]*evm.Account, []*types.Log, error) {
	t, err := f.transaction(post)
	if err != nil {
		return nil, nil, err
	}
	if len(post.TxBytes) > 0 { // as it is signed and sent
		var sent types.Transaction
		if err := sent.UnmarshalBinary(post.TxBytes); err != nil {
			return nil, nil, errors.Join(refuse("its bytes are not a transaction"), err)
		}
		if _, err := types.Sender(types.LatestSigner(b.fork.config(b.world.Block.ChainID)), &sent); err != nil {
			return nil, nil, errors.Join(refuse("its signature is none on this chain"), err)
		}
	}
	return e.safely(b, t)
}

// maxDifferences bounds what is told of one state: enough to begin with.
const maxDifferences = 6

// describe tells where accounts are not as the test says, if it says it.
func describe(accounts map[common.Address]*evm.Account, state json.RawMessage) string {
	var want types.GenesisAlloc
	if len(state) == 0 || json.Unmarshal(state, &want) != nil {
		return ""
	}
	var all []common.Address
	for address := range want { // sorted below
		all = append(all, address)
	}
	for address := range accounts { // likewise
		if _, known := want[address]; !known {
			all = append(all, address)
		}
	}
	slices.SortFunc(all, common.Address.Cmp)
	var text []string
	for _, address := range all {
		w, wanted := want[address]
		got := accounts[address]
		switch {
		case !wanted:
			text = append(text, fmt.Sprintf("%x is there", address))
		case got == nil:
			text = append(text, fmt.Sprintf("%x is missing", address))
		default:
			text = append(text, differences(address, got, account(&w))...)
		}
	}
	if len(text) > maxDifferences {
		text = append(text[:maxDifferences], fmt.Sprintf("and %d more", len(text)-maxDifferences))
	}
	if len(text) == 0 {
		return ""
	}
	return ": " + strings.Join(text, ", ")
}

func differences(address common.Address, got, want *evm.Account) []string {
	var text []string
	if !got.Balance.Eq(&want.Balance) {
		text = append(text, fmt.Sprintf("%x: balance %s, want %s", address, got.Balance.Dec(), want.Balance.Dec()))
	}
	if got.Nonce != want.Nonce {
		text = append(text, fmt.Sprintf("%x: nonce %d, want %d", address, got.Nonce, want.Nonce))
	}
	if !bytes.Equal(got.Code, want.Code) {
		text = append(text, fmt.Sprintf("%x: other code", address))
	}
	keys := slices.Collect(maps.Keys(got.Storage)) // sorted below
	for key := range want.Storage {                // likewise
		if _, known := got.Storage[key]; !known {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, common.Hash.Cmp)
	for _, key := range keys {
		if got.Storage[key] != want.Storage[key] {
			text = append(text, fmt.Sprintf("%x: slot %s = %s, want %s", address, key.Big(), got.Storage[key].Big(), want.Storage[key].Big()))
		}
	}
	return text
}
