// Package github is the edge to GitHub: what the runner of a workflow gives to an
// action and takes from it, and the API. It is the only package that talks to
// either.
//
//   - [ReadRun] reads the environment and the event's payload.
//   - [Runner] reads inputs and writes outputs, the job's summary and annotations,
//     and keeps what others print from being read as commands.
//   - [BaseResolver] finds out which commits to compare, or has GitHub say what changed.
//   - [Client] keeps one comment on a pull request and uploads SARIF.
//
// Everything that comes in (payloads, answers, names) is bounded and checked. The
// token is in requests to the API and in the environment of one git call, and in
// nothing that is written or printed. What GitHub refuses is a [Refusal], which
// says what to do about it; whether that matters is the caller's to decide.
package github
