package laws

import "github.com/holiman/uint256"

func isERC721(t *Token) bool {
	return t.Keeps(Owner) && t.Keeps(Balance) && t.has("transferFrom(address,address,uint256)")
}

var (
	safeTransfer     = selector("safeTransferFrom(address,address,uint256)")
	safeTransferData = selector("safeTransferFrom(address,address,uint256,bytes)")
)

var erc721 = []*Law{
	{
		Standard: "ERC-721", Source: "EIP-721, balanceOf: count all NFTs assigned to an owner",
		Broken:   "the balances of %s no longer count the tokens that accounts own: %s changes one without the other",
		Refusing: true, judge: balancesCount,
	},
	{
		Standard: "ERC-721", Source: "EIP-721, totalSupply: a count of valid NFTs",
		Broken:   "the supply of %s no longer counts its tokens: %s changes one without the other",
		Refusing: true, judge: supplyCounts,
	},
	{
		Standard: "ERC-721", Source: "EIP-721, transferFrom: transfer ownership of an NFT",
		Broken: "a transfer of %s no longer makes the receiver the owner: %s",
		judge:  ownerMoves,
	},
	{
		Standard: "ERC-721", Source: "EIP-721, Approval: a transfer resets the approved address of that NFT to none",
		Broken: "a transfer of %s no longer clears the approval for the token: %s",
		judge:  approvalCleared,
	},
}

// manyChanges bounds what is compared pair by pair. Arbitrary.
const manyChanges = 64

// balancesCount: the balance of an account changes by the ids that it gets and loses.
func balancesCount(c *Call) Verdict {
	tested := false
	if len(c.Changes) > manyChanges {
		return Untested
	}
	for i := range c.Changes {
		var accounts []uint256.Int
		switch change := &c.Changes[i]; change.Family {
		case Owner:
			accounts = []uint256.Int{change.Before, change.After}
		case Balance:
			accounts = change.Keys[:1]
		}
		for j := range accounts {
			if accounts[j].IsZero() { // burned, or not yet minted
				continue
			}
			tested = true
			if !c.counts(&accounts[j]) {
				return Broken
			}
		}
	}
	if !tested {
		return Untested
	}
	return Kept
}

// counts reports whether an account's balance changes as its ids do.
func (c *Call) counts(account *uint256.Int) bool {
	var s sum
	one := uint256.NewInt(1)
	for i := range c.Changes {
		switch change := &c.Changes[i]; {
		case change.Family == Balance && change.Keys[0] == *account:
			s.change(&change.After, &change.Before)
		case change.Family == Owner && change.After == *account:
			s.add(one)
		case change.Family == Owner && change.Before == *account:
			s.sub(one)
		}
	}
	return s.sign() == 0
}

// supplyCounts: it changes by the ids that get their first owner, and that have none any more.
func supplyCounts(c *Call) Verdict {
	if !c.Token.Keeps(Supply) {
		return Untested
	}
	var s sum
	tested := false
	one := uint256.NewInt(1)
	for i := range c.Changes {
		switch change := &c.Changes[i]; {
		case change.Family == Supply:
			s.change(&change.After, &change.Before)
		case change.Family != Owner:
			continue
		case change.Before.IsZero():
			s.add(one)
		case change.After.IsZero():
			s.sub(one)
		}
		tested = true
	}
	if !tested {
		return Untested
	}
	return keptIf(s.sign() == 0)
}

// handed are the parties of a transfer of an id.
func handed(c *Call) (from, to, id uint256.Int, ok bool) {
	if !c.is(transferFrom, 3) && !c.is(safeTransfer, 3) && !c.is(safeTransferData, 3) {
		return from, to, id, false
	}
	return c.argument(0), c.argument(1), c.argument(2), true
}

// ownerMoves: the id is the receiver's, and no other id changes hands.
func ownerMoves(c *Call) Verdict {
	from, to, id, ok := handed(c)
	owner, known := c.value(Owner, [2]uint256.Int{id})
	if !ok || !known || from == to {
		return Untested
	}
	change := c.changeOf(Owner, id)
	return keptIf(owner == to && change != nil && change.Before == from && c.only(Owner, change))
}

// approvalCleared: an account that was approved for the id is so no longer.
func approvalCleared(c *Call) Verdict {
	from, to, id, ok := handed(c)
	approved, known := c.value(Approved, [2]uint256.Int{id})
	if !ok || !known || from == to {
		return Untested
	}
	if change := c.changeOf(Approved, id); change == nil && approved.IsZero() {
		return Untested // there was none
	}
	return keptIf(approved.IsZero())
}
