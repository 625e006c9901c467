package input

import (
	"bytes"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// texts are the strings that code may compare with or look up: the literals of the
// sources, and what PUSH data spells. Code mostly compares hashes, which tell
// nothing of what was hashed; so the texts are known by theirs, too.
type texts struct {
	list   [][]byte
	byHash map[uint256.Int]int // Keccak-256; index in list
}

// maxTexts bounds the texts of a campaign. Arbitrary: some hundred contracts' worth.
const maxTexts = 4096

func newTexts(programs []*bytecode.Program) texts {
	t := texts{byHash: map[uint256.Int]int{}}
	for _, p := range programs {
		if p == nil {
			continue
		}
		if p.Contract != nil {
			for _, text := range p.Contract.Texts {
				t.add([]byte(text))
			}
		}
		for _, data := range p.PushConstants() {
			if text := bytes.TrimRight(data, "\x00"); spells(text) {
				t.add(text)
			}
		}
	}
	return t
}

func (t *texts) add(text []byte) {
	var hash uint256.Int
	hash.SetBytes32(crypto.Keccak256(text))
	if _, known := t.byHash[hash]; !known && len(t.list) < maxTexts && len(text) <= MaxBytes {
		t.byHash[hash] = len(t.list)
		t.list = append(t.list, text)
	}
}

// spells reports whether PUSH data is likely to be text: printable, and longer than a
// selector, of which one in 16 is printable by chance.
func spells(data []byte) bool {
	if len(data) <= 4 {
		return false
	}
	for _, b := range data {
		if b < ' ' || b > '~' {
			return false
		}
	}
	return true
}

// Text draws a text; false when none is known. It is shared and must not be written
// to.
func (d *Dictionary) Text(r Rand) ([]byte, bool) {
	list := d.constants.texts.list
	if len(list) == 0 {
		return nil, false
	}
	return list[r.IntN(len(list))], true
}

// Preimages appends to dst what seq becomes when its execution e compared the hash of
// one of its byte strings with that of a text which the dictionary knows: the text
// takes the byte string's place. want tells which comparisons are of interest. At
// most MaxProposals are appended.
func (s *Space) Preimages(dst []Sequence, d *Dictionary, seq Sequence, e *evm.Execution, want func(*evm.Frame, *evm.Comparison) bool) []Sequence {
	known := &d.constants.texts
	if len(known.list) == 0 {
		return dst
	}
	start, budget := len(dst), maxObserved
	for call := len(e.Calls) - 1; call >= 0 && call < len(seq); call-- {
		r := e.Calls[call].Frames
		for i := r[0]; i < r[1]; i++ {
			f := &e.Frames[i]
			for j := range f.Comparisons {
				c := &f.Comparisons[j]
				if budget--; budget < 0 || len(dst)-start >= MaxProposals {
					return dst
				}
				if c.Op != opEq || c.Left == c.Right || !want(f, c) {
					continue
				}
				dst = known.preimage(dst, seq, call, &c.Left, &c.Right)
				dst = known.preimage(dst, seq, call, &c.Right, &c.Left)
			}
		}
	}
	return dst
}

// preimage puts the text that has one hash in place of the byte strings that have the
// other.
func (t *texts) preimage(dst []Sequence, seq Sequence, call int, text, hash *uint256.Int) []Sequence {
	if n, ok := t.byHash[*text]; ok {
		return replaceHashed(dst, seq, call, hash, t.list[n])
	}
	return dst
}

// replaceHashed puts a text in place of each byte string of a call that has the hash.
func replaceHashed(dst []Sequence, seq Sequence, call int, hash *uint256.Int, text []byte) []Sequence {
	for _, w := range appendArgumentWords(nil, seq, call) {
		if w.Kind != LengthWord {
			continue
		}
		v, t := resolve(seq, &w)
		if t.Kind != Bytes && t.Kind != String || *new(uint256.Int).SetBytes32(crypto.Keccak256(v.Bytes)) != *hash {
			continue
		}
		changed := Value{Bytes: text}
		if out := seq.Clone(); fitsCall(&out[call], v, &changed, t) {
			out[call].Args = replaceAt(out[call].Args, w.Path(), changed)
			dst = append(dst, out)
		}
	}
	return dst
}
