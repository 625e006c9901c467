package record

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Program is a bytecode.Program with the recorder's notes on its blocks.
type Program struct {
	*bytecode.Program
	notes []note // by block
	mixed uint64 // the Key, for identifiers of paths
	// aside tells that it is the code of an attacker's contract: no way through it is worth a look,
	// nor what it keeps in its own storage. A frame that runs it has no Program.
	aside bool
}

// note is what the recorder knows of a block within the current call.
type note struct {
	call    uint32 // serial of the call that last entered it
	frame   uint32 // serial of the frame that last entered it
	covered uint32 // where it is in Execution.Covered, if call is current
}

// maxSerial is where the serials of calls and frames begin anew: a call has gas for
// far fewer frames than are left then.
const maxSerial = 1 << 31

// Programs finds the program behind code, by code hash once it has been seen.
type Programs struct {
	table  *bytecode.Table
	byHash map[common.Hash]*Program
	byID   map[*bytecode.Program]*Program
	aside  map[common.Hash]bool // see Program
}

func newPrograms(table *bytecode.Table) *Programs {
	return &Programs{table: table, byHash: map[common.Hash]*Program{}, byID: map[*bytecode.Program]*Program{}}
}

// setAside leaves out the ways through the code of a World's attackers.
func (p *Programs) setAside(w *evm.World) {
	p.aside = map[common.Hash]bool{}
	for i := range w.Senders {
		if a := w.Accounts[w.Senders[i].Address]; w.Senders[i].IsContract() && a != nil && len(a.Code) > 0 {
			p.aside[crypto.Keccak256Hash(a.Code)] = true
		}
	}
}

// Find is the program of deployed code, or of creation code: the latter comes
// without a hash.
func (p *Programs) Find(hash common.Hash, code []byte) *Program {
	if known := p.byHash[hash]; known != nil {
		return known
	}
	var found *bytecode.Program
	if hash == (common.Hash{}) {
		found = p.table.LookupCreation(code)
	} else {
		found = p.table.LookupRuntime(code)
	}
	if found == nil {
		found = p.table.Unknown(code)
	}
	result := p.of(found, p.aside[hash])
	if hash != (common.Hash{}) {
		p.byHash[hash] = result
	}
	return result
}

// Recognize is the program of deployed code that an artifact explains, without its hash; nil: none does.
func (p *Programs) Recognize(code []byte) *Program {
	if found := p.table.LookupRuntime(code); found != nil {
		return p.of(found, false)
	}
	return nil
}

func (p *Programs) of(found *bytecode.Program, aside bool) *Program {
	result := p.byID[found]
	if result == nil {
		result = &Program{Program: found, mixed: bytecode.MixFirst(found.Key), notes: make([]note, len(found.Blocks)), aside: aside}
		p.byID[found] = result
	}
	return result
}

// renumber makes all notes those of calls long ago, so that serials may begin anew.
func (p *Programs) renumber() {
	for _, known := range p.byID {
		clear(known.notes)
	}
}

// trim forgets everything when it has become too much, and reports whether it did.
func (p *Programs) trim() (forgotten bool) {
	if len(p.byHash) > maxPrograms || len(p.byID) > maxPrograms {
		clear(p.byHash)
		clear(p.byID)
		return true
	}
	return false
}
