// Package attacker is the contract of an attacker: an account with code that is called back, and
// does what an input wants of it.
//
// Its code is the same in every World (Attacker.sol), and what it does is in its storage: a Script,
// which the contract sets there before a call as a transaction of its own would
// ([evm.Call.Instructions]). Without a script it accepts ether and answers what the caller
// expects: true, itself, the magic values of receivers of tokens. So whatever is found with it is
// true of the EVM, on any machine.
package attacker
