// Package cheatcode implements Foundry's cheatcodes: services of the machine that a
// project's tests and deployment scripts use by calling an address without an account on any
// chain (https://getfoundry.sh/reference/cheatcodes/overview).
//
// They are written once, against a [Host], which each machine implements: so all
// machines have the same effects, and comparing machines compares the hosts.
//
//	table.go        every cheatcode, with its status in Sightline
//	values.go       arguments and results
//	dispatch.go     a call of the cheatcode account
//	state.go        the state of cheatcodes: pranks, expectations, mocks
//	intercept.go    its effect on the calls that contracts make afterwards
//	console.go      console.log
//
// The other files have the cheatcodes, by subject.
package cheatcode
