package taint

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// place is a word of storage, or of transient storage.
type place struct {
	account   common.Address
	slot      uint256.Int
	transient bool
}

// storage are the taints of the words that the run has written, with a journal that
// undoes what failing frames wrote.
type storage struct {
	words   map[place]ID
	journal []written
}

type written struct {
	place  place
	before ID
	known  bool // there was a taint before
}

func (s *storage) load(p place) (ID, bool) {
	id, known := s.words[p]
	return id, known
}

func (s *storage) store(p place, id ID) {
	before, known := s.words[p]
	s.journal = append(s.journal, written{p, before, known})
	s.words[p] = id
}

// undo takes back what was written since the journal had a length.
func (s *storage) undo(mark int) {
	for i := len(s.journal) - 1; i >= mark; i-- {
		if w := &s.journal[i]; w.known {
			s.words[w.place] = w.before
		} else {
			delete(s.words, w.place)
		}
	}
	s.journal = s.journal[:mark]
}

// begin starts a transaction, which finds its transient storage empty.
func (s *storage) begin() {
	s.journal = s.journal[:0]
	for p := range s.words {
		if p.transient {
			delete(s.words, p)
		}
	}
}
