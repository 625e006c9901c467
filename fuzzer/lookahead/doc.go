// Package lookahead is the static analysis that steers the campaign. For a path
// that an execution took and the targets that are still to be reached, it finds
// the shortest prefix of the path after which no target can be reached any more,
// whatever the rest of the input does: the no-target-ahead prefix (Wüstholz and
// Christakis, Targeted Greybox Fuzzing with Static Lookahead Analysis, ICSE'20,
// Definition 2). Its hash is the path's lookahead identifier, [ID]. Thousands of
// paths that differ only where it no longer matters share one, and the schedule
// spends its energy on prefixes instead of paths.
//
// The package takes code and returns a verdict. It knows nothing of EVM state,
// worlds or inputs.
//
// # Levels
//
// [Analyzer.Analyze] is Algorithm 2 of the paper for one call frame. It follows the
// path; at each split point, the first entry of a basic block, it asks
// [Analyzer.Ask]'s question: may a target be ahead? It stops at the first "no".
// A question is answered by the first of these that can:
//
//   - What is ahead in the block itself: a target, or a call that may lead to one.
//   - The control-flow graph (graph.go), computed once for a program: the fixed
//     point from pc 0 with an unknown world. If no goal is ahead of the split
//     point's node there, none is. Nine of ten questions end here, in a tenth of a
//     microsecond.
//   - Earlier answers: about a path with the same prefix, or about the same abstract
//     state.
//   - Prefix inference (prefix.go) and suffix checking (suffix.go, engine.go): the
//     prefix is run in the abstract, for all inputs that take it; from its
//     postcondition, a fixed point is computed forward, toward the nearest goal by
//     the graph's distances and never where the graph shows none.
//
// # Domain
//
// An abstract word ([Value]) is an interval of 256-bit words; most are constants or
// everything. A state is the stack, the words of low memory that are known, and which words
// are surely equal; storage, calldata, return data and the environment are unknown.
// Operations on constants compute what the EVM computes. Conditions refine: on the side of
// a JUMPI where LT(x, 10) held, every copy of x is below 10, and a side whose condition
// contradicts what is known is dead.
//
// There are two domains. The one above is that of the graph and of all questions. What is
// proved unreachable for the whole campaign ([Facts.Unreachable]) is searched for in a finer
// one, which costs half as much again: intervals have bounds in the signed order, too, and
// words have relations.
//
// A relation is that words are equal or not, that one is less than another (unsigned or
// signed) or at most that, or that they differ by a constant, modulo 2^256; and also that
// a word is the outcome of such a comparison, so that a branch on it says as much in
// another block. Relations come from branches, sums with constants and comparisons: "p > q"
// makes "q >= p" false, whatever p and q are. Clean-up of a word that is clean (AND with a
// mask, SIGNEXTEND) is the word itself, so that what is known of it stays known: solc cleans
// words of narrow types before every use. An order follows from sums only where they do not
// wrap around, by their bounds or by the branch with which solc checks them.
//
// States are kept apart by block, stack height and labels: constants that a PUSH
// put on the stack and that are jump destinations. Those are return addresses, so
// a function has separate states for its callers and returns only to where it was
// called from. The finer domain also keeps them apart by what is known of a word that
// decides the next branch, so that "a && b" does not forget a where its outcomes meet. Other
// states are joined; bounds that keep moving are widened.
//
// The program is a debug build, and what is said of it has to hold for the release build:
// sizes and hashes of code, places in it and gas are unknown words, as are constants that
// are the size of code that the program holds.
//
// Memory needs care: solc keeps its allocation pointer in memory, at 0x40, and
// after two allocations of different size it is no longer a constant. Its lower
// bound is still known, so a write through it does not touch 0x40 itself; and since
// an execution that continues has paid for the memory that it wrote to, a pointer
// that was written through is below 2^42 and does not overflow in a loop that
// advances it.
//
// # An example
//
// Fig. 2 of the paper in short, with targets t1, t2 and t3:
//
//	if (y % 2 == 0) ret = 257; else ret = 256;
//	w = w % ret; while (w != 0) w--;   assert(w == 0);    // t1
//	z = z % ret; while (ret != z) z++; assert(ret == z);  // t2
//	                                   assert(a != 42);   // t3
//
// Take the path of an even y that leaves the first loop at once. At the entry,
// nothing is known of ret. Forward from there, both values of ret are joined after the
// if into the interval from 256 to 257. The first loop ends with w == 0, so t1 is dead
// in any case: it is proved unreachable, once and for all. The second loop ends with z
// equal to ret, so t2 is dead, too. Were it an assertion of what equality alone does not
// tell (ret + z == 2 * z, say), t2 would look reachable at first. From the split point
// after the first branch on, ret is the constant 257, z is refined to 257 where the loop
// ends, and t2 is dead: if t1 and t2 are all the targets, the prefix ends here, two blocks
// long, and all paths through either loop share its ID. With t3, every split point before
// its check answers "may reach", since a is never known, and the prefix is the path up to
// the block after the check. TestRunningExample is this example, with that t2.
//
// # What is promised
//
// "No target ahead" and [Analyzer.Unreachable] are proofs, for any bytecode: if any
// execution on any EVM up to Osaka reaches a target after such a prefix, that is a bug
// in this package. Whatever is not understood (a jump to an unknown place, an unknown
// opcode, an exhausted budget, a path that is not the program's) answers "may reach"
// and is counted in [Stats]. Callers are responsible for two things: that the path is
// the program's, and that the [CallModel] is right. [Conservative] always is.
// [Observed] is a bet on what executions have shown so far, and reports when it is lost.
//
// Not promised: that "may reach" is true, or that the prefix is the shortest possible.
// Gas is not modeled, nor are products of unknown words, nor the contents of storage. A
// comparison of internal function pointers is one of their places, which a release build
// may merge.
//
// Answers depend on code, path, targets, call model and budget alone, never on
// time; budgets are counted in steps. An Analyzer is used by one goroutine, and
// shares a [Workspace] with that goroutine's other Analyzers; what does not depend
// on targets, [Facts], is shared by all.
//
// # Reading
//
//   - The paper above, §3 to §5; its arXiv version (1905.07147), §IV-C, on calls.
//   - P. and R. Cousot, Abstract Interpretation, POPL'77: lattices, widening.
//   - G. Wood, Ethereum: A Secure Decentralised Generalized Transaction Ledger
//     (yellow paper), §9 and appendices G and H: the instructions.
//
// # Files
//
//	value.go, arithmetic.go   intervals, and operations on them
//	relations.go              how words are related
//	state.go                  abstract states: order, join, hashes
//	code.go                   decoded programs
//	transfer.go, refine.go    running a block, and what is learned from its branch
//	decision.go               the words that decide branches
//	engine.go, buffers.go     fixed points
//	graph.go, facts.go        the program's control-flow graph
//	workspace.go              what Analyzers share
//	search.go                 searching for blocks in the finer domain
//	goals.go                  the blocks that a question is about
//	prefix.go, suffix.go      prefix inference and suffix checking
//	question.go               one question, answered by what is cheapest
//	prefixtree.go, answers.go answers about earlier paths and questions
//	calls.go                  where calls lead
//	analysis.go               Algorithm 2
//	analyzer.go               the Analyzer, its options and statistics
package lookahead
