package input

import "github.com/holiman/uint256"

// proposeLength draws another length: mostly one more or less, sometimes a
// length that code is likely to ask for.
func proposeLength(r Rand, t *Type, old *uint256.Int) uint256.Int {
	n := old.Uint64()
	most := uint64(2 * generateMost)
	if t.Kind != Slice {
		most = uint64(bytesLengths[len(bytesLengths)-1])
	}
	switch r.IntN(6) {
	case 0, 1:
		n++
	case 2:
		n-- // below zero wraps and does not fit
	case 3:
		n = r.Uint64N(4)
	case 4:
		n = r.Uint64N(most + 1)
	default:
		if t.Kind != Slice {
			n = uint64(bytesLengths[r.IntN(len(bytesLengths))])
		} else {
			n *= 2
		}
	}
	return *uint256.NewInt(n)
}

// generateMost is the longest array that generation makes, see generateLength.
const generateMost = 16

// proposeChunk draws another content for 32 bytes of a byte string, or for the
// rest of it when less are left: bytes beyond the end stay zero.
func (m *Mutator) proposeChunk(r Rand, c *Call, w *Word, old *uint256.Int) uint256.Int {
	v, t := resolve(Sequence{*c}, &Word{Kind: ChunkWord, depth: w.depth, path: w.path})
	from, end, _ := chunkAt(len(v.Bytes), int(w.path[w.depth-1]))
	n := end - from
	part := Type{Kind: FixedBytes, Bits: 8 * n}
	switch r.IntN(6) {
	case 0: // a selector of the instance, for whoever decodes a call
		if data := m.selector(r, c); data != nil && n >= 4 {
			chunk := old.Bytes32()
			copy(chunk[:4], data)
			return *new(uint256.Int).SetBytes32(chunk[:])
		}
	case 1: // an address or number of the World, right-aligned as in calldata
		if n == 32 {
			return m.generateAddress(r)
		}
	case 2:
		if x, ok := m.dictionary.Sample(r, &part); ok {
			return x
		}
	case 3:
		x := *old
		bit := uint(256 - 8*n + r.IntN(8*n))
		x[bit/64] ^= 1 << (bit % 64)
		return x
	case 4:
		if oneIn(r, 2) {
			return changeLane(r, &part, old)
		}
		return boundary(r, &part)
	}
	chunk := old.Bytes32() // one byte, or all
	first, last := 0, n
	if oneIn(r, 2) {
		first = r.IntN(n)
		last = first + 1
	}
	fillBytes(r, t, chunk[first:last])
	return *new(uint256.Int).SetBytes32(chunk[:])
}

// selector is the selector of a random method of an instance that the call may mean; nil when
// the one drawn is none.
func (m *Mutator) selector(r Rand, c *Call) []byte {
	functions := m.space.Instances[m.meant(r, c)].Functions
	if len(functions) == 0 {
		return nil
	}
	f := functions[r.IntN(len(functions))]
	if f.Kind != Method {
		return nil
	}
	return f.Selector[:]
}
