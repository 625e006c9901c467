package evm

import "github.com/sightline-evm/sightline/internal/bytecode"

// SizeLimits are the limits of code's size that a machine applies: those of EIP-170 and
// EIP-3860, to the size that code has in the release build. The type is exported for the
// packages of the machines.
type SizeLimits struct {
	table  *bytecode.Table
	lifted bool // there are none
	// creation is set when creations within calls have no limit: go-ethereum does not apply
	// it to some code only.
	creation bool
}

// argumentRoom is how much shorter than the limit creation code is without reaching it with
// its constructor's arguments, bytes; arbitrary.
const argumentRoom = 1 << 13

// NewSizeLimits are the limits for the code of a table.
func NewSizeLimits(table *bytecode.Table, o *Options) SizeLimits {
	l := SizeLimits{table: table, lifted: o.LiftCodeSize, creation: o.LiftCodeSize}
	for _, c := range table.Contracts() {
		if c.Creation != nil && c.Creation.Released != 0 && len(c.Creation.Bytes) > bytecode.MaxCreation-argumentRoom {
			l.creation = true
		}
	}
	return l
}

// AllowsNested reports whether creation code of so many bytes may be run by a CREATE.
func (l *SizeLimits) AllowsNested(size uint64) bool {
	return l.creation || size <= bytecode.MaxCreation
}

// LiftsNested reports whether every creation code may be run by a CREATE.
func (l *SizeLimits) LiftsNested() bool { return l.creation }

// AllowsCreation reports whether a transaction may have this creation code.
func (l *SizeLimits) AllowsCreation(init []byte) bool {
	if l.lifted || len(init) <= bytecode.MaxCreation {
		return true
	}
	p := l.table.LookupCreation(init)
	if p == nil {
		return false
	}
	size, known := p.Code.ReleaseSize()
	return !known || size+len(init)-len(p.Bytes) <= bytecode.MaxCreation
}

// AllowsRuntime reports whether this code may be deployed.
func (l *SizeLimits) AllowsRuntime(code []byte) bool {
	if l.lifted || len(code) <= bytecode.MaxRuntime {
		return true
	}
	p := l.table.LookupRuntime(code)
	if p == nil {
		return false
	}
	size, known := p.Code.ReleaseSize()
	return !known || size <= bytecode.MaxRuntime
}
