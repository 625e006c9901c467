// Package cheatcode implements Foundry's cheatcodes: what a project's tests and
// deployment scripts ask of the machine they run on, by calling an address that has no
// account on any chain (https://getfoundry.sh/reference/cheatcodes/overview).
//
// They are written once, against a [Host], which each machine implements: so all
// machines have the same effects, and comparing machines compares the hosts.
//
//	table.go        every cheatcode, with what Sightline makes of it
//	values.go       arguments and results
//	dispatch.go     a call of the cheatcode account
//	state.go        what cheatcodes leave behind: pranks, expectations, mocks
//	intercept.go    what that does to the calls that contracts make afterwards
//	console.go      console.log
//
// The other files have the cheatcodes, by what they are about.
package cheatcode
