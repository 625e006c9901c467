package laws

import "github.com/holiman/uint256"

// ERC-777 (EIP-777, "Backward compatibility") and vaults of ERC-4626 are tokens of ERC-20 as well.

func isERC20(t *Token) bool {
	return t.Keeps(Balance) && !t.Keeps(Owner) && t.has("transfer(address,uint256)") && (t.Keeps(Supply) || t.fixed)
}

var (
	transfer     = selector("transfer(address,uint256)")
	transferFrom = selector("transferFrom(address,address,uint256)")
)

var erc20 = []*Law{
	{
		Standard: "ERC-20", Source: "EIP-20, totalSupply: the total token supply; transfer and transferFrom move tokens, and create none",
		Broken:   "the sum of balances of %s no longer equals its supply: %s changes one without the other",
		Refusing: true, judge: sumOfBalances,
	},
	{
		Standard: "ERC-20", Source: "EIP-20, transfer: transfers _value amount of tokens to address _to",
		Broken:   "a transfer of %s to its sender changes a balance: %s",
		Refusing: true, judge: selfTransfer,
	},
	{
		Standard: "ERC-20", Source: "EIP-20, transferFrom: the withdraw workflow, in which an allowance is used up",
		Broken: "transferFrom of %s no longer lowers the allowance by what %s moves",
		judge:  allowanceFalls,
	},
	{
		Standard: "ERC-20", Source: "EIP-20, transfer: transfers _value amount of tokens to address _to",
		Broken: "a transfer of %s no longer moves the amount that it is given: %s",
		judge:  movesAmount,
	},
}

// sumOfBalances: the sum of the changes of balances is the change of the supply. Of transfers to oneself another law
// speaks.
func sumOfBalances(c *Call) Verdict {
	if selfTransfer(c) != Untested {
		return Untested
	}
	var s sum
	tested := false
	for i := range c.Changes {
		switch change := &c.Changes[i]; change.Family {
		case Balance:
			s.change(&change.Before, &change.After)
			tested = true
		case Supply:
			s.change(&change.After, &change.Before)
			tested = true
		}
	}
	if !tested {
		return Untested
	}
	return keptIf(s.sign() == 0)
}

// transferred are the parties of a transfer that says it succeeded.
func transferred(c *Call) (from, to, value uint256.Int, ok bool) {
	switch {
	case !succeededTrue(c.result):
	case c.is(transfer, 2):
		return c.caller(), c.argument(0), c.argument(1), true
	case c.is(transferFrom, 3):
		return c.argument(0), c.argument(1), c.argument(2), true
	}
	return from, to, value, false
}

// selfTransfer: a transfer from an account to itself changes no balance, but by a fee that another account gets, or
// that is burned. What is made for it, in the supply as well, is not a fee.
func selfTransfer(c *Call) Verdict {
	from, to, value, ok := transferred(c)
	if !ok || from != to || value.IsZero() {
		return Untested
	}
	change := c.changeOf(Balance, from)
	rises := change != nil && change.After.Gt(&change.Before)
	if !c.only(Balance, change) || !rises && !c.only(Supply) {
		return Untested
	}
	return keptIf(change == nil)
}

// movesAmount: the one has less and the other has more, by the value that was given. Of other amounts the law does
// not speak: fees may go to a third account, or to one of the two. But something moves, and from the one to the other.
func movesAmount(c *Call) Verdict {
	from, to, value, ok := transferred(c)
	if !ok || from == to || value.IsZero() {
		return Untested
	}
	less, more := c.changeOf(Balance, from), c.changeOf(Balance, to)
	switch {
	case c.only(Balance) || less != nil && less.Before.Lt(&less.After) || more != nil && more.After.Lt(&more.Before):
		return Broken
	case less.by(&value, -1) && more.by(&value, 1):
		return Kept
	}
	return Untested
}

// allowanceFalls: it falls by the value, unless it is infinite.
func allowanceFalls(c *Call) Verdict {
	from, to, value, ok := transferred(c)
	if !ok || !c.Token.Keeps(Allowance) || !c.is(transferFrom, 3) || value.IsZero() || from == to || from == c.caller() {
		return Untested
	}
	keys := [2]uint256.Int{from, c.caller()}
	change := c.changeOf(Allowance, keys[:]...)
	if change == nil {
		held, known := c.value(Allowance, keys)
		if !known || c.Token.isInfinite(&held) {
			return Untested
		}
		return Broken
	}
	if c.Token.isInfinite(&change.Before) {
		return Untested
	}
	return keptIf(change.by(&value, -1))
}

// isInfinite reports whether an allowance may count as one that is not used up. Tokens disagree from
// which number on: half of the largest is more than anything that is moved.
func (t *Token) isInfinite(allowance *uint256.Int) bool {
	return uint(allowance.BitLen()) >= 8*t.places[Allowance].bytes
}
