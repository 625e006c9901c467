// Package cheatcode is Foundry's cheatcodes: what the tests and deployment scripts of a
// project ask of the machine they run on, by calling the address of an account that no
// chain has (https://getfoundry.sh/reference/cheatcodes/overview).
//
// They are written once, against a [Host], which each machine is: so all machines give
// the same effects, and comparing what they do compares the hosts.
//
//	table.go        every cheatcode, with what Sightline makes of it
//	abi.go          arguments and results
//	dispatch.go     a call of the cheatcode account
//	state.go        what cheatcodes leave behind: pranks, expectations, mocks
//	intercept.go    what that does to the calls that contracts then make
//	console.go      console.log
//
// The other files have the cheatcodes, by what they are about.
package cheatcode
