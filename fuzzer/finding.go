package fuzzer

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Mark says when in a campaign something happened.
type Mark struct {
	Executions uint64
	Calls      uint64
	Seconds    float64
}

// Finding is something an oracle saw: minimised, and replayed on the reference
// machine from the same World.
type Finding struct {
	Oracle   *oracle.Oracle
	Location bytecode.Location
	Contract string // qualified name; empty when the code is unknown
	Message  string
	Sequence input.Sequence
	First    Mark
	// Path holds the locations of all blocks that the failing sequence entered,
	// each once, in order of first entry: the report picks the changed line
	// among them.
	Path []bytecode.Location
}

// findingKey deduplicates findings (design §8).
type findingKey struct {
	oracle string
	at     bytecode.Location
}

// observe runs every oracle on the execution, and judges the property that the
// sequence ends with, if it does.
func observe(oracles []*oracle.Oracle, seq input.Sequence, exec *evm.Execution, report func(observation)) {
	for _, o := range oracles {
		o.Check(exec, func(seen oracle.Observation) { report(observation{o, seen}) })
	}
	checkProperty(seq, exec, report)
}

// sees tells whether key is observed in this execution.
func sees(key findingKey, oracles []*oracle.Oracle, seq input.Sequence, exec *evm.Execution) bool {
	found := false
	observe(oracles, seq, exec, func(seen observation) {
		found = found || findingKey{seen.oracle.ID, seen.Location} == key
	})
	return found
}

// entered lists the entries of the blocks that the execution entered.
func entered(table *bytecode.Table, exec *evm.Execution) []bytecode.Location {
	var path []bytecode.Location
	for _, c := range exec.Covered {
		if p := table.Program(c.Code); p != nil {
			path = append(path, bytecode.Location{Code: c.Code, PC: p.Blocks[c.Block].Start})
		}
	}
	return path
}
