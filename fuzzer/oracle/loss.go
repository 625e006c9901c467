package oracle

// ThirdPartyLoss is seen where base and head run the same calls (package compare): an account that the World has never
// heard of ends with more than it began, at the cost of another account, or takes what another owns without
// having been allowed to. On the base the same calls from the same state do not do that.
//
// What accounts own is ether, and what the World's tokens say by balanceOf(address), ownerOf(uint256) and
// balanceOf(address,uint256). There are no prices: to have more is to have more of something, and less of nothing.
var ThirdPartyLoss = &Oracle{
	ID:       "third-party-loss",
	Title:    "Anyone can take what others own",
	SWC:      "105",
	CWE:      "284",
	Severity: Critical,
	Doc: "An account that was given nothing but ether, and tokens that its calls take, makes calls, in which no time passes, after which it owns more of something (ether, or a token of any kind of the World's) and less of nothing, while another account owns less of it; " +
		"or it makes a token take from an account that did not call and allowed nothing. On the base, the same calls from the same state do neither. Before these calls others may have made theirs, as long as they are payments or approvals " +
		"that do not name the account, or give it tokens.",
	Remedy: "Run the replay: it shows the calls, and what is owned afterwards. Restore what the base does: lower the share before it is paid out, take msg.sender's and not an argument's, check the allowance, and round in favour of the contract. " +
		"If what is given away is meant to be, accept the finding with a waiver that says so.",
	Examine: examineLoss,
}
