// Package chain reads a chain's state at one block through JSON-RPC, and keeps what it
// was told on disk.
package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Options say which chain is read.
type Options struct {
	URL string // of the JSON-RPC endpoint; its path often is a secret, and no message shows it
	// Block is the number of the block whose state is read; nil: the latest, which is
	// another one each time.
	Block *uint64
	// Cache is the folder in which answers are kept; empty: nowhere. A block that is
	// there needs no endpoint for what was asked before.
	Cache string
	// Pause is the time before an endpoint that could not answer is asked again; it doubles
	// each time. 0: half a second.
	Pause time.Duration
}

// Chain is a chain at one block. It is an [evm.Origin].
type Chain struct {
	client *client
	file   string // of the cache; empty: none
	head   head

	mu       sync.RWMutex
	accounts map[common.Address]*evm.Account // nil where there is none; they never change
	stored   map[slot]common.Hash            // words that their Storage lacks
	asked    int                             // answers that came from the endpoint
	ctx      context.Context                 //nolint:containedctx // an Origin is asked in the middle of an execution, which has none
}

// slot is where a word is.
type slot struct {
	address common.Address
	key     common.Hash
}

var _ evm.Origin = (*Chain)(nil)

// head is what is known of the block.
type head struct {
	Chain uint64      `json:"chain"`
	Hash  common.Hash `json:"hash"`
	Block evm.Block   `json:"block"`
}

// Open prepares to read a chain. All it asks until ctx ends is asked within ctx.
func Open(ctx context.Context, options Options) (*Chain, error) {
	place, err := parseURL(options.URL)
	if err != nil {
		return nil, err
	}
	c := &Chain{accounts: map[common.Address]*evm.Account{}, stored: map[slot]common.Hash{}, ctx: ctx}
	if c.client, err = dial(ctx, place, cmp.Or(options.Pause, defaultPause)); err != nil {
		return nil, err
	}
	if options.Block != nil && options.Cache != "" {
		c.file = cacheFile(options.Cache, options.URL, *options.Block)
		if err := c.load(); err != nil {
			return nil, err
		}
		if c.head.Chain != 0 {
			return c, nil
		}
	}
	if err := c.ask(ctx, options.Block); err != nil {
		return nil, err
	}
	if options.Cache != "" {
		c.file = cacheFile(options.Cache, options.URL, c.head.Block.Number)
	}
	return c, nil
}

// CheckURL reports whether text can be an endpoint's address. It does not repeat it.
func CheckURL(text string) error {
	_, err := parseURL(text)
	return err
}

func parseURL(text string) (*url.URL, error) {
	place, err := url.Parse(text)
	if err != nil || place.Host == "" || place.Scheme != "http" && place.Scheme != "https" {
		return nil, errors.New("the endpoint is not a URL: want http://… or https://…")
	}
	return place, nil
}

// ask asks for the block.
func (c *Chain) ask(ctx context.Context, number *uint64) error {
	at := "latest"
	if number != nil {
		at = hexutil.EncodeUint64(*number)
	}
	var chain hexutil.Uint64
	var header *types.Header
	if err := c.client.batch(ctx, []rpc.BatchElem{
		{Method: "eth_chainId", Result: &chain},
		{Method: "eth_getBlockByNumber", Args: []any{at, false}, Result: &header},
	}); err != nil {
		return err
	}
	if header == nil {
		return fmt.Errorf("%s has no block %s", c.client.host, at)
	}
	if !header.Number.IsUint64() || number != nil && header.Number.Uint64() != *number {
		return fmt.Errorf("%s answers with another block than %s", c.client.host, at)
	}
	c.head = head{Chain: uint64(chain), Hash: header.Hash(), Block: evm.Block{
		Number: header.Number.Uint64(), Time: header.Time, Coinbase: header.Coinbase,
		PrevRandao: header.MixDigest, GasLimit: header.GasLimit, ChainID: uint64(chain),
	}}
	if header.BaseFee != nil && header.BaseFee.IsUint64() {
		c.head.Block.BaseFee = header.BaseFee.Uint64()
	}
	return nil
}

// ID is the chain's id (EIP-155).
func (c *Chain) ID() uint64 { return c.head.Chain }

// Hash is the block's.
func (c *Chain) Hash() common.Hash { return c.head.Hash }

// Block is the environment of the block.
func (c *Chain) Block() evm.Block { return c.head.Block }

// Host is where the endpoint is, without what may be secret.
func (c *Chain) Host() string { return c.client.host }

// Asked is the number of accounts and words that the endpoint was asked for.
func (c *Chain) Asked() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.asked
}

// earlySlots are the words of storage that are asked for with a contract: the first
// ones, where most contracts keep what every call looks at. Arbitrary: one question
// instead of as many as the machine would ask one after the other.
const earlySlots = 16

// Account implements [evm.Origin].
func (c *Chain) Account(address common.Address) (*evm.Account, error) {
	c.mu.RLock()
	a, known := c.accounts[address]
	c.mu.RUnlock()
	if known {
		return a, nil
	}
	a, err := c.fetch(address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other, known := c.accounts[address]; known { // another worker was faster
		return other, nil
	}
	c.accounts[address] = a
	c.asked++
	return a, nil
}

// fetch asks for an account; nil where there is none.
func (c *Chain) fetch(address common.Address) (*evm.Account, error) {
	at := hexutil.EncodeUint64(c.head.Block.Number)
	var balance hexutil.U256
	var nonce hexutil.Uint64
	var code hexutil.Bytes
	if err := c.client.batch(c.ctx, []rpc.BatchElem{
		{Method: "eth_getBalance", Args: []any{address, at}, Result: &balance},
		{Method: "eth_getTransactionCount", Args: []any{address, at}, Result: &nonce},
		{Method: "eth_getCode", Args: []any{address, at}, Result: &code},
	}); err != nil {
		return nil, err
	}
	a := &evm.Account{Balance: uint256.Int(balance), Nonce: uint64(nonce), Code: code, Storage: map[common.Hash]common.Hash{}, Remote: true}
	if len(code) == 0 {
		if a.Balance.IsZero() && a.Nonce == 0 {
			return nil, nil //nolint:nilnil // there is no account, which is not a failure
		}
		return a, nil
	}
	keys := make([]common.Hash, earlySlots)
	for i := range keys {
		keys[i] = common.BytesToHash([]byte{byte(i)})
	}
	values, err := c.words(address, keys)
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		a.Storage[key] = values[i]
	}
	return a, nil
}

// words asks for words of an account's storage.
func (c *Chain) words(address common.Address, keys []common.Hash) ([]common.Hash, error) {
	at := hexutil.EncodeUint64(c.head.Block.Number)
	answers := make([]hexutil.Bytes, len(keys))
	batch := make([]rpc.BatchElem, len(keys))
	for i, key := range keys {
		batch[i] = rpc.BatchElem{Method: "eth_getStorageAt", Args: []any{address, key, at}, Result: &answers[i]}
	}
	if err := c.client.batch(c.ctx, batch); err != nil {
		return nil, err
	}
	values := make([]common.Hash, len(keys))
	for i, answer := range answers {
		if len(answer) > common.HashLength {
			return nil, fmt.Errorf("%s answers with a word of %d bytes", c.client.host, len(answer))
		}
		values[i] = common.BytesToHash(answer)
	}
	return values, nil
}

// Word implements [evm.Origin].
func (c *Chain) Word(address common.Address, key common.Hash) (common.Hash, error) {
	a, err := c.Account(address)
	if err != nil || a == nil || len(a.Code) == 0 {
		return common.Hash{}, err // only code writes to storage
	}
	if value, known := a.Storage[key]; known {
		return value, nil
	}
	at := slot{address, key}
	c.mu.RLock()
	value, known := c.stored[at]
	c.mu.RUnlock()
	if known {
		return value, nil
	}
	values, err := c.words(address, []common.Hash{key})
	if err != nil {
		return common.Hash{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stored[at] = values[0]
	c.asked++
	return values[0], nil
}

// Known implements [evm.Origin].
func (c *Chain) Known() map[common.Address]*evm.Account {
	c.mu.RLock()
	defer c.mu.RUnlock()
	known := map[common.Address]*evm.Account{}
	for address, a := range c.accounts {
		if a != nil {
			whole := *a
			whole.Storage = maps.Clone(a.Storage)
			known[address] = &whole
		}
	}
	for at, value := range c.stored {
		known[at.address].Storage[at.key] = value
	}
	return known
}
