package laws

import (
	"slices"

	"github.com/holiman/uint256"
)

func isERC1155(t *Token) bool {
	return t.Keeps(BalanceOfID) && t.has("safeTransferFrom(address,address,uint256,uint256,bytes)")
}

var (
	transferID    = selector("safeTransferFrom(address,address,uint256,uint256,bytes)")
	transferBatch = selector("safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)")
)

var erc1155 = []*Law{
	{
		Standard: "ERC-1155", Source: "EIP-1155, safeTransferFrom: transfers _value amount of an _id from one address to another",
		Broken: "a transfer of %s no longer moves the amount that it is given: %s",
		judge:  movesID,
	},
	{
		Standard: "ERC-1155", Source: "EIP-1155, safeBatchTransferFrom: balance changes as if the transfers were made one by one",
		Broken: "a batch of transfers of %s no longer does what the single ones do: %s",
		judge:  movesBatch,
	},
	{
		Standard: "ERC-1155", Source: "EIP-1155, total supply of an id: the tokens minted less those burned",
		Broken:   "the sum of balances of an id of %s no longer equals its supply: %s changes one without the other",
		Refusing: true, judge: sumOfID,
	},
}

// movesID: the one has less of the id and the other has more.
func movesID(c *Call) Verdict {
	if !c.is(transferID, 4) {
		return Untested
	}
	return c.moves(c.argument(0), c.argument(1), []uint256.Int{c.argument(2)}, []uint256.Int{c.argument(3)})
}

// movesBatch: the same for the sums of all values of an id.
func movesBatch(c *Call) Verdict {
	if !c.is(transferBatch, 4) {
		return Untested
	}
	ids, ok := c.array(2)
	values, fine := c.array(3)
	if !ok || !fine || len(ids) != len(values) || len(ids) == 0 || len(ids) > manyChanges {
		return Untested
	}
	return c.moves(c.argument(0), c.argument(1), ids, values)
}

// moves compares what changed with transfers. Accounts that are none of the parties get a fee.
func (c *Call) moves(from, to uint256.Int, ids, values []uint256.Int) Verdict {
	for i := range c.Changes {
		if change := &c.Changes[i]; change.Family == BalanceOfID && change.Keys[0] != from && change.Keys[0] != to || change.Family == SupplyOfID {
			return Untested
		}
	}
	var expected []*Change
	something := false
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		var amount uint256.Int
		for j := range ids {
			if ids[j] != id {
				continue
			}
			if _, over := amount.AddOverflow(&amount, &values[j]); over {
				return Untested
			}
		}
		something = something || !amount.IsZero()
		if from == to {
			continue
		}
		less, more := c.changeOf(BalanceOfID, from, id), c.changeOf(BalanceOfID, to, id)
		if !less.by(&amount, -1) || !more.by(&amount, 1) {
			return Broken
		}
		expected = append(expected, less, more)
	}
	if !something {
		return Untested
	}
	return keptIf(c.only(BalanceOfID, expected...))
}

// array is an argument that is an array of words; false where the calldata does not hold it.
func (c *Call) array(i int) ([]uint256.Int, bool) {
	data := c.frame.Input[4:]
	word := func(at uint64) (w uint256.Int, ok bool) {
		if at > uint64(len(data)) || uint64(len(data))-at < wordBytes {
			return w, false
		}
		w.SetBytes(data[at : at+wordBytes])
		return w, true
	}
	offset := c.argument(i)
	if !offset.IsUint64() {
		return nil, false
	}
	length, ok := word(offset.Uint64())
	if !ok || !length.LtUint64(uint64(len(data)/wordBytes)) {
		return nil, false
	}
	list := make([]uint256.Int, 0, length.Uint64())
	for j := range length.Uint64() {
		w, ok := word(offset.Uint64() + (1+j)*wordBytes)
		if !ok {
			return nil, false
		}
		list = append(list, w)
	}
	return list, true
}

// sumOfID: the sum of the changes of balances of an id is the change of its supply, where the token keeps one.
func sumOfID(c *Call) Verdict {
	if !c.Token.Keeps(SupplyOfID) || len(c.Changes) > manyChanges {
		return Untested
	}
	tested := false
	for i := range c.Changes {
		change := &c.Changes[i]
		id, ok := change.id()
		if !ok {
			continue
		}
		tested = true
		var s sum
		for j := range c.Changes {
			other := &c.Changes[j]
			if of, ok := other.id(); !ok || of != id {
				continue
			}
			if other.Family == SupplyOfID {
				s.change(&other.After, &other.Before)
			} else {
				s.change(&other.Before, &other.After)
			}
		}
		if s.sign() != 0 {
			return Broken
		}
	}
	if !tested {
		return Untested
	}
	return Kept
}

// id is what a change of an ERC-1155 token is of.
func (c *Change) id() (id uint256.Int, ok bool) {
	switch c.Family {
	case BalanceOfID:
		return c.Keys[1], true
	case SupplyOfID:
		return c.Keys[0], true
	}
	return id, false
}
