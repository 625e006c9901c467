package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Reproducer is a file below reproducers/: a sequence and what it is claimed to
// show. `sightline replay` runs it on go-ethereum from the World of the
// world.json beside report.json.
type Reproducer struct {
	Version int `json:"version"`
	// Claim is what the sequence shows.
	Claim Claim `json:"claim"`
	// Sequence is the text form of fuzzer/input, one string per line.
	Sequence []string `json:"sequence"`
}

// Claim is either a line that is reached or a finding.
type Claim struct {
	Kind     string  `json:"kind"` // "line" or "finding"
	ID       string  `json:"id"`   // of the finding
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Contract string  `json:"contract"` // qualified name
	Oracle   string  `json:"oracle"`   // of the finding
	Kept     bool    `json:"kept"`     // the line is reached in a call that succeeds
	Entries  []Entry `json:"entries"`  // of the line: one of them is executed; of the finding: where it is seen
	Message  string  `json:"message"`
}

// Entry is an instruction of a named artifact.
type Entry struct {
	Contract string `json:"contract"` // qualified name
	Kind     string `json:"kind"`     // "runtime" or "creation"
	PC       uint32 `json:"pc"`
}

// MarshalReproducer writes a reproducer file.
func MarshalReproducer(r *Reproducer) ([]byte, error) {
	r.Version = bundleVersion
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(r)
	return out.Bytes(), err
}

// ReadReproducer reads what MarshalReproducer wrote.
func ReadReproducer(data []byte) (*Reproducer, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var r Reproducer
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("not a reproducer: %w", err)
	}
	switch {
	case r.Version != bundleVersion:
		return nil, fmt.Errorf("version %d, this program reads version %d", r.Version, bundleVersion)
	case r.Claim.Kind != "line" && r.Claim.Kind != "finding":
		return nil, fmt.Errorf("claim of unknown kind %q: want line or finding", r.Claim.Kind)
	case len(r.Sequence) == 0:
		return nil, fmt.Errorf("it has no sequence")
	}
	return &r, nil
}

// EntryOf names a location, so that it can be found in another run.
func EntryOf(table *bytecode.Table, l bytecode.Location) (Entry, bool) {
	p := table.Program(l.Code)
	if p == nil || p.Contract == nil {
		return Entry{}, false
	}
	return Entry{p.Contract.QualifiedName(), p.Code.Kind.String(), l.PC}, true
}

// Locate finds the entry in a table.
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
