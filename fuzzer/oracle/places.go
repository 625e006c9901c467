package oracle

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// maxPanicDistance is how many instructions after its selector a Panic's code is
// pushed at most. solc stores the selector, then the code (three instructions
// later without the optimizer); the rest is room.
const maxPanicDistance = 8

// assertionPlaces lists where asserts trap: code that makes Panic(0x01), and
// INVALID that is neither another check nor a trap.
func assertionPlaces(p *bytecode.Program) []uint32 {
	places := panicPlaces(p, func(code byte) bool { return code == panicAssertCode })
	p.Instructions(func(pc uint32) bool {
		if vm.OpCode(p.Bytes[pc]) == vm.INVALID && isAssert(p, pc) {
			places = append(places, pc)
		}
		return true
	})
	slices.Sort(places)
	return slices.Compact(places)
}

// panicPlaces lists where code makes Panics with the codes that are wanted: the PUSH of
// the selector of each.
func panicPlaces(p *bytecode.Program, wanted func(code byte) bool) []uint32 {
	var places []uint32
	var selector uint32 // pc of the last PUSH of Panic's selector
	distance := maxPanicDistance + 1
	p.Instructions(func(pc uint32) bool {
		distance++
		switch immediate := pushed(p, pc); {
		case len(immediate) >= 4 && bytes.HasPrefix(immediate, panicSelector):
			selector, distance = pc, 0
		case len(immediate) == 1 && distance <= maxPanicDistance && isPanicCode(immediate[0]):
			if wanted(immediate[0]) {
				places = append(places, selector)
			}
			distance = maxPanicDistance + 1
		}
		return true
	})
	return places
}

// has reports whether a program has an instruction of one of these kinds, apart from what the compiler's metadata look like.
func has(p *bytecode.Program, ops ...vm.OpCode) (found bool) {
	p.Instructions(func(pc uint32) bool {
		found = slices.Contains(ops, vm.OpCode(p.Bytes[pc])) && !p.Varies(pc, pc+1)
		return !found
	})
	return found
}
