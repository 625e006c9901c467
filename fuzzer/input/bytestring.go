package input

import (
	"math/big"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// Bounds of what formulas have of byte strings. Arbitrary: code looks at the first words of most.
const (
	maxChunks  = 16      // of a call's byte strings, that are variables
	maxCopied  = 16      // words of calldata that are followed into memory at once
	maxMemory  = 1 << 32 // no run has as much
	chunkBytes = 32
)

// chunksOf lists the words of a call's byte strings, the first ones. No run changes one by one, as it does with [Space.Variables]: what they do
// to operands is read off their bytes.
func (s *Space) chunksOf(seq Sequence, call int) (all []Variable) {
	for _, w := range appendArgumentWords(nil, seq, call) {
		if w.Kind != ChunkWord {
			continue
		}
		x, _ := s.Get(seq, w)
		most := new(big.Int).Lsh(one, 256)
		all = append(all, Variable{Word: w, Value: x.ToBig(), least: new(big.Int), most: most.Sub(most, one)})
		if len(all) == maxChunks {
			break
		}
	}
	return all
}

// piece is where a call's data has some bytes of a byte string, up to 32.
type piece struct {
	from, end uint64
	term      int32 // their word, with zeros behind them
}

// pieceAt finds a chunk in a call's data: where that changes with the chunk's first byte.
func (r *reader) pieceAt(w Word, data []byte) (p piece, ok bool) {
	v, _ := resolve(r.sequence, &w)
	from, end, ok := chunkAt(len(v.Bytes), int(w.path[w.depth-1]))
	if !ok {
		return p, false
	}
	x, _ := r.space.Get(r.sequence, w)
	x[3] ^= 1 << 63
	changed, ok := r.space.With(r.sequence, w, &x)
	if !ok {
		return p, false
	}
	other := changed[w.Call].Function.appendData(nil, changed[w.Call].Args)
	for i := range data {
		if data[i] != other[i] {
			return piece{from: uint64(i), end: uint64(i + end - from)}, true
		}
	}
	return p, false
}

// piecesAt is the word of calldata from an offset on, if bytes of byte strings are in it: made of their words, shifted to where they
// are, and of the rest, which is given. It clears those bytes in data.
func (r *reader) piecesAt(o uint64, data *[chunkBytes]byte) (word int32, ok bool) {
	for _, p := range r.pieces {
		if p.end <= o || p.from >= o+chunkBytes {
			continue
		}
		shifted := p.term
		switch {
		case p.from > o:
			shifted = r.compute(vm.SHR, r.constant(uint256.NewInt(8*(p.from-o))), p.term, unknown)
		case p.from < o:
			shifted = r.compute(vm.SHL, r.constant(uint256.NewInt(8*(o-p.from))), p.term, unknown)
		}
		clear(data[max(p.from, o)-o : min(p.end-o, chunkBytes)])
		if ok {
			shifted = r.compute(vm.OR, word, shifted, unknown)
		}
		word, ok = shifted, true
	}
	if !ok {
		return unknown, false
	}
	if *data != [chunkBytes]byte{} {
		var rest uint256.Int
		rest.SetBytes32(data[:])
		word = r.compute(vm.OR, word, r.given(&rest), unknown)
	}
	return word, true
}

// copyIn follows calldata that is copied to memory, word by word.
func (r *reader) copyIn(args [3]int32) {
	r.forget(args[0], args[2])
	var numbers [3]uint64
	for i, arg := range args {
		t := &r.terms[arg]
		if !t.known || t.moves || !t.value.LtUint64(maxMemory) {
			return
		}
		numbers[i] = t.value.Uint64()
	}
	to, from, size := numbers[0], numbers[1], min(numbers[2], chunkBytes*maxCopied)
	if r.copyWords(to, from, size) {
		return
	}
	for i := uint64(0); i+chunkBytes <= size; i += chunkBytes {
		r.memory[to+i] = r.load(r.constant(uint256.NewInt(from + i)))
	}
}

// copyWords copies the words of calldata that are known, if they are elsewhere than in steps of a word from the first byte: all of it is
// handed on, selector included. It reports whether it did.
func (r *reader) copyWords(to, from, size uint64) (copied bool) {
	for o, word := range r.words { // in any order: each by itself
		if o >= from && o+chunkBytes <= from+size && (o-from)%chunkBytes != 0 {
			r.memory[to+o-from] = word
			copied = true
		}
	}
	return copied
}
