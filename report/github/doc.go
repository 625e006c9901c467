// Package github is the edge to GitHub: to the runner of a workflow, and to the API. No
// other package talks to either.
//
//   - [ReadRun] reads the environment and the event's payload.
//   - [Runner] reads inputs and writes outputs, the job's summary and annotations,
//     and keeps what others print from being read as commands.
//   - [BaseResolver] finds out which commits to compare, or asks GitHub what changed.
//   - [Client] keeps one comment on a pull request and uploads SARIF.
//
// Everything that comes in (payloads, answers, names) is bounded and checked. The
// token is in requests to the API and in the environment of one git call, and in nothing
// that is written or printed. A request that GitHub refuses ends in a [Refusal], which says
// what to do about it; the caller decides whether that matters.
package github
