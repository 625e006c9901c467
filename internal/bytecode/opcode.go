package bytecode

// The opcodes that shape control flow (yellow paper, appendix H.2; EIP-141 for
// INVALID). Everything else about opcodes belongs to the machine.
const (
	opStop         = 0x00
	opJump         = 0x56
	opJumpi        = 0x57
	opJumpdest     = 0x5b
	opPush1        = 0x60
	opPush32       = 0x7f
	opReturn       = 0xf3
	opRevert       = 0xfd
	opInvalid      = 0xfe
	opSelfdestruct = 0xff
)

// PushSize is the number of immediate bytes that follow op: 1 to 32 for PUSH1
// to PUSH32, else 0 (PUSH0 has none).
func PushSize(op byte) uint32 {
	if op >= opPush1 && op <= opPush32 {
		return uint32(op-opPush1) + 1
	}
	return 0
}

// EndsPath reports whether the instruction behind op runs only if something jumps to it.
func EndsPath(op byte) bool {
	switch op {
	case opStop, opJump, opReturn, opRevert, opInvalid, opSelfdestruct:
		return true
	}
	return false
}

// endsBlock reports whether no instruction can follow op in the same basic block.
func endsBlock(op byte) bool { return op == opJumpi || EndsPath(op) }
