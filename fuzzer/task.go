package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// task is what a worker does next: check the properties of the initial state, run given
// sequences as they are, analyze a seed's path again, solve for branches from a seed, or
// fuzz a seed with its energy.
type task struct {
	properties bool
	run        []input.Sequence
	saved      bool // run is of the corpus
	received   bool // run is of other campaigns
	sounding   bool // whether those end with little gas first
	burning    bool // they do not
	seed       *Seed
	sequence   input.Sequence // the seed's, unpacked by the worker
	source     source
	reanalyze  bool // only analyze the path of the seed again; no energy is spent
	sequenceContext
	side     *branchSide // to solve for; nil: for all that the seed passes
	tries    int         // earlier ones of it
	writers  []writerOf  // of what the seed's last call reads, see leadUp
	demanded demand      // of the seed's function
	energy   Energy
	left     int    // targets that are still open
	seqLen   int    // at most so many calls a mutant
	calls    uint64 // the task may run at most so many calls

	avoided    map[*input.Function]bool // that are not called, see ration
	precursors map[input.Callable]bool  // functions that plans wait for

	changed int    // likewise, of changes of state
	open    []bool // by target: not yet reached; as of epoch
	epoch   int    // of the campaign when the task was dispatched
}

// sequenceContext holds calls of other entries that may be put before a seed's last
// call. Any may be nil.
type sequenceContext struct {
	prelude        input.Packed   // its last call changes state
	writer         input.Packed   // its last call writes what the seed's reads
	chains         []input.Packed // each call writes what the next one reads, and the last what the seed's does
	repeated       input.Packed   // its last call reads and writes what the seed's reads
	climbs         bool           // whether it is repeated with other numbers, see climb
	mappingWriters []input.Packed // each writes a mapping of which the seed wants an element, or what a plan waits for, see prependWriter
}

// batch is what a worker did for a task.
type batch struct {
	worker        int
	task          task
	paths         []bytecode.PathID // of every execution that counts, in order
	executions    uint64            // probes of properties included
	gas           uint64            // of the last calls
	passed        []input.Callable  // fuzz tests that passed with some arguments, for the first time
	calls         uint64
	work          uint64         // of calls that were run, and of what belongs to an execution
	lastWork      uint64         // of executions, of whose calls the last alone: what the machine ran again of the others is up to it
	costs         []functionCost // by function
	heavy         []functionCost // of heavy calls
	heavyWork     uint64
	rest          []input.Sequence // of the task's sequences, that were not run
	burning       []input.Sequence // likewise, since they burn gas
	trials        uint64           // of searches in formulas
	discoveries   []discovery
	unpaid        []input.Sequence // whose last call a contract could not pay, see isUnpaid
	demandedSides []demandedSide
	answer        *lookaheadResult // to a task that asks
	fault         *Fault           // that ended the task
	mismatches    []Fault          // what its machine was wrong about, which ends nothing

	movable []branchSide // whose operands input words move, and that nothing has taken
	refuted []branchSide // that no numbers of the task's seed take

	analysis        lookahead.Stats
	analysisSeconds float64
}

// discovery is an execution that showed its worker something new.
type discovery struct {
	sequence input.Sequence
	pid      bytecode.PathID
	news     news
	seen     []observation
	short    input.Sequence // without calls that do not matter to the last; nil: not looked for
	changes  bool           // the last call succeeded and changed state; a test changes nothing that lasts
	state    stateID        // after the sequence
	gas      uint64         // of the last call
	work     uint64         // of all calls
	lastWork uint64         // of the last call
	footprints
	at Mark // executions and calls since the batch began

	result *lookaheadResult // of a new path; nil when the schedule asks nothing

	broken   bool // an oracle saw something, for the first time or not
	received bool // it is of a task that ran inputs of other campaigns
	// unfollowed: it failed a check again, and the task had no room for the leads past it.
	unfollowed bool
}

// Fault is something that went wrong in the tool itself, with the input that
// caused it. The campaign goes on.
type Fault struct {
	Message  string
	Sequence input.Sequence
	// Mismatch is what a machine was wrong about; nil for other faults.
	Mismatch *evm.Mismatch
}
