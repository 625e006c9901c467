package oracle

// LivenessLost is seen where base and head run the same calls (package compare): a function with which at least 20
// different inputs succeed on the base fails on the head with all of them, and with all that the head's campaign,
// the comparison and 10,000 calls that start from these inputs have come to, by accident.
//
// By accident: a check of the compiler fails other than an assert, a call runs out of gas, an account has no code or
// answers less than is decoded, an instruction is not allowed. What the source asks for (require, revert, assert, an
// error, a message) is intended. The failing code must have changed, or the function that it calls is gone.
var LivenessLost = &Oracle{
	ID:       "liveness-lost",
	Title:    "A function fails with all inputs",
	SWC:      "113",
	CWE:      "703",
	Severity: High,
	Doc: "A function that succeeds on the base fails on the head with every input that was tried, the same ones from the same state among them, and nothing in the source asks for it: " +
		"a check of the compiler (overflow, division by zero, array bounds), a call that runs out of gas, a callee that has no such function or answers less than is decoded. " +
		"A require, revert or assert that refuses the call is intended and no finding: it is listed under \"What this change does\".",
	Remedy: "Replay the call: it shows the statement that fails. Restore what the function needs there (a value that is never set, an order of operations, the interface of a callee), " +
		"or refuse the call with a reason of its own if it is not meant to succeed any more.",
}
