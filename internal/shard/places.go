package shard

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// place is a Location in a file: the index of its artifact's name, and the pc.
type place [2]uint32

// Names of artifacts: that of the contract and the kind of code, "src/Vault.sol:Vault runtime"; of
// code that no artifact explains, this and its SHA-256, by which a file in the folder code has it; and
// nothing where even that is not known.
const unknownPrefix = "code "

// places name the artifacts of Locations. Names are numbered as they come up.
type places struct {
	table   *bytecode.Table
	names   []string
	numbers map[bytecode.CodeID]uint32
	unknown map[string][]byte // code by its SHA-256
}

func newPlaces(table *bytecode.Table) *places {
	return &places{table: table, numbers: map[bytecode.CodeID]uint32{}, unknown: map[string][]byte{}}
}

// of is a Location's place.
func (p *places) of(l bytecode.Location) place {
	n, known := p.numbers[l.Code]
	if !known {
		n = uint32(len(p.names))
		p.numbers[l.Code] = n
		p.names = append(p.names, p.name(l.Code))
	}
	return place{n, l.PC}
}

func (p *places) name(id bytecode.CodeID) string {
	program := p.table.Program(id)
	switch {
	case program == nil:
		return ""
	case program.Contract != nil:
		return artifactName(program)
	}
	sum := sha256.Sum256(program.Bytes)
	name := hex.EncodeToString(sum[:])
	p.unknown[name] = program.Bytes
	return unknownPrefix + name
}

func artifactName(p *bytecode.Program) string {
	return p.Contract.QualifiedName() + " " + p.Code.Kind.String()
}

// located finds the artifacts of a file's places.
type located struct {
	table    *bytecode.Table
	programs []*bytecode.Program // by number; nil: the code is not known
}

// locate finds artifacts by their names. read reads the code of one that no artifact explains, by its
// SHA-256.
func locate(table *bytecode.Table, names []string, read func(sum string) ([]byte, error)) (*located, error) {
	known := map[string]*bytecode.Program{}
	for _, c := range table.Contracts() {
		for _, code := range []*bytecode.Code{c.Creation, c.Runtime} {
			if code == nil {
				continue
			}
			if p := table.Program(code.ID); p != nil {
				known[artifactName(p)] = p
			}
		}
	}
	l := &located{table: table}
	for _, name := range names {
		sum, unknown := strings.CutPrefix(name, unknownPrefix)
		switch {
		case name == "":
			l.programs = append(l.programs, nil)
		case unknown:
			code, err := read(sum)
			if err != nil {
				return nil, err
			}
			l.programs = append(l.programs, table.Unknown(code))
		case known[name] == nil:
			return nil, fmt.Errorf("the build has no code called %q", name)
		default:
			l.programs = append(l.programs, known[name])
		}
	}
	return l, nil
}

var errPlace = errors.New("it names a place in code that is not there")

// at is the Location of a place.
func (l *located) at(p place) (bytecode.Location, error) {
	if int64(p[0]) >= int64(len(l.programs)) {
		return bytecode.Location{}, errPlace
	}
	program := l.programs[p[0]]
	if program == nil {
		return bytecode.Location{PC: p[1]}, nil
	}
	if int64(p[1]) >= int64(len(program.Bytes)) {
		return bytecode.Location{}, errPlace
	}
	return bytecode.Location{Code: program.ID, PC: p[1]}, nil
}

// all are the Locations of several places.
func (l *located) all(list []place) (found []bytecode.Location, err error) {
	for _, p := range list {
		at, err := l.at(p)
		if err != nil {
			return nil, err
		}
		found = append(found, at)
	}
	return found, nil
}

// runs are whole numbers as the first and the number of those that follow one another.
type runs [][2]int

func (r *runs) add(n int) {
	if last := len(*r) - 1; last >= 0 && (*r)[last][0]+(*r)[last][1] == n {
		(*r)[last][1]++
		return
	}
	*r = append(*r, [2]int{n, 1})
}

// each lists the numbers; false if one is not below a bound, or there are more than most.
func (r runs) each(below, most int) (list []int, ok bool) {
	for _, run := range r {
		from, n := run[0], run[1]
		if from < 0 || n < 1 || n > most-len(list) || from > math.MaxInt-n || from+n > below {
			return nil, false
		}
		for i := range n {
			list = append(list, from+i)
		}
	}
	return list, true
}
