package oracle

// EventStorage is seen where base and head run the same calls (package compare): an argument of an event that in all of
// at least 50 calls of the base was what the call changed in a state variable (the value written, the growth, the fall,
// or the key) is on the head nothing that the call changes, where the base still agrees.
var EventStorage = &Oracle{
	ID:       "event-storage",
	Title:    "An event no longer says what is stored",
	CWE:      "684",
	Severity: Medium,
	Doc: "An argument of an event equals what the call changes in storage in all executions of the base: the value written, by how much it grows or falls, or whose it is. " +
		"On the head the same call emits the event with an argument that is none of what it changes. Who follows the contract by its events goes wrong.",
	Remedy: "Emit what is stored, after it is known: the amount without the fee, the new value and not the old one, the account that is credited. " +
		"If the event is meant to say something else from now on, give it another name, or accept the finding with a waiver.",
}
