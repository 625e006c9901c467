package input

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/signature"
)

// maxRecoveries bounds how many calls of ecrecover one execution is searched for.
// Arbitrary: a wallet with several owners asks for a few.
const maxRecoveries = 8

// maxSignatureLeaves bounds the elementary arguments among which a signature is
// searched, since pairs of them are compared: the last ones, where people write
// signatures. Arbitrary, several times what most functions have.
const maxSignatureLeaves = 32

// Sign appends to dst what seq becomes when a signature that its execution e has
// had checked is made by senders whose keys are known. Where ecrecover was asked, the words
// given to it are looked for among the call's arguments: v, r and s as words
// of their own, or joined in a byte string (65 bytes r, s, v, or 64 as in EIP-2098).
// What was signed stays as it is, so that the digest does, too.
//
// Who is to sign is told by what the recovered address was compared with. Where
// that tells nothing, it is the sender who has signed in an earlier run, whose answers
// of ecrecover, in the order of [Recovered], are before; else all senders with keys, the
// call's address arguments first, then its own sender. Of the calls before the last one
// only those are signed whose signer is told.
func (s *Space) Sign(dst []Sequence, seq Sequence, e *evm.Execution, before []common.Address) []Sequence {
	for n, at := range recoveries(e, len(seq)) {
		asked, call := newRecovery(&e.Frames[at]), e.Frames[at].Call
		if n < len(before) && s.senderAt(before[n]) >= 0 {
			asked.before = before[n]
		}
		place, found := locate(seq, call, &asked)
		if !found {
			continue
		}
		frames := e.Calls[call].Frames
		signers := s.signers(&seq[call], &asked, &e.Calls[call], e.Frames[frames[0]:frames[1]])
		if call < len(seq)-1 && len(signers) > 1 {
			continue // the last call is what is fuzzed: no guesses about the others
		}
		for _, signer := range signers {
			if signed, ok := s.put(seq, call, &asked, &place, signer); ok {
				dst = append(dst, signed)
			}
		}
	}
	return dst
}

// Recovered lists what ecrecover answered in an execution, zero for signatures that
// are none.
func Recovered(e *evm.Execution) []common.Address {
	var list []common.Address
	for _, at := range recoveries(e, len(e.Calls)) {
		list = append(list, common.BytesToAddress(e.Frames[at].Output))
	}
	return list
}

// recoveries are the indices of the frames of the first calls in which ecrecover ran,
// from the last call to the first.
func recoveries(e *evm.Execution, calls int) []int {
	var found []int
	for call := min(len(e.Calls), calls) - 1; call >= 0; call-- {
		r := e.Calls[call].Frames
		for i := r[0]; i < r[1] && len(found) < maxRecoveries; i++ {
			if f := &e.Frames[i]; f.CodeAddress == signature.Ecrecover && f.Program == nil && len(f.Input) >= signature.RecoveryInput {
				found = append(found, i)
			}
		}
	}
	return found
}

// recovery is a question to ecrecover and its answer.
type recovery struct {
	digest    common.Hash
	v, r, s   uint256.Int
	rs        [64]byte       // r and s
	recovered common.Address // zero: the signature was none
	before    common.Address // the sender that was recovered in an earlier run; zero: none
}

func newRecovery(f *evm.Frame) recovery {
	var q recovery
	q.digest = common.Hash(f.Input[:32])
	q.v.SetBytes32(f.Input[32:64])
	q.r.SetBytes32(f.Input[64:96])
	q.s.SetBytes32(f.Input[96:128])
	copy(q.rs[:], f.Input[64:128])
	q.recovered = common.BytesToAddress(f.Output)
	return q
}

// signers lists the senders who may be meant to sign, the likeliest first.
func (s *Space) signers(c *Call, asked *recovery, result *evm.CallResult, frames []evm.Frame) []int {
	if asked.recovered != (common.Address{}) {
		if wanted := s.comparedWith(asked.recovered, frames); len(wanted) > 0 {
			return wanted
		}
		if s.senderAt(asked.recovered) >= 0 && result.Outcome == evm.Success {
			return nil // signed by a sender, and the call succeeded
		}
	}
	if asked.before != (common.Address{}) && s.senderAt(asked.recovered) < 0 {
		return []int{s.senderAt(asked.before)}
	}
	var list []int
	add := func(sender int) {
		if sender >= 0 && s.Senders[sender].Key != nil && s.Senders[sender].Address != asked.recovered && !slices.Contains(list, sender) {
			list = append(list, sender)
		}
	}
	for i := range c.Args {
		if c.Function.Inputs[i].Kind == Address {
			add(s.senderAt(common.Address(c.Args[i].Word.Bytes20())))
		}
	}
	add(c.Sender)
	for i := range s.Senders {
		if !s.Senders[i].Outsider {
			add(i)
		}
	}
	return list
}

// comparedWith lists the senders with keys whose addresses an address was compared
// with in vain.
func (s *Space) comparedWith(recovered common.Address, frames []evm.Frame) []int {
	var wanted []int
	word, budget := addressWord(recovered), maxObserved
	for i := range frames {
		for j := range frames[i].Comparisons {
			if budget--; budget < 0 {
				return wanted
			}
			c := &frames[i].Comparisons[j]
			other := &c.Left
			switch word {
			case c.Left:
				other = &c.Right
			case c.Right:
			default:
				continue
			}
			sender := s.senderAt(common.Address(other.Bytes20()))
			if sender >= 0 && *other != word && s.Senders[sender].Key != nil && !slices.Contains(wanted, sender) {
				wanted = append(wanted, sender)
			}
		}
	}
	return wanted
}

// senderAt is the index of the sender with an address; −1 when no sender has it.
func (s *Space) senderAt(a common.Address) int {
	for i := range s.Senders {
		if s.Senders[i].Address == a {
			return i
		}
	}
	return -1
}

// signaturePlace tells where a call holds a signature.
type signaturePlace struct {
	// In words of their own: v, if there is one, else s is EIP-2098's yParityAndS.
	v, r, s Word
	hasV    bool
	// In a byte string, when packed is its LengthWord: where r begins, and where v
	// is; −1: in s, as in EIP-2098.
	packed      Word
	offset, vAt int
}

// locate looks for what ecrecover was asked among a call's arguments. Zeros are
// everywhere: of them, a v with an r and an s is more telling than a byte string.
func locate(seq Sequence, call int, asked *recovery) (signaturePlace, bool) {
	words := appendArgumentWords(nil, seq, call)
	place, found := locateWords(seq, words, asked)
	if found && place.hasV && asked.isZero() {
		return place, true
	}
	for i := range words {
		if words[i].Kind != LengthWord {
			continue
		}
		if v, t := resolve(seq, &words[i]); t.Kind == Bytes {
			if offset, vAt, ok := locatePacked(v.Bytes, asked); ok {
				return signaturePlace{packed: words[i], offset: offset, vAt: vAt}, true
			}
		}
	}
	return place, found
}

// isZero reports whether r and s are.
func (q *recovery) isZero() bool { return q.r.IsZero() && q.s.IsZero() }

// locatePacked looks for r and s side by side in a byte string, and for v: behind
// them, or at the end of the word before them, as in the encoding of (v, r, s).
func locatePacked(data []byte, asked *recovery) (offset, vAt int, ok bool) {
	const both, whole = 64, 65
	if len(data) < both {
		return 0, 0, false
	}
	offset = bytes.Index(data, asked.rs[:])
	if offset < 0 { // EIP-2098: the highest bit of s is v's
		compact := asked.rs
		compact[32] |= 0x80
		if offset = bytes.Index(data, compact[:]); offset < 0 {
			return 0, 0, false
		}
		return offset, -1, true
	}
	v := byte(asked.v.Uint64())
	switch {
	case asked.isZero():
		if offset > 0 {
			return 0, 0, false
		}
		if len(data) == both {
			return 0, -1, true
		}
		return 0, both, true
	case offset > 0 && data[offset-1] == v && (offset+both >= len(data) || data[offset+both] != v):
		return offset, offset - 1, true
	case offset+whole <= len(data):
		return offset, offset + both, true
	}
	return offset, -1, true
}

// signatureLeaf is an elementary argument that may be a part of a signature.
type signatureLeaf struct {
	at    int // among the call's words
	word  Word
	value uint256.Int
	byte  bool // a uint8, as v is; else a whole word, as r and s are
}

// locateWords looks for v, r and s as words. Where several hold the same, zero
// mostly, those count that are next to each other, as people write
// them, and of these the last.
func locateWords(seq Sequence, words []Word, asked *recovery) (signaturePlace, bool) {
	leaves := signatureLeaves(seq, words)
	compact := asked.s
	compact[3] |= 1 << 63
	var best signaturePlace
	least := -1
	for i := range leaves {
		r := &leaves[i]
		if r.byte || r.value != asked.r {
			continue
		}
		for j := range leaves {
			s := &leaves[j]
			if i == j || s.byte || s.value != asked.s && s.value != compact {
				continue
			}
			v := nearestV(leaves, &asked.v, r, s)
			cost := distanceBetween(r.at, s.at)
			if s.at < r.at {
				cost++ // r comes first
			}
			place := signaturePlace{r: r.word, s: s.word}
			if v != nil && s.value == asked.s {
				cost += min(distanceBetween(v.at, r.at), distanceBetween(v.at, s.at))
				place.v, place.hasV = v.word, true
			}
			if least < 0 || cost <= least {
				best, least = place, cost
			}
		}
	}
	return best, least >= 0
}

func distanceBetween(i, j int) int { return max(i-j, j-i) }

// nearestV is the uint8 that is closest to r or s, one that holds the v that was
// asked before others; nil when there is none.
func nearestV(leaves []signatureLeaf, asked *uint256.Int, r, s *signatureLeaf) *signatureLeaf {
	var nearest *signatureLeaf
	least := 0
	for i := range leaves {
		v := &leaves[i]
		if !v.byte {
			continue
		}
		d := min(distanceBetween(v.at, r.at), distanceBetween(v.at, s.at))
		if v.value != *asked {
			d += MaxCallWords
		}
		if nearest == nil || d < least {
			nearest, least = v, d
		}
	}
	return nearest
}

func signatureLeaves(seq Sequence, words []Word) []signatureLeaf {
	var leaves []signatureLeaf
	for i := range words {
		if words[i].Kind != LeafWord {
			continue
		}
		v, t := resolve(seq, &words[i])
		if t.Kind != Uint && t.Kind != FixedBytes || t.Bits != 256 && t.Bits != 8 {
			continue
		}
		leaves = append(leaves, signatureLeaf{i, words[i], v.Word, t.Bits == 8})
	}
	return leaves[max(0, len(leaves)-maxSignatureLeaves):]
}

// vOffset is what Ethereum adds to a signature's recovery id (yellow paper,
// appendix F).
const vOffset = 27

// put makes seq with a sender's signature of the digest. What a contract adds to
// the v of its input before it asks stays added: the input's v moves by as much as
// the v that was asked has to.
func (s *Space) put(seq Sequence, call int, asked *recovery, at *signaturePlace, signer int) (Sequence, bool) {
	made := signature.Sign((*[32]byte)(&asked.digest), s.Senders[signer].Key)
	id := made[64]
	move := vOffset + id - byte(asked.v.Uint64())
	if at.packed.Kind == LengthWord {
		return putPacked(seq, call, at, made[:], move), true
	}
	var x uint256.Int
	out, ok := s.With(seq, at.r, x.SetBytes32(made[:32]))
	if !ok {
		return nil, false
	}
	x.SetBytes32(made[32:64])
	if !at.hasV {
		x[3] |= uint64(id) << 63
		return s.With(out, at.s, &x)
	}
	if out, ok = s.With(out, at.s, &x); !ok {
		return nil, false
	}
	v, _ := resolve(seq, &at.v)
	return s.With(out, at.v, x.SetUint64(uint64(byte(v.Word.Uint64())+move)))
}

// putPacked puts a signature into a byte string.
func putPacked(seq Sequence, call int, at *signaturePlace, made []byte, move byte) Sequence {
	out := seq.Clone()
	v, _ := resolve(seq, &at.packed)
	data := slices.Clone(v.Bytes)
	copy(data[at.offset:], made[:64])
	if at.vAt >= 0 {
		if at.vAt < len(data) {
			data[at.vAt] += move
		}
	} else {
		data[at.offset+32] |= made[64] << 7
	}
	out[call].Args = replaceAt(out[call].Args, at.packed.Path(), Value{Bytes: data})
	return out
}
