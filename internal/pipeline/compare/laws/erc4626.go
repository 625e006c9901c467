package laws

import (
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

func isERC4626(t *Token) bool {
	for _, signature := range []string{"asset()", "totalSupply()", "convertToAssets(uint256)", "deposit(uint256,address)", "mint(uint256,address)",
		"withdraw(uint256,address,address)", "redeem(uint256,address,address)"} {
		if !t.has(signature) {
			return false
		}
	}
	return true
}

// Asset is the calldata that asks a vault for its asset.
func Asset() []byte { return question("asset()") }

// exchange is a function by which assets become shares, or the other way round.
type exchange struct {
	selector [4]byte
	words    int // of its arguments, the amount first
	preview  string
	// atLeast: what it returns may not be less than the preview; else: not more.
	atLeast bool
}

// exchanges are those of EIP-4626. What a vault gives is at least what it promised, what it takes at most.
var exchanges = []exchange{
	{selector("deposit(uint256,address)"), 2, "previewDeposit(uint256)", true},
	{selector("mint(uint256,address)"), 2, "previewMint(uint256)", false},
	{selector("withdraw(uint256,address,address)"), 3, "previewWithdraw(uint256)", false},
	{selector("redeem(uint256,address,address)"), 3, "previewRedeem(uint256)", true},
}

var erc4626 = []*Law{
	{
		Standard: "ERC-4626", Source: "EIP-4626, Security Considerations: rounding favors the vault, so that shares are not free",
		Broken:   "%s gives something for nothing: %s takes assets and mints no share, or takes no asset or share for what it gives",
		Refusing: true, judge: nothingForNothing,
	},
	{
		Standard: "ERC-4626", Source: "EIP-4626, Security Considerations: rounding favors the vault over its users",
		Broken: "a share of %s is worth less after %s: it rounds in favor of the caller, so that a round trip profits",
		Views:  sharePrice,
	},
	{
		Standard: "ERC-4626", Source: "EIP-4626, previewDeposit, previewMint, previewWithdraw, previewRedeem: as close to and no more (no fewer) than the exact amount",
		Broken: "the preview of %s no longer bounds what %s does in the same transaction", Informs: true,
		Views: previewBounds,
	},
}

// exchanged is which exchange a call is, with the amount given and the one returned.
func exchanged(c *Call) (e *exchange, given, returned uint256.Int) {
	for i := range exchanges {
		if e := &exchanges[i]; c.is(e.selector, e.words) && len(c.result.Output) == wordBytes {
			returned.SetBytes(c.result.Output)
			return e, c.argument(0), returned
		}
	}
	return nil, given, returned
}

// nothingForNothing: deposits mint a share, what is minted costs an asset, and what is withdrawn a share. Shares that
// are redeemed for nothing are a loss of their owner's choice.
func nothingForNothing(c *Call) Verdict {
	e, given, returned := exchanged(c)
	if e == nil || given.IsZero() || e == &exchanges[3] {
		return Untested
	}
	return keptIf(!returned.IsZero())
}

// manyShares is 10^30: enough that their value shows a change of one wei in what 10^12 tokens of 18 decimals are worth.
var manyShares = new(uint256.Int).Exp(uint256.NewInt(10), uint256.NewInt(30))

// sharePrice: shares are not worth less after an exchange. The first and the last share have no price before or after.
// Nor does it speak of exchanges in which other shares change hands than those that it returns or is given: they are a
// fee.
func sharePrice(c *Call) *Views {
	e, given, returned := exchanged(c)
	if e == nil || given.IsZero() {
		return nil
	}
	shares, account, sign := returned, 1, 1
	if e == &exchanges[1] || e == &exchanges[3] { // mint, redeem
		shares = given
	}
	if e == &exchanges[2] || e == &exchanges[3] { // withdraw, redeem: of the owner, who is the last argument
		account, sign = 2, -1
	}
	if c.Token.Keeps(Balance) {
		change := c.changeOf(Balance, c.argument(account))
		if !change.by(&shares, sign) || !c.only(Balance, change) {
			return nil
		}
	}
	views := [][]byte{question("convertToAssets(uint256)", manyShares), question("totalSupply()")}
	return &Views{Before: views, After: views, Judge: func(before, after []uint256.Int) Verdict {
		if before[1].IsZero() || after[1].IsZero() {
			return Untested
		}
		return keptIf(!after[0].Lt(&before[0]))
	}}
}

// previewBounds: what an exchange gives is at least, and what it takes at most, what its preview says.
func previewBounds(c *Call) *Views {
	e, given, returned := exchanged(c)
	if e == nil || !c.Token.has(e.preview) {
		return nil
	}
	return &Views{Before: [][]byte{question(e.preview, &given)}, Judge: func(before, _ []uint256.Int) Verdict {
		if e.atLeast {
			return keptIf(!returned.Lt(&before[0]))
		}
		return keptIf(!returned.Gt(&before[0]))
	}}
}

// question is the calldata of a view.
func question(signature string, arguments ...*uint256.Int) []byte {
	s := selector(signature)
	data := s[:]
	for _, a := range arguments {
		word := a.Bytes32()
		data = append(data, word[:]...)
	}
	return data
}

// Ask makes a sequence's last call on a machine with views before and after it, and asks the law of the answers.
func (v *Views) Ask(machine evm.Machine, seq evm.Sequence, t *Token) (Verdict, error) {
	n := len(seq) - 1
	last := seq[n]
	asking := append(evm.Sequence(nil), seq[:n]...)
	ask := func(views [][]byte) {
		for _, data := range views {
			asking = append(asking, evm.Call{From: last.From, To: t.Address, Data: data, TimeAdvance: last.TimeAdvance, BlockAdvance: last.BlockAdvance})
			last.TimeAdvance, last.BlockAdvance = 0, 0 // passed
		}
	}
	ask(v.Before)
	asking = append(asking, last)
	last.TimeAdvance, last.BlockAdvance = 0, 0
	ask(v.After)
	exec, err := machine.Run(asking)
	if err != nil || len(exec.Calls) != len(asking) || exec.Calls[n+len(v.Before)].Outcome != evm.Success {
		return Untested, err
	}
	before, ok := answers(exec.Calls[n : n+len(v.Before)])
	after, fine := answers(exec.Calls[n+len(v.Before)+1:])
	if !ok || !fine {
		return Untested, nil
	}
	return v.Judge(before, after), nil
}

// answers are the words that views returned; false where one returned something else.
func answers(calls []evm.CallResult) ([]uint256.Int, bool) {
	var words []uint256.Int
	for i := range calls {
		if calls[i].Outcome != evm.Success || len(calls[i].Output) != wordBytes {
			return nil, false
		}
		words = append(words, *new(uint256.Int).SetBytes(calls[i].Output))
	}
	return words, true
}
