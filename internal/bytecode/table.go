package bytecode

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"
)

// Table recognizes code: which artifact a deployed instance runs, and which a
// creation frame runs. It hands out one [Program] per artifact, and one per
// distinct piece of code that no artifact explains. Safe for concurrent use.
type Table struct {
	contracts []*Contract
	programs  []*Program // by CodeID; programs[0] is nil
	runtime   map[int][]*Program
	creation  []*Program // longest first

	mu      sync.Mutex
	unknown map[[32]byte]*Program
}

// NewTable numbers the artifacts of contracts in their order (so that ids are
// the same for the same build) and cuts their code into blocks.
func NewTable(contracts []*Contract) *Table {
	t := &Table{
		contracts: contracts,
		programs:  []*Program{nil},
		runtime:   map[int][]*Program{},
		unknown:   map[[32]byte]*Program{},
	}
	for _, c := range contracts {
		for _, code := range []*Code{c.Creation, c.Runtime} {
			if code == nil || len(code.Bytes) == 0 {
				continue
			}
			code.ID = CodeID(len(t.programs))
			p := newProgram(code.Bytes, nil)
			p.ID, p.Code, p.Contract = code.ID, code, c
			p.Key = artifactKey(c, code)
			p.masks = sortedRanges(code.masks())
			p.loose = sortedRanges(append(code.masks(), metadata(code.Bytes)))
			t.programs = append(t.programs, p)
			if code.Kind == Creation {
				t.creation = append(t.creation, p)
			} else {
				t.runtime[len(code.Bytes)] = append(t.runtime[len(code.Bytes)], p)
			}
		}
	}
	slices.SortStableFunc(t.creation, func(a, b *Program) int { return len(b.Bytes) - len(a.Bytes) })
	return t
}

// artifactKey is the first 8 bytes of a hash over what identifies the artifact
// across runs and machines.
func artifactKey(c *Contract, code *Code) uint64 {
	h := sha256.New()
	h.Write([]byte(c.QualifiedName()))
	h.Write([]byte{0, byte(code.Kind)})
	h.Write(code.Bytes)
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// Contracts are the contracts of the table, in the order of [NewTable].
func (t *Table) Contracts() []*Contract { return t.contracts }

// Program is the program of an artifact, or of unknown code met before; nil for
// NoCode and for ids never given out.
func (t *Table) Program(id CodeID) *Program {
	t.mu.Lock()
	defer t.mu.Unlock()
	if int(id) >= len(t.programs) {
		return nil
	}
	return t.programs[id]
}

// Cut makes every location the start of a basic block, so that entering the
// block and executing the location are the same thing. To be called before the
// first program is used by a machine.
func (t *Table) Cut(locations []Location) {
	cuts := map[CodeID][]uint32{}
	for _, l := range locations {
		cuts[l.Code] = append(cuts[l.Code], l.PC)
	}
	for id, pcs := range cuts {
		if p := t.Program(id); p != nil {
			p.cut(pcs)
		}
	}
}

// LookupRuntime finds the artifact whose runtime code an instance with this
// code runs. Immutables, library addresses and a library's own address are
// ignored; among artifacts that differ in nothing else but metadata, the one
// with equal metadata wins. nil when no artifact fits.
func (t *Table) LookupRuntime(code []byte) *Program {
	candidates := t.runtime[len(code)]
	for _, p := range candidates {
		if equalExcept(p.Bytes, code, p.masks) {
			return p
		}
	}
	for _, p := range candidates {
		if equalExcept(p.Bytes, code, p.loose) {
			return p
		}
	}
	return nil
}

// LookupCreation finds the artifact whose creation code starts initcode; what
// follows it are the constructor's arguments. The longest wins. nil when none
// fits.
func (t *Table) LookupCreation(initcode []byte) *Program {
	for _, p := range t.creation {
		if len(p.Bytes) <= len(initcode) && equalExcept(p.Bytes, initcode[:len(p.Bytes)], p.masks) {
			return p
		}
	}
	return nil
}

// Recognized is the artifact that code of p is taken for when it runs: p, or an
// earlier one of the same code, as copies of a contract in two projects have it.
// What is at a pc of one is at that pc of the other.
func (t *Table) Recognized(p *Program) *Program {
	found := p
	if p.Code != nil && p.Code.Kind == Creation {
		found = t.LookupCreation(p.Bytes)
	} else if p.Code != nil {
		found = t.LookupRuntime(p.Bytes)
	}
	if found == nil {
		return p
	}
	return found
}

// maxUnknown bounds the pieces of unknown code that a Table keeps: a contract can
// create new code in every call of a campaign. Real projects meet a handful
// (proxies, clones), so the number is arbitrary.
const maxUnknown = 1 << 9

// Unknown is the program of code that no artifact explains; the same code gets
// the same program and id. Its Key depends on the code alone. Beyond 512
// different pieces of code, further ones get a new program each time, with the
// id NoCode.
func (t *Table) Unknown(code []byte) *Program {
	hash := sha256.Sum256(code)
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.unknown[hash]; p != nil {
		return p
	}
	p := newProgram(bytes.Clone(code), nil)
	p.Key = binary.BigEndian.Uint64(hash[:])
	if len(t.unknown) >= maxUnknown {
		return p
	}
	p.ID = CodeID(len(t.programs))
	t.programs = append(t.programs, p)
	t.unknown[hash] = p
	return p
}

// UnknownCode lists the code that no artifact explains and that was met so far, in the order of
// its ids: a Table of the same contracts that meets it in this order numbers it alike. It must not
// be changed.
func (t *Table) UnknownCode() [][]byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list [][]byte
	for _, p := range t.programs {
		if p != nil && p.Code == nil {
			list = append(list, p.Bytes)
		}
	}
	return list
}

func sortedRanges(ranges []Range) []Range {
	slices.SortFunc(ranges, func(x, y Range) int { return cmp.Compare(x.Start, y.Start) })
	return ranges
}

// equalExcept compares two slices of equal length outside the masked ranges,
// which are sorted. They come from build output and may lie anywhere.
func equalExcept(a, b []byte, masks []Range) bool {
	if len(masks) == 0 {
		return bytes.Equal(a, b)
	}
	at := uint32(0)
	for _, m := range masks {
		if int64(m.Start) >= int64(len(a)) {
			break
		}
		if m.Start > at && !bytes.Equal(a[at:m.Start], b[at:m.Start]) {
			return false
		}
		at = max(at, m.End)
	}
	return int(at) >= len(a) || bytes.Equal(a[at:], b[at:])
}
