package shard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// sequences are the sequences of a folder, numbered in the order in which they came up, each text
// once. They are kept in packs: files of several, of which all but the last do not change any more.
type sequences struct {
	space *input.Space
	packs []*pack
	of    map[kept]int     // numbers of sequences; −1: it is too long
	texts map[[32]byte]int // numbers by the SHA-256 of the text
	size  int              // bytes of all packs
	count int
}

// kept identifies a sequence that a campaign keeps, which never changes it: most are known by it.
type kept struct {
	first any // address of the first call
	calls int
}

// pack is a file with the texts of sequences, one after the other: each begins with the line that names
// the version of the text form.
type pack struct {
	text  []byte
	items int
	sum   string // of text; empty: not computed yet
}

func (p *pack) name() string {
	if p.sum == "" {
		sum := sha256.Sum256(p.text)
		p.sum = hex.EncodeToString(sum[:])
	}
	return p.sum
}

func newSequences(space *input.Space) sequences {
	return sequences{space: space, of: map[kept]int{}, texts: map[[32]byte]int{}}
}

// sequence is the number of a sequence, which is not changed any more; false: it is too long to be
// read.
func (s *sequences) sequence(seq input.Sequence) (int, bool) {
	if len(seq) == 0 {
		return 0, false
	}
	return s.number(kept{&seq[0], len(seq)}, func() input.Sequence { return seq })
}

// packed is the number of a packed sequence.
func (s *sequences) packed(p input.Packed) (int, bool) {
	if len(p) == 0 {
		return 0, false
	}
	return s.number(kept{&p[0], len(p)}, p.Unpack)
}

func (s *sequences) number(of kept, seq func() input.Sequence) (int, bool) {
	if n, known := s.of[of]; known {
		return n, n >= 0
	}
	text := input.Format(s.space, seq())
	n := -1
	if len(text) <= input.MaxTextSize && len(text) <= maxPack && s.size+len(text) <= maxSequences {
		n = s.add(text)
	}
	s.of[of] = n
	return n, n >= 0
}

func (s *sequences) add(text string) int {
	sum := sha256.Sum256([]byte(text))
	if n, known := s.texts[sum]; known {
		return n
	}
	last := len(s.packs) - 1
	if last < 0 || s.packs[last].items == maxPackItems || len(s.packs[last].text)+len(text) > maxPack {
		s.packs = append(s.packs, &pack{})
		last++
	}
	p := s.packs[last]
	p.text, p.items, p.sum = append(p.text, text...), p.items+1, ""
	s.size += len(text)
	s.texts[sum] = s.count
	s.count++
	return s.count - 1
}

var errNoSequence = errors.New("it names a sequence that is not there")

// header is the first line of each sequence's text.
var header = strings.TrimSuffix(input.Format(new(input.Space), nil), "\n")

// unpacked is a sequence of a pack, with the SHA-256 of its text.
type unpacked struct {
	calls input.Packed
	text  [32]byte
}

// unpack reads the sequences of a pack.
func unpack(space *input.Space, text []byte) ([]unpacked, error) {
	var list []unpacked
	var like input.Packed
	for number := 1; len(text) > 0; number++ {
		if number > maxPackItems {
			return nil, fmt.Errorf("more than %d sequences", maxPackItems)
		}
		next := bytes.Index(text[1:], []byte("\n"+header+"\n"))
		one := text
		if next >= 0 {
			one = text[:next+2]
		}
		text = text[len(one):]
		seq, err := input.Parse(space, string(one))
		if err == nil && len(seq) == 0 {
			err = errors.New("it has no calls")
		}
		if err != nil {
			return nil, fmt.Errorf("sequence %d: %w", number, err)
		}
		like = input.Pack(seq, like)
		list = append(list, unpacked{like, sha256.Sum256(one)})
	}
	return list, nil
}
