// Package unified reads diffs: the text that git diff and diff -u write.
//
//   - [Parse] reads a diff with github.com/sourcegraph/go-diff and checks every hunk
//     against a scanner of its own.
//   - [File.OldText] gives the base version of a file, from its head version.
//   - [File.Changes] gives its changed lines: it compares the Solidity tokens of both
//     versions, so that a changed line knows which bytes of it changed, and formatting,
//     comments and moved declarations are told apart from changed code.
//
// It knows neither git nor compilers. Diffs and sources are untrusted: there are limits,
// and a diff that cannot be accounted for line by line is refused.
package unified
