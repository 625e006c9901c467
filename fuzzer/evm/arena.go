package evm

// arena hands out pieces of larger chunks, so that what an Execution keeps costs
// no allocation once the chunks are there. A mark is a place to go back to: what
// was handed out since is handed out again.
type arena[T any] struct {
	unit   int // elements in a chunk
	chunks [][]T
	at     arenaMark
}

// arenaMark is a place in an arena: the chunk that is being filled, and how far.
type arenaMark struct{ chunk, used int }

// maxChunks bounds the chunks that an empty arena keeps. A run fills more of them
// where contracts pass megabytes on, which few do: arbitrary.
const maxChunks = 1 << 4

// take is a piece of n elements, of any content, that nothing can be appended
// to in place.
func (a *arena[T]) take(n int) []T {
	for a.at.chunk < len(a.chunks) {
		chunk := a.chunks[a.at.chunk]
		if start := a.at.used; start+n <= len(chunk) {
			a.at.used += n
			return chunk[start:a.at.used:a.at.used]
		}
		a.at = arenaMark{chunk: a.at.chunk + 1}
	}
	a.chunks = append(a.chunks, make([]T, max(n, a.unit)))
	a.at.used = n
	return a.chunks[a.at.chunk][:n:n]
}

// release goes back to a mark.
func (a *arena[T]) release(to arenaMark) {
	a.at = to
	if to == (arenaMark{}) && len(a.chunks) > maxChunks {
		a.chunks = nil
	}
}
