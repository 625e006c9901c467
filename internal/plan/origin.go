package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Chain is the block that a World goes on from.
type Chain struct {
	ID    uint64      `json:"id"`
	Block uint64      `json:"block"` // number
	Hash  common.Hash `json:"hash"`
}

// originPart is what is known of a chain that the World goes on from.
type originPart struct {
	// Known are the accounts that were asked for, with the words that were.
	Known map[common.Address]accountPart `json:"known"`
	// Remote are the World's own accounts whose other words are the chain's: of the World, and then of each bare World in
	// order of the instances; null for one that does not go on from the chain.
	Remote [][]common.Address `json:"remote"`
}

type accountPart struct {
	Balance *uint256.Int                `json:"balance"`
	Nonce   uint64                      `json:"nonce,omitempty"`
	Code    []byte                      `json:"code,omitempty"`
	Storage map[common.Hash]common.Hash `json:"storage,omitempty"`
}

// answers are an origin's answers so far. It implements [evm.Origin].
type answers struct {
	known map[common.Address]*evm.Account
	next  evm.Origin // is asked for everything else; nil: there is nothing else
}

func (a *answers) Account(address common.Address) (*evm.Account, error) {
	if account := a.known[address]; account != nil || a.next == nil {
		return account, nil
	}
	return a.next.Account(address)
}

func (a *answers) Word(address common.Address, key common.Hash) (common.Hash, error) {
	if account := a.known[address]; account != nil {
		if value, ok := account.Storage[key]; ok {
			return value, nil
		}
	}
	if a.next == nil {
		return common.Hash{}, nil
	}
	return a.next.Word(address, key)
}

func (a *answers) Known() map[common.Address]*evm.Account {
	known := map[common.Address]*evm.Account{}
	if a.next != nil {
		known = a.next.Known()
	}
	for address, account := range a.known { // into a map
		whole := *account
		whole.Storage = maps.Clone(account.Storage)
		if other := known[address]; other != nil {
			maps.Copy(whole.Storage, other.Storage)
		}
		known[address] = &whole
	}
	return known
}

// worldsOf are a World and the bare Worlds of its instances.
func worldsOf(w *evm.World) []*evm.World {
	list := []*evm.World{w}
	for i := range w.Instances {
		if bare := w.Instances[i].Bare; bare != nil {
			list = append(list, bare.World)
		}
	}
	return list
}

// apart is a World without its origin, and what is known of that; nil where it has none.
func apart(w *evm.World) (*evm.World, *originPart) {
	if w.Origin == nil {
		return w, nil
	}
	part := &originPart{Known: map[common.Address]accountPart{}}
	for address, a := range w.Origin.Known() { // into a map
		part.Known[address] = accountPart{&a.Balance, a.Nonce, a.Code, a.Storage}
	}
	for _, world := range worldsOf(w) {
		if world.Origin == nil {
			part.Remote = append(part.Remote, nil)
			continue
		}
		remote := []common.Address{}
		for address, a := range world.Accounts {
			if a.Remote {
				remote = append(remote, address)
			}
		}
		slices.SortFunc(remote, common.Address.Cmp)
		part.Remote = append(part.Remote, remote)
	}
	out := *w
	out.Origin = nil
	out.Instances = append([]evm.Instance{}, w.Instances...)
	for i := range out.Instances {
		if bare := out.Instances[i].Bare; bare != nil {
			world := *bare.World
			world.Origin = nil
			out.Instances[i].Bare = &evm.Bare{World: &world, Address: bare.Address}
		}
	}
	return &out, part
}

// restore puts the answers under a World that was read.
func (part *originPart) restore(w *evm.World) error {
	origin := &answers{known: map[common.Address]*evm.Account{}}
	for address, a := range part.Known { // into a map
		account := &evm.Account{Nonce: a.Nonce, Code: a.Code, Storage: a.Storage, Remote: true}
		if a.Balance != nil {
			account.Balance = *a.Balance
		}
		if account.Storage == nil {
			account.Storage = map[common.Hash]common.Hash{}
		}
		origin.known[address] = account
	}
	worlds := worldsOf(w)
	if len(part.Remote) != len(worlds) {
		return fmt.Errorf("accounts of a chain in %d Worlds, of which there are %d", len(part.Remote), len(worlds))
	}
	for i, world := range worlds {
		if part.Remote[i] == nil {
			continue
		}
		world.Origin = origin
		for _, address := range part.Remote[i] {
			a := world.Accounts[address]
			if a == nil {
				return fmt.Errorf("there is no account %s to be a chain's", address)
			}
			a.Remote = true
			if a.Storage == nil {
				a.Storage = map[common.Hash]common.Hash{}
			}
		}
	}
	return nil
}

// Ask lets the World ask a chain for what the plan does not have of it. It is to be called before any machine is made.
func (p *Plan) Ask(chain evm.Origin) {
	for _, w := range worldsOf(p.Config.World) {
		if origin, ok := w.Origin.(*answers); ok {
			origin.next = chain
		}
	}
}
