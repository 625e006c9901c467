package laws

// Wrapped ether has no ERC: its model is WETH9 (0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2 on Ethereum), whose
// source is what is cited.

func isWrappedEther(t *Token) bool {
	if !t.Keeps(Balance) || t.Keeps(Owner) || !t.has("withdraw(uint256)") {
		return false
	}
	for _, m := range t.Contract.ABI.Methods {
		if m.Sig == "deposit()" {
			return m.IsPayable()
		}
	}
	return false
}

var (
	depositEther  = selector("deposit()")
	withdrawEther = selector("withdraw(uint256)")
)

var wrappedEther = []*Law{
	{
		Standard: "wrapped ether", Source: "WETH9: balances are backed by the ether that the contract holds",
		Broken:   "the balances of %s are no longer backed by its ether: with %s they grow by more than it gets, or it sends more than they fall by",
		Refusing: true, judge: backed,
	},
	{
		Standard: "wrapped ether", Source: "WETH9, deposit: balanceOf[msg.sender] += msg.value",
		Broken: "a deposit of ether to %s no longer gives its sender a balance: %s",
		judge:  depositCredits,
	},
	{
		Standard: "wrapped ether", Source: "WETH9, withdraw: balanceOf[msg.sender] -= wad; msg.sender.transfer(wad)",
		Broken: "a withdrawal from %s no longer pays what it takes: %s",
		judge:  withdrawPays,
	},
}

// backed: balances grow by no more than the ether that the contract keeps.
func backed(c *Call) Verdict {
	if c.wide {
		return Untested
	}
	var s sum
	tested := false
	for i := range c.Changes {
		if change := &c.Changes[i]; change.Family == Balance {
			s.change(&change.Before, &change.After)
			tested = true
		}
	}
	if !tested && c.out.IsZero() {
		return Untested
	}
	s.sub(&c.in)
	s.add(&c.out)
	return keptIf(s.sign() <= 0)
}

// depositCredits: the sender's balance grows by the ether. By less, where the contract takes a fee: of that the
// law does not speak.
func depositCredits(c *Call) Verdict {
	if !c.is(depositEther, 0) || c.frame.Value.IsZero() {
		return Untested
	}
	change := c.changeOf(Balance, c.caller())
	switch {
	case change == nil && c.only(Balance):
		return Broken
	case change.by(&c.frame.Value, 1) && c.only(Balance, change):
		return Kept
	}
	return Untested
}

// withdrawPays: the sender's balance falls by the ether that is sent. Likewise for fees.
func withdrawPays(c *Call) Verdict {
	if !c.is(withdrawEther, 1) || c.wide {
		return Untested
	}
	amount := c.argument(0)
	change := c.changeOf(Balance, c.caller())
	switch {
	case amount.IsZero(), !c.only(Balance, change):
		return Untested
	case change.by(&amount, -1) && c.out == amount:
		return Kept
	case change == nil && !c.out.IsZero(), change != nil && c.out.IsZero():
		return Broken
	}
	return Untested
}
