// Package github is the interface to GitHub: to the runner of a workflow and to the
// API. It is the only package that communicates with either.
//
//   - [ReadRun] reads the environment and the event's payload.
//   - [Runner] reads inputs and writes outputs, the job's summary and annotations,
//     and keeps other output from being read as commands.
//   - [BaseResolver] finds out which commits to compare, or has GitHub say what changed.
//   - [Client] keeps one comment on a pull request and uploads SARIF.
//
// All input (payloads, responses, names) is bounded and checked. The token is used
// only in requests to the API and in the environment of one git call, and is never
// written or printed. If GitHub refuses a request, the error is a [Refusal], which
// says what to do about it; the caller decides whether it matters.
package github
