// Package exchange connects a campaign with others on the same World, build and targets through a hub: a NATS server with
// JetStream. It is the client alone.
//
//	wire.go    what goes over the wire: subjects, headers, bounds
//	link.go    where the hub is, and how one may connect to it
//	live.go    Live, the fuzzer.Exchange of a campaign: what the campaign's goroutine calls, which never waits for the hub
//	send.go    in the background: at most so many inputs a second, what could not be sent kept for later
//	receive.go in the background: read from the stream, within bounds, each input once
//	queue.go   inputs that wait, the best and newest kept
//	log.go     what was taken in and when, and an exchange that gives it again
//
// Whoever has the token can put anything into the stream. So nothing that is received is trusted: it is bounded, parsed as a
// sequence of the campaign's Space, run within the share that the campaign gives it, and kept only where it shows something new.
// The hub itself is trusted with no more: without it, a campaign goes on alone.
package exchange
