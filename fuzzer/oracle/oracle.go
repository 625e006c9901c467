// Package oracle holds the bug oracles: each looks at what an execution did and
// says what it saw. One file, one doc comment and one fixture folder per oracle,
// and one explicit list, [Known].
//
// An oracle judges a single execution and keeps nothing between two. What it
// sees is an [Observation], a value; whether that becomes a finding (minimized,
// replayed, deduplicated) is the campaign's business.
package oracle

import (
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Severity of what an oracle sees, from Low up.
type Severity uint8

// The severities, as the gate orders them. Note never gates.
const (
	Note Severity = iota
	Low
	Medium
	High
	Critical
)

var severityNames = [...]string{"note", "low", "medium", "high", "critical"}

func (s Severity) String() string { return severityNames[s] }

// Oracle is one bug oracle.
type Oracle struct {
	ID       string // stable, the SARIF rule id
	Title    string // one line, for people
	SWC      string // number in the Smart Contract Weakness registry, empty when none fits
	CWE      string // number of the Common Weakness Enumeration, likewise
	Severity Severity
	Doc      string // the precise condition, known false positives and how they are avoided
	Remedy   string // how people mend what it sees, in plain text
	// Check calls report for everything it sees in the execution, in order of
	// the frames.
	Check func(exec *evm.Execution, report func(Observation))
	// Examine is Check for an oracle that has to know more than the execution. It is asked about executions that show something new, or
	// that [IsSuspect]; Check about all.
	Examine func(s *Scene, report func(Observation))
	// Places lists the instructions of a program at which the oracle may see
	// something, sorted, as far as the code tells: the campaign steers toward them
	// in contracts that changed. Nil when it may see something anywhere.
	Places func(p *bytecode.Program) []uint32
	// ByAnyone tells that the oracle claims what any account can do. Where it takes an account with a role after all, that one's
	// trust is what is used: such a finding is at most Medium.
	ByAnyone bool
}

// Observation is something an oracle saw in one execution.
type Observation struct {
	Call     int               // index of the sequence's call in which it happened
	Location bytecode.Location // where
	Contract string            // qualified name of the contract whose code it is; empty when unknown
	Message  string            // one sentence, without values that change from input to input
	Severity Severity          // where it is not the oracle's; Note: it is
}

// All lists the oracles that watch every campaign.
func All() []*Oracle {
	return []*Oracle{Assertion, ArbitraryWrite, FailingTest, Reentrancy, ReadOnlyReentrancy, Takeover, ArbitraryCall, SignatureReuse, Arithmetic, UncheckedCall, Denial}
}

// Notes lists the oracles that see patterns whatever comes of them: they watch where they are asked for.
func Notes() []*Oracle {
	return []*Oracle{BlockDependency, WeakRandomness, TxOrigin, StrictEquality, EtherFreezing, Requirement, DosFailedCall, ArbitraryJump, Selfdestruct, GasLimit, CheckFails}
}

// Known lists every oracle that looks at single executions, in the order of docs/oracles.md: [All], and what a project has
// to ask for. A finding that is run again is seen by these, whatever was asked for.
func Known() []*Oracle { return append(append(All(), Panic), Notes()...) }

// With lists the oracles of a project that asks for Panic codes; nil: for none.
func With(panics []byte) []*Oracle {
	if len(panics) == 0 {
		return All()
	}
	return append(All(), panicsOf(panics))
}

// InAudit lists the oracles that watch contracts as they are, with those that otherwise compare them with a base.
func InAudit(panics []byte) []*Oracle {
	return append(append(With(panics), ThirdPartyLoss), Notes()...)
}
