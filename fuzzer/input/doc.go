// Package input is what a campaign feeds the machine: typed calls and sequences,
// how they are generated, mutated, encoded, and written down.
//
// A [Space] is made once from an evm.World: it knows every function that can be
// called, the senders and the addresses of the World. A [Sequence] is a list of
// [Call]s in one Space; [Space.Encode] turns it into an evm.Sequence,
// [Space.Validate] checks it.
//
//	space, err := input.NewSpace(world, input.SpaceOptions{})
//	dictionary := input.NewDictionary(programs)
//	mutator := input.NewMutator(space, dictionary, input.Options{SeqLen: 8})
//	for _, seed := range mutator.Seeds() { … }              // every function once, zero arguments
//	child := mutator.Mutate(r, parent)                      // the parent stays as it is
//	encoded = space.Encode(child, encoded)                  // buffers are used again
//	dictionary.Observe(execution)                           // each worker has a dictionary of its own
//
// The unit of change is the input word ([Word]): an elementary argument, an
// array's length, 32 bytes of a byte string, sender, value, time, block.
// [AppendWords] enumerates them, [Space.Get] and [Space.With] read and change
// them.
//
// What an execution teaches beyond the dictionary: [Proposer.Propose] sets words that
// equal an operand of a comparison to the other operand; [Predict] takes two runs
// that differ in one word ([Space.AppendChanged], [AppendBranches]) and solves for
// the value that takes a branch's other side (papers/harvey §4); [Line] does so where
// the runs differ in several words, and [Slope] says what a word once did to a branch,
// so that a change can be made up for. [Space.Sign] makes the signatures that ecrecover was
// asked for, [Space.Preimages] the texts whose hashes were compared with.
// A [System] is what runs tell of all branches along a path as functions of all numbers of
// a call, and proposes values that get through one of them without leaving the path before.
//
// [Formulas] are what a call computed of its numbers, and [Formulas.Satisfy] searches in them for numbers that take a jump's
// other side (satisfy.go), running nothing. Numbers are also the words of byte strings (bytestring.go) and what the attacker's
// contract answers (inner.go); what instructions make of words is in evaluate.go. It mends one condition at a time:
//
//	wish.go      a condition, and what it compares
//	simplify.go  conditions that the search cannot break, and those that no numbers meet, by constraint propagation:
//	propagate.go intervals of terms, and which are equal; assume.go, what a condition says of them; order.go, which are larger
//	backward.go  what an operand's formula asks for, back to a variable
//	crossing.go  values of one variable at which a condition changes, where sums wrap included
//	pairs.go     values of two variables with which an equality holds, products by their divisors (factor.go)
//	pair.go      a step of two variables that leaves another equality as it is
//	repair.go    equalities that a change broke, solved for one more variable each
//	root.go      one variable that comes up several times in an equality
//	defined.go   an equality through others that define its variables
//
// What code decodes byte strings to is known from its sources (encoding.go): bytes are made of those types, changed within them, and
// arrays in them become as long as what their length is compared with ([Space.Resized]). People are shown what they hold (describe_bytes.go).
//
// [Format] and [Parse] are the text form, for corpus files and reproducers;
// [Space.Describe] is for people.
//
// # Ownership
//
// Arguments are immutable: whoever changes a Call.Args copies the way from the
// argument list to the change and shares the rest. So a mutant may share
// arguments with its parent, a suite may keep sequences without copying, and
// goroutines may share them. Only the list of calls belongs to one owner.
//
// # Determinism
//
// Everything here is a function of its arguments and of the random source that
// is handed in ([Rand]). Nothing depends on map order, time or global state.
package input
