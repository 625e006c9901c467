// Package diffmap answers the question a pull request raises: which places in
// the compiled bytecode did this change touch?
//
// It works in three steps, each usable on its own.
//
//  1. Unified diff → changed lines. Package unified reads a diff and compares the
//     Solidity tokens of both sides, so that a changed line knows which bytes of it
//     changed; package git makes the diff of a working tree.
//  2. Source maps and AST → targets. A changed byte range belongs to AST nodes,
//     an AST node to the instructions that own it; the basic blocks that hold
//     those instructions are the targets. Every changed line ends with exactly
//     one status and its reason.
//  3. Location → Position. The way back, for reports: from an instruction to the
//     file and line it was compiled from.
//
// Diffs, paths, source text and build output are untrusted. Every reader here
// has limits, reports what is wrong, where and what to do about it, and refuses
// a diff it cannot account for line by line: a change that is not seen is not
// fuzzed, so guessing is never an option.
//
// Asked for from outside:
//
//	exclude.go      targets that are taken away again, with the reason
//	counterpart.go  the same declaration in head and base
//	indirect.go     functions whose code changed without a changed line
//	explicit.go     targets that a user names
//	position.go     from an instruction to its source
//	basesources.go  the base's sources, read off the diff
//
// From changed lines to targets:
//
//	targets.go      the mapping: lines, their code, their targets
//	yul.go          lines of Yul sources
//	assembly.go     places within inline assembly, of code via IR
//	operations.go   what of a line may be left out, and what it does to others
//	reverts.go      which lines nothing but a revert can follow
//	unused.go       declarations that no contract uses
//	sourcepath.go   which source of a build a file of the diff is
//	causes.go       which declaration changed a function's code
//	placeholder.go  where a modifier's code ends and the function's begins
//	ownership.go    which nodes, and so instructions, a changed range owns
//	normal.go       code of both sides, compared without what moves
//	status.go       the one status of a line, and its reason
//	languages.go    files that are not Solidity
//
// What they are read from:
//
//	sourcetree.go   a source with its syntax tree
//	message.go      code of a require's message
//	artifact.go     one code of one contract with its source map
//	jumps.go        instructions of legacy code that say little
//	constants.go    values of constants, where they are used
package diffmap
