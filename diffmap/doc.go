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
package diffmap
