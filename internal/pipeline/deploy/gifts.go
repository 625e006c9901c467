package deploy

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// maxGifts bounds the sequences of [Deployment.GiftSeeds]. Arbitrary: a share of a second of a campaign.
const maxGifts = 128

// GiftSeeds are calls that send a contract of the World one of the tokens that an account owns: what it owns and what its books say
// differ then, which few contracts allow for, and few properties: those are asked.
func (d *Deployment) GiftSeeds() []input.Sequence {
	var seeds []input.Sequence
	var judge evm.Machine // made for the first token
	for i := range d.Space.Instances {
		token := &d.Space.Instances[i]
		if token.Fresh || token.Asked || token.Contract == nil {
			continue
		}
		pays, owns := token.Contract.ABI.Methods["transfer"], token.Contract.ABI.Methods["balanceOf"]
		if pays.Sig != "transfer(address,uint256)" || owns.Sig != "balanceOf(address)" {
			continue
		}
		if judge == nil {
			var err error
			if judge, err = d.NewJudge(); err != nil {
				return nil // the campaign says so
			}
		}
		for _, sender := range d.Space.Senders {
			if len(seeds) >= maxGifts {
				return seeds
			}
			if d.isAccount(sender.Address) && ownsSome(judge, token.Address, owns.ID, sender.Address) {
				seeds = append(seeds, d.gifts(i, pays.ID, sender.Address)...)
			}
		}
	}
	return seeds
}

// isAccount reports whether a sender has no code.
func (d *Deployment) isAccount(address common.Address) bool {
	account, err := d.World.Account(address)
	return err == nil && (account == nil || len(account.Code) == 0)
}

// ownsSome reports whether a token says that an account has some of it.
func ownsSome(judge evm.Machine, token common.Address, getter []byte, account common.Address) bool {
	exec, err := judge.Run(evm.Sequence{{From: account, To: token, Data: slices.Concat(getter, common.BytesToHash(account[:]).Bytes())}})
	return err == nil && exec.Calls[0].Outcome == evm.Success && len(exec.Calls[0].Output) == common.HashLength && common.BytesToHash(exec.Calls[0].Output) != common.Hash{}
}

// gifts are a sender's transfers of one token to each of the other contracts.
func (d *Deployment) gifts(token int, pays []byte, from common.Address) []input.Sequence {
	var seeds []input.Sequence
	for i := range d.Space.Instances {
		to := &d.Space.Instances[i]
		if i == token || to.Fresh || to.Asked {
			continue
		}
		gift := evm.Call{From: from, To: d.Space.Instances[token].Address, Data: slices.Concat(pays, common.BytesToHash(to.Address[:]).Bytes(), common.BytesToHash([]byte{1}).Bytes())}
		call, err := d.Space.Read(&gift)
		if err != nil {
			continue
		}
		seeds = append(seeds, input.Sequence{call})
		for _, p := range d.Space.Properties() { // most gifts show nothing new, after which few properties are asked
			if within := d.Space.Recast(p, input.Sequence{call}); len(within) == 1 {
				seeds = append(seeds, input.Sequence{within[0], {Instance: p.Instance, Function: p.Function}})
			}
		}
	}
	return seeds
}
