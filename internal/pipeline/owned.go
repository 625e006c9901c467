package pipeline

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/abi"
)

// maxOwnedID bounds the ids of which is asked to whom they belong. Arbitrary: set-ups give each sender one, numbered from zero or one on.
const maxOwnedID = 16

// owned tells to whom ids belong in the World before any call: of all its contracts with ownerOf(uint256), by the id.
func (c *conditions) owned() (map[common.Address][]uint64, error) {
	if c.ids != nil {
		return c.ids, nil
	}
	c.ids = map[common.Address][]uint64{}
	for _, in := range c.head.World.Instances {
		if in.Contract == nil {
			continue
		}
		m, ok := in.Contract.ABI.Methods["ownerOf"]
		if !ok || m.Sig != "ownerOf(uint256)" {
			continue
		}
		for id := range uint64(maxOwnedID) {
			word := uint256.NewInt(id).Bytes32()
			exec, err := c.judge.Run(evm.Sequence{{From: c.head.Space.Senders[0].Address, To: in.Address, Data: append(slices.Clip(m.ID), word[:]...)}})
			if err != nil {
				return nil, err
			}
			if result := &exec.Calls[0]; result.Outcome == evm.Success && len(result.Output) == abi.WordSize {
				owner := common.BytesToAddress(result.Output)
				c.ids[owner] = append(c.ids[owner], id)
			}
		}
	}
	return c.ids, nil
}

// withOwn is a sequence in which ids that one sender owns are such as another one does; false: one of them owns none, or no call names one.
func (c *conditions) withOwn(seq input.Sequence, sender, other int) (input.Sequence, bool) {
	ids, err := c.owned()
	if err != nil {
		return nil, false
	}
	all := c.head.Space.Senders
	his, theirs := ids[all[sender].Address], ids[all[other].Address]
	if len(his) == 0 || len(theirs) == 0 {
		return nil, false
	}
	changed := false
	out := seq.Clone()
	for i := range out {
		out[i].Args = slices.Clone(out[i].Args)
		for j := range out[i].Args {
			v := &out[i].Args[j]
			if out[i].Function.Inputs[j].Kind == input.Uint && v.Word.IsUint64() && slices.Contains(his, v.Word.Uint64()) {
				v.Word.SetUint64(theirs[0])
				changed = true
			}
		}
	}
	return out, changed
}
