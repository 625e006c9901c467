package pipeline

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/replay"
)

// storageLayout is what solc says of a contract's state variables (Solidity
// documentation, "JSON Output" of storage).
type storageLayout struct {
	Storage []layoutPlace         `json:"storage"`
	Types   map[string]layoutType `json:"types"`
}

// layoutPlace is a state variable, or a member of a struct.
type layoutPlace struct {
	Label  string `json:"label"`
	Slot   string `json:"slot"` // decimal
	Offset uint   `json:"offset"`
	Type   string `json:"type"`
}

type layoutType struct {
	Label    string        `json:"label"`
	Bytes    string        `json:"numberOfBytes"` // decimal
	Encoding string        `json:"encoding"`
	Value    string        `json:"value"` // of a mapping
	Base     string        `json:"base"`  // of an array
	Members  []layoutPlace `json:"members"`
}

// wordBytes is the length of a slot.
const wordBytes = 32

// maxVariables bounds the variables that are kept of one contract. Arbitrary; only generated
// contracts have a thousand.
const maxVariables = 1 << 10

// variables are the state variables of all contracts whose build has a layout. Layouts that
// cannot be read are left out: they only serve to name storage in traces.
func variables(outputs []*compile.Output) map[string][]replay.Variable {
	all := map[string][]replay.Variable{}
	for _, o := range outputs {
		for _, c := range o.Contracts {
			var l storageLayout
			if json.Unmarshal(c.StorageLayout, &l) != nil || len(l.Storage) > maxVariables {
				continue
			}
			for _, s := range l.Storage {
				v, ok := l.variable(&s)
				if !ok {
					continue
				}
				v.Members = l.members(s.Type)
				all[c.QualifiedName()] = append(all[c.QualifiedName()], v)
			}
		}
	}
	return all
}

// variable is the one at a place.
func (l *storageLayout) variable(at *layoutPlace) (v replay.Variable, ok bool) {
	slot, err := uint256.FromDecimal(at.Slot)
	if err != nil || at.Offset >= wordBytes {
		return v, false
	}
	v = replay.Variable{Name: at.Label, Slot: *slot, Offset: at.Offset, Type: l.Types[at.Type].Label}
	if n, err := strconv.ParseUint(l.Types[at.Type].Bytes, 10, 8); err == nil && uint(n)+at.Offset <= wordBytes {
		v.Bytes = uint(n)
	}
	return v, true
}

// Bounds of what a variable consists of. Arbitrary: structs have a dozen members, and are seldom in each other.
const (
	maxMembers = 64
	maxNested  = 8
)

// members are what a struct or an array of a fixed length consists of, and where that is in it; of a mapping,
// its values. nil: it is one value.
func (l *storageLayout) members(of string) []replay.Variable {
	for range maxNested {
		if l.Types[of].Encoding == "mapping" {
			of = l.Types[of].Value
		}
	}
	if t := l.Types[of]; len(t.Members) == 0 && (t.Base == "" || t.Encoding != "inplace") {
		return nil
	}
	var all []replay.Variable
	l.flatten(&all, &layoutPlace{Slot: "0", Type: of}, maxNested)
	return all
}

// flatten adds what a part consists of, as far as the bounds allow.
func (l *storageLayout) flatten(all *[]replay.Variable, part *layoutPlace, depth int) {
	t := l.Types[part.Type]
	v, ok := l.variable(part)
	if !ok || depth == 0 || len(*all) >= maxMembers {
		return
	}
	add := func(name string, slot uint64, offset uint, of string) {
		at := new(uint256.Int).AddUint64(&v.Slot, slot)
		l.flatten(all, &layoutPlace{Label: v.Name + name, Slot: at.Dec(), Offset: offset, Type: of}, depth-1)
	}
	switch {
	case len(t.Members) > 0:
		for _, m := range t.Members {
			if slot, err := strconv.ParseUint(m.Slot, 10, 32); err == nil {
				add("."+m.Label, slot, m.Offset, m.Type)
			}
		}
	case t.Base != "" && t.Encoding == "inplace":
		length, _ := strconv.ParseUint(strings.TrimSuffix(t.Label[strings.LastIndexByte(t.Label, '[')+1:], "]"), 10, 32)
		size, _ := strconv.ParseUint(l.Types[t.Base].Bytes, 10, 32)
		for i := uint64(0); size > 0 && i < length && len(*all) < maxMembers; i++ { // as many in a slot as it holds, or each in its own ones
			slot, offset := i*((size+wordBytes-1)/wordBytes), uint64(0)
			if each := wordBytes / size; each > 1 {
				slot, offset = i/each, i%each*size
			}
			add(fmt.Sprintf("[%d]", i), slot, uint(offset), t.Base)
		}
	default:
		*all = append(*all, v)
	}
}
