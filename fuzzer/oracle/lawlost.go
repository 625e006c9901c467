package oracle

// LawLost is seen where base and head run the same calls (package compare): a law that package mine found
// on the base, which no call there broke, is broken on the head.
var LawLost = &Oracle{
	ID:       "law-lost",
	Title:    "What always held no longer does",
	Severity: Medium,
	Doc: "While base and head run the same calls, laws are looked for on the base: the sum of a mapping equals a variable, what a contract holds of a token or of ether covers what it " +
		"owes, one variable equals another or is at least as large, has one value between calls, never falls or never rises, or is written by one account alone. A law counts if it was at stake in at least 1,000 calls of at " +
		"least three functions of the base, none of which broke it, and if a campaign on the base that begins with what breaks it on the head does not break it either. It is lost if calls break it on the head that do not on the base. " +
		"One law says what calls never do: a contract never fails to pay since it has less than it is to pay. It counts from 200 payments on, and is lost where a call in code that did not change cannot pay after " +
		"calls of what did. A law that no source states may be broken on purpose, so that this informs (medium). It is of high severity where what an outsider's calls leave a contract owing is more than on the base and more than it holds, and where a contract cannot pay although " +
		"what changed has paid nothing to any account that was paid more than it had paid in, and takes no role. The sum of balances of a token is the oracle conservation's.",
	Remedy: "Look at what the last call writes on the head and not on the base, or the other way round: mostly one of two variables that belong together is no longer written. " +
		"If the law was given up on purpose, accept the finding with a waiver that says so. `sightline laws` prints the laws of a project as invariants of a Foundry test.",
}
