package evm

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
)

// Clone is a copy that the machine's next run does not touch. Programs are
// shared: they are immutable.
func (e *Execution) Clone() *Execution {
	c := &Execution{
		Calls:     slices.Clone(e.Calls),
		Frames:    slices.Clone(e.Frames),
		Covered:   slices.Clone(e.Covered),
		Truncated: e.Truncated,
	}
	for i := range c.Calls {
		c.Calls[i].Output = slices.Clone(c.Calls[i].Output)
	}
	for i := range c.Frames {
		f := &c.Frames[i]
		f.Input, f.Output = slices.Clone(f.Input), slices.Clone(f.Output)
		f.Path = slices.Clone(f.Path)
		f.Comparisons = slices.Clone(f.Comparisons)
		f.Storage = slices.Clone(f.Storage)
		f.Logs = slices.Clone(f.Logs)
		for j := range f.Logs {
			f.Logs[j].Topics = slices.Clone(f.Logs[j].Topics)
			f.Logs[j].Data = slices.Clone(f.Logs[j].Data)
		}
	}
	return c
}

// Clone is a copy of the sequence that shares nothing with it.
func (s Sequence) Clone() Sequence {
	c := slices.Clone(s)
	for i := range c {
		c[i].Data = slices.Clone(c[i].Data)
		c[i].Overwrites = slices.Clone(c[i].Overwrites)
	}
	return c
}

// Export is the state after the last run as a World of its own: instances,
// senders, fork and chain are those of the machine's World, the block is the one
// of the last call.
func (r *Reference) Export() *World {
	w := *r.world
	w.Accounts = r.state.Export()
	w.Instances, w.Senders = slices.Clone(w.Instances), slices.Clone(w.Senders)
	w.Block.Number, w.Block.Time, w.Block.PrevRandao = r.number, r.time, r.random
	w.Cheats = r.cheats.export(&w.Block)
	return &w
}

func (a *account) export() *Account {
	out := &Account{Balance: *a.balance, Nonce: a.nonce, Code: a.code, Storage: map[common.Hash]common.Hash{}, Remote: a.remote}
	if a.world != nil {
		for key, value := range a.world.Storage {
			out.Storage[key] = value
		}
	}
	for key, s := range a.storage {
		if s.value == (common.Hash{}) && !a.remote {
			delete(out.Storage, key)
		} else {
			out.Storage[key] = s.value
		}
	}
	return out
}
