package oracle

// Conservation is seen where base and head run the same calls (package compare): a law of a token
// standard does not hold of a call on the head. On the base it held of that call, and of at least 100
// others, and no call of the search broke it.
//
// The laws are in internal/pipeline/compare/laws, a file for each standard. A contract is a token
// if it answers as one: where its views read their answers is found by running them.
var Conservation = &Oracle{
	ID:       "conservation",
	Title:    "A law of a token standard no longer holds",
	SWC:      "101",
	CWE:      "682",
	Severity: High,
	Doc: "A call breaks a law that the token kept on the base, in the same call and in at least 100 others, and that no call of the comparison broke there. " +
		"ERC-20 and ERC-777: the sum of balances changes as the supply does; a transfer moves the amount that it is given, and one to its own sender nothing; transferFrom lowers the allowance. " +
		"ERC-721: balances count the tokens that accounts own, the supply counts all of them, a transfer makes the receiver the owner and clears the approval. " +
		"ERC-1155: transfers move the amounts that they are given, batches what the single ones would, and the sum of balances of an id changes as its supply does. " +
		"ERC-4626: nothing is given for nothing, and a share is not worth less after a deposit, mint, withdraw or redeem; that a preview does not bound what the call does is of medium severity. " +
		"Wrapped ether: balances are backed by the ether that the contract holds; deposits and withdrawals move equal amounts.",
	Remedy: "Run the replay: it shows the balances before and after the call. Change all books by the same amount in the same call: what one account loses, another gets, or the supply falls; " +
		"read values after they were written, not from a copy made before; round in favor of the contract. If the token is meant to leave its standard, accept the finding with a waiver that says so.",
}
