package record

// Work is counted in plain instructions, of about 1.5 ns in the interpreter. Gas would say
// something else: a failing INVALID uses all there is and takes no time, storage costs gas for
// being kept, and hashing 32 bytes costs as much as two additions. Weights are measured
// (rounded to a power of two where that is near enough): they need to be right within a
// factor of two or three.
const (
	// FrameWork is what opening and closing a frame takes.
	FrameWork = 256
	// accessWork is a storage access, an event or another entry of what is recorded.
	accessWork = 64
	// HashWork is hashing a word of memory, and FirstHashWork what a hash takes beyond that.
	HashWork      = 32
	FirstHashWork = 128
	// CopyWork is copying a word, or clearing one that memory grows by.
	CopyWork = 1
	// DecodeWork is decoding a byte of creation code.
	DecodeWork = 1
	// GasWork is a gas of a precompiled contract: 6 ns for a product of curve points, up to 20
	// for a signature's recovery.
	GasWork = 8
)
