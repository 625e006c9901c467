package oracle

// Size is seen in what the compiler wrote, and runs nothing: a contract that ships has longer code than a chain
// accepts, in the build that the project releases, and on the base it had not.
var Size = &Oracle{
	ID:       "size",
	Title:    "A contract is too large for a chain",
	SWC:      "128",
	CWE:      "400",
	Severity: High,
	Doc: "The code of a contract is longer than a chain accepts: 24,576 bytes where it is deployed (EIP-170), or 49,152 bytes with its constructor (EIP-3860, since Shanghai). " +
		"On the base it was not. What counts is the build that the project releases, whatever is fuzzed.",
	Remedy: "Move code to a library or another contract, shorten messages or make them errors, or let the optimizer prefer small code (fewer runs, the intermediate language). " +
		"If the contract is deployed to a chain without this limit, accept the finding with a waiver that says so.",
}
