package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// ReproducerFolder is the folder of reproducers in the output folder.
const ReproducerFolder = "reproducers"

// Reproducer is a file of [ReproducerFolder]: a sequence and what it is claimed to
// show. `sightline replay` runs it on go-ethereum, from the World of the [Snapshot]
// in the same output folder.
type Reproducer struct {
	Version int   `json:"version"`
	Claim   Claim `json:"claim"`
	// Sequence is the text form of fuzzer/input, one string per line.
	Sequence []string `json:"sequence"`
}

// Kinds of claims.
const (
	LineClaim    = "line"    // the sequence reaches a line
	FindingClaim = "finding" // an oracle sees something in the sequence
)

// Claim is what a sequence shows.
type Claim struct {
	Kind     string  `json:"kind"` // [LineClaim] or [FindingClaim]
	ID       string  `json:"id"`   // of the finding
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Contract string  `json:"contract"` // qualified name
	Oracle   string  `json:"oracle"`   // of the finding
	Kept     bool    `json:"kept"`     // the line is reached in a call that succeeds
	Entries  []Entry `json:"entries"`  // of a line: one of them is executed; of a finding: where the oracle sees it
	Message  string  `json:"message"`
	// Fails is how the last call fails, of an oracle that compares with the base, where that is what
	// is wrong; nil: it succeeds.
	Fails *Failure `json:"fails,omitempty"`
	// Refused tells, of an oracle that compares with the base, that the last call fails there.
	Refused bool `json:"refused,omitempty"`
	// Answer is what shows it after the sequence, of an oracle that compares with the base; nil: the last call shows
	// it, where its entry is.
	Answer *Answer `json:"answer,omitempty"`
	// Differs is what the last call does otherwise than on the base, of a claim without a finding; it is written as a Foundry test, and to no file.
	Differs Differs `json:"-"`
}

// Differs is how a call differs from what it does on the base.
type Differs string

// The ways in which calls differ; empty: of a finding. What is in storage, and who has which ether, a Claim's Answer tells.
const (
	DiffersInOutcome Differs = "outcome" // it succeeds, or fails, and does not on the base
	DiffersInOutput  Differs = "output"  // it returns something else
	DiffersInEvents  Differs = "events"  // it emits others
	DiffersAfter     Differs = "after"   // what is asked afterwards has another answer
)

// Failure is how a call fails.
type Failure struct {
	Outcome string      `json:"outcome"` // evm.Outcome's name
	Output  common.Hash `json:"output"`  // the hash of what it returns
}

// Entry is an instruction of a named artifact.
type Entry struct {
	Contract string `json:"contract"` // qualified name
	Kind     string `json:"kind"`     // "runtime" or "creation"
	PC       uint32 `json:"pc"`
}

// Marshal writes the reproducer as JSON.
func (r *Reproducer) Marshal() ([]byte, error) {
	file := *r
	file.Version = snapshotVersion
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(file)
	return out.Bytes(), err
}

// ReadReproducer reads what [Reproducer.Marshal] wrote. The file may come from anyone.
func ReadReproducer(data []byte) (*Reproducer, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var r Reproducer
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("not a reproducer: %w", err)
	}
	switch {
	case r.Version != snapshotVersion:
		return nil, fmt.Errorf("version %d, this program reads version %d", r.Version, snapshotVersion)
	case r.Claim.Kind != LineClaim && r.Claim.Kind != FindingClaim:
		return nil, fmt.Errorf("claim of unknown kind %q: want line or finding", r.Claim.Kind)
	case len(r.Sequence) == 0:
		return nil, errors.New("it has no sequence")
	}
	if err := r.Claim.Answer.check(); err != nil {
		return nil, err
	}
	return &r, nil
}

// EntryOf names a location so that another run can find it; false if its code belongs to
// no contract.
func EntryOf(table *bytecode.Table, l bytecode.Location) (Entry, bool) {
	p := table.Program(l.Code)
	if p == nil || p.Contract == nil {
		return Entry{}, false
	}
	return Entry{p.Contract.QualifiedName(), p.Code.Kind.String(), l.PC}, true
}

// Locate finds the entry among contracts.
func (e Entry) Locate(contracts []*bytecode.Contract) (bytecode.Location, error) {
	for _, c := range contracts {
		if c.QualifiedName() != e.Contract {
			continue
		}
		code := c.Runtime
		if e.Kind == bytecode.Creation.String() {
			code = c.Creation
		}
		if code == nil || int(e.PC) >= len(code.Bytes) {
			return bytecode.Location{}, fmt.Errorf("%s has no %s code at pc %d", e.Contract, e.Kind, e.PC)
		}
		return bytecode.Location{Code: code.ID, PC: e.PC}, nil
	}
	return bytecode.Location{}, fmt.Errorf("there is no contract %s in world.json", e.Contract)
}
