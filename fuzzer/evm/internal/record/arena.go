package record

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Arena hands out pieces of larger chunks, so that what an Execution keeps costs
// no allocation once the chunks are there. A mark is a place to go back to: what
// was handed out since is handed out again.
type Arena[T any] struct {
	unit   int // elements in a chunk; what needs more gets one of its own
	least  int // room that a list gets when something is first put into it
	kept   int // elements that it keeps when it is empty
	chunks [][]T
	held   int // elements in all of them
	at     arenaMark
}

// arenaMark is a place in an arena: the chunk that is being filled, and how far.
type arenaMark struct{ chunk, used int }

// maxChunks bounds what an empty arena keeps, in chunks of its unit. A run fills
// more of them where contracts pass megabytes on or go round in loops, which
// few do: arbitrary.
const maxChunks = 1 << 4

// keptAccesses is what the arena of accesses keeps: a list of all that an execution may have, in a chunk of twice that, since lists grow so.
// 9 MB, where contracts go round in loops over storage; making the list anew each time took a quarter of campaigns on those.
const keptAccesses = 2 * MaxAccesses

// Take is a piece of n elements, of any content, that nothing can be appended
// to in place.
func (a *Arena[T]) Take(n int) []T {
	for a.at.chunk < len(a.chunks) {
		chunk := a.chunks[a.at.chunk]
		if start := a.at.used; start+n <= len(chunk) {
			a.at.used += n
			return chunk[start:a.at.used:a.at.used]
		}
		a.at = arenaMark{chunk: a.at.chunk + 1}
	}
	chunk := make([]T, max(n, a.unit))
	a.chunks, a.held = append(a.chunks, chunk), a.held+len(chunk)
	a.at.used = n
	return a.chunks[a.at.chunk][:n:n]
}

// extend gives a list that is full room for more, in place if nothing was handed
// out since.
func (a *Arena[T]) extend(list []T) []T {
	n := len(list)
	more := max(n, a.least)
	if chunk, is := a.latest(list); is {
		start := a.at.used - n
		if a.at.used == len(chunk) && start == 0 { // the chunk is the list's alone
			chunk = make([]T, n+more)
			copy(chunk, list)
			a.chunks[a.at.chunk] = chunk
			a.held += more
		}
		if a.at.used < len(chunk) {
			a.at.used = min(a.at.used+more, len(chunk))
			return chunk[start : start+n : a.at.used]
		}
	}
	longer := a.Take(n + more)
	copy(longer, list)
	return longer[:n]
}

// cut is a list without the room behind it, which is taken back if nothing was
// handed out since.
func (a *Arena[T]) cut(list []T) []T {
	if _, is := a.latest(list); is {
		a.at.used -= cap(list) - len(list)
	}
	return slices.Clip(list)
}

// latest reports whether a list is what was handed out last, with its chunk.
func (a *Arena[T]) latest(list []T) (chunk []T, is bool) {
	if cap(list) == 0 || a.at.chunk == len(a.chunks) {
		return nil, false
	}
	chunk = a.chunks[a.at.chunk]
	start := a.at.used - cap(list)
	return chunk, start >= 0 && &chunk[start] == &list[:1][0]
}

// shrink lets go of what an empty arena does not keep.
func (a *Arena[T]) shrink() {
	for a.overgrown() {
		last := len(a.chunks) - 1
		a.held -= len(a.chunks[last])
		a.chunks[last] = nil
		a.chunks = a.chunks[:last]
	}
}

// overgrown reports whether the arena holds more than it keeps when it is empty.
func (a *Arena[T]) overgrown() bool { return a.held > max(maxChunks*a.unit, a.kept) }

// Buffers hold the lists of an Execution.
type Buffers struct {
	Bytes       Arena[byte] // where inputs and outputs are copied to
	Topics      Arena[common.Hash]
	blocks      Arena[bytecode.BlockID]
	comparisons Arena[evm.Comparison]
	accesses    Arena[evm.StorageAccess]
	logs        Arena[evm.Log]
}

// buffersMark is a place in each of them.
type buffersMark struct{ bytes, topics, blocks, comparisons, accesses, logs arenaMark }

// newBuffers allocates in units that take some hundred ordinary calls: 64 KiB of
// inputs, less of the others.
func newBuffers() (b Buffers) {
	b.Bytes.unit, b.Topics.unit = 1<<16, 1<<10
	b.blocks.unit, b.comparisons.unit, b.accesses.unit, b.logs.unit = 1<<13, 1<<9, 1<<8, 1<<7
	b.accesses.kept = keptAccesses
	// Half a kilobyte: of a frame that calls another one the room stays empty, and
	// there may be thousands. Arbitrary.
	b.blocks.least, b.comparisons.least, b.accesses.least, b.logs.least = 32, 8, 4, 4
	return b
}

func (b *Buffers) mark() buffersMark {
	return buffersMark{b.Bytes.at, b.Topics.at, b.blocks.at, b.comparisons.at, b.accesses.at, b.logs.at}
}

// release goes back to a mark.
func (b *Buffers) release(to buffersMark) {
	b.Bytes.at, b.Topics.at, b.blocks.at, b.comparisons.at, b.accesses.at, b.logs.at = to.bytes, to.topics, to.blocks, to.comparisons, to.accesses, to.logs
}

// empty goes back to the beginning, and lets go of what a run has grown.
func (b *Buffers) empty() {
	b.release(buffersMark{})
	b.Bytes.shrink()
	b.Topics.shrink()
	b.blocks.shrink()
	b.comparisons.shrink()
	b.accesses.shrink()
	b.logs.shrink()
}

// Overgrown reports whether a run has filled more than is kept for others.
func (b *Buffers) Overgrown() bool {
	return b.Bytes.overgrown() || b.Topics.overgrown() || b.blocks.overgrown() ||
		b.comparisons.overgrown() || b.accesses.overgrown() || b.logs.overgrown()
}

// cut takes back the room behind a frame's lists.
func (b *Buffers) cut(f *evm.Frame) {
	if cap(f.Path) > len(f.Path) {
		f.Path = b.blocks.cut(f.Path)
	}
	if cap(f.Comparisons) > len(f.Comparisons) {
		f.Comparisons = b.comparisons.cut(f.Comparisons)
	}
	if cap(f.Storage) > len(f.Storage) {
		f.Storage = b.accesses.cut(f.Storage)
	}
	if cap(f.Logs) > len(f.Logs) {
		f.Logs = b.logs.cut(f.Logs)
	}
}
