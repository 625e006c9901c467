package oracle

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// panicSelector is that of Panic(uint256), which solc pushes as four bytes or
// as a word with the selector on the left.
var panicSelector = panicAssert[:4]

// maxPanicDistance is how many instructions behind its selector a Panic's code is
// pushed at most. solc stores the selector, then the code (three instructions
// behind without the optimizer); the rest is room.
const maxPanicDistance = 8

// assertionPlaces lists where asserts trap: code that makes Panic(0x01), and
// INVALID that is not another check.
func assertionPlaces(p *bytecode.Program) []uint32 {
	var places []uint32
	var selector uint32 // pc of the last PUSH of Panic's selector
	distance := maxPanicDistance + 1
	p.Instructions(func(pc uint32) bool {
		op := vm.OpCode(p.Bytes[pc])
		size := bytecode.PushSize(p.Bytes[pc])
		immediate := p.Bytes[min(int(pc)+1, len(p.Bytes)):min(int(pc+1+size), len(p.Bytes))]
		distance++
		switch {
		case op == vm.INVALID && !isCheck(p, pc):
			places = append(places, pc)
		case size >= 4 && bytes.HasPrefix(immediate, panicSelector):
			selector, distance = pc, 0
		case op == vm.PUSH1 && distance <= maxPanicDistance && len(immediate) == 1 && immediate[0] == panicAssertCode:
			places = append(places, selector)
			distance = maxPanicDistance + 1
		}
		return true
	})
	slices.Sort(places)
	return slices.Compact(places)
}

// panicAssertCode is Panic's code of a failing assert.
var panicAssertCode = byte(binary.BigEndian.Uint64(panicAssert[len(panicAssert)-8:]))
