package world

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// arguments is one choice of constructor arguments.
type arguments struct {
	inputs abi.Arguments
	values []reflect.Value
	wei    *uint256.Int
	packed []byte
}

// search goes through choices of constructor arguments: first all preferred
// values, then those that deviate from them in one place, in two places, and so
// on. What a failed run compared an argument with is tried before that.
type search struct {
	inputs  abi.Arguments
	choices [][]reflect.Value // by parameter
	wei     []*uint256.Int

	proposals []*arguments    // of learn; the newest first
	vectors   [][]int         // the choices left, as indices; the last index is the wei's
	seen      map[string]bool // packed arguments and wei
}

// payments are what a payable constructor is sent, in order: most want nothing,
// some want a deposit.
var payments = []*uint256.Int{new(uint256.Int), uint256.NewInt(1e18), uint256.NewInt(1)}

func newSearch(c *bytecode.Contract, b *builder) (*search, error) {
	s := &search{inputs: c.ABI.Constructor.Inputs, wei: payments[:1], seen: map[string]bool{}}
	if c.ABI.Constructor.StateMutability == "payable" || c.ABI.Constructor.Payable {
		s.wei = payments
	}
	for i, p := range s.inputs {
		values := b.candidates(c, i)
		if len(values) == 0 {
			return nil, fmt.Errorf("its constructor's parameter %d (%s %s) is too large or too deeply nested to be made up", i+1, p.Type.String(), p.Name)
		}
		s.choices = append(s.choices, values)
	}
	widths := make([]int, 0, len(s.choices)+1)
	for _, values := range s.choices {
		widths = append(widths, len(values))
	}
	s.vectors = vectors(append(widths, len(s.wei)), maxTries)
	return s, nil
}

// next is a choice that was not tried yet; false when there is none.
func (s *search) next() (*arguments, bool) {
	for {
		a := s.proposal()
		if a == nil {
			a = s.enumerated()
		}
		if a == nil {
			return nil, false
		}
		var err error
		values := make([]any, len(a.values))
		for i, v := range a.values {
			values[i] = v.Interface()
		}
		if a.packed, err = s.inputs.Pack(values...); err != nil {
			continue // the ABI has a type that package abi cannot pack
		}
		key := string(a.packed) + a.wei.Hex()
		if !s.seen[key] {
			s.seen[key] = true
			return a, true
		}
	}
}

func (s *search) proposal() *arguments {
	if len(s.proposals) == 0 {
		return nil
	}
	a := s.proposals[0]
	s.proposals = s.proposals[1:]
	return a
}

// enumerated is the next choice by deviation from the preferred one.
func (s *search) enumerated() *arguments {
	if len(s.vectors) == 0 {
		return nil
	}
	v := s.vectors[0]
	s.vectors = s.vectors[1:]
	a := &arguments{inputs: s.inputs, wei: s.wei[v[len(s.choices)]]}
	for i, values := range s.choices {
		a.values = append(a.values, values[v[i]])
	}
	return a
}

// vectors lists index vectors, each index below its width, by their sum and then
// with the first places moving most; at most limit of them.
func vectors(widths []int, limit int) [][]int {
	room := make([]int, len(widths)+1) // the largest sum of the places from i on
	for i := len(widths) - 1; i >= 0; i-- {
		room[i] = room[i+1] + widths[i] - 1
	}
	var out [][]int
	vector := make([]int, len(widths))
	var fill func(place, sum int)
	fill = func(place, sum int) {
		if len(out) >= limit || sum > room[place] {
			return
		}
		if place == len(widths) {
			out = append(out, slices.Clone(vector))
			return
		}
		for i := min(sum, widths[place]-1); i >= 0; i-- {
			vector[place] = i
			fill(place+1, sum-i)
		}
	}
	for sum := 0; sum <= room[0] && len(out) < limit; sum++ {
		fill(0, sum)
	}
	return out
}

// maxLearned bounds how far back from the failure comparisons are looked at: the
// check that failed is the last, a helper's checks may follow it.
const maxLearned = 4

// learn looks at the last comparisons of a failed constructor. Where a numeric
// argument was compared with something, that value and its neighbours are
// proposed for it.
func (s *search) learn(a *arguments, exec *evm.Execution) {
	result := &exec.Calls[len(exec.Calls)-1]
	frame := &exec.Frames[result.Frames[0]]
	var proposals []*arguments
	for n := 0; n < maxLearned && n < len(frame.Comparisons); n++ {
		c := &frame.Comparisons[len(frame.Comparisons)-1-n]
		for i := range a.values {
			word, ok := numericWord(s.inputs[i].Type, a.values[i])
			if !ok {
				continue
			}
			if word.Eq(&c.Left) {
				proposals = append(proposals, propose(a, i, &c.Right)...)
			}
			if word.Eq(&c.Right) {
				proposals = append(proposals, propose(a, i, &c.Left)...)
			}
		}
	}
	s.proposals = append(proposals, s.proposals...)
}

// propose replaces one numeric argument by a word and its neighbours.
func propose(a *arguments, place int, word *uint256.Int) []*arguments {
	t := a.inputs[place].Type
	var out []*arguments
	for _, delta := range []int64{0, 1, -1} {
		n := word.ToBig()
		if t.T == abi.IntTy && word.Sign() < 0 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), 256))
		}
		n.Add(n, big.NewInt(delta))
		if !inRange(t, n) {
			continue
		}
		b := *a
		b.values = append([]reflect.Value(nil), a.values...)
		b.values[place] = integer(t, n)
		out = append(out, &b)
	}
	return out
}

func inRange(t abi.Type, n *big.Int) bool {
	if t.T == abi.UintTy {
		return n.Sign() >= 0 && n.BitLen() <= t.Size
	}
	if n.Sign() < 0 {
		n = new(big.Int).Not(n)
	}
	return n.BitLen() < t.Size
}

// numericWord is a number as the EVM sees it.
func numericWord(t abi.Type, v reflect.Value) (*uint256.Int, bool) {
	if t.T != abi.UintTy && t.T != abi.IntTy {
		return nil, false
	}
	packed, err := abi.Arguments{{Type: t}}.Pack(v.Interface())
	if err != nil {
		return nil, false
	}
	return new(uint256.Int).SetBytes(packed), true
}

// describe renders arguments for people.
func (b *builder) describe(a *arguments) []string {
	var texts []string
	for i, v := range a.values {
		text := b.format(a.inputs[i].Type, v)
		if name := a.inputs[i].Name; name != "" {
			text = name + ": " + text
		}
		texts = append(texts, text)
	}
	if !a.wei.IsZero() {
		texts = append(texts, "value: "+a.wei.Dec()+" wei")
	}
	return texts
}

// format names addresses that have a name.
func (b *builder) format(t abi.Type, v reflect.Value) string {
	switch {
	case t.T == abi.AddressTy:
		address := v.Interface().(common.Address) //nolint:errcheck // what an address type's values are
		if label := b.labels[address]; label != "" {
			return label
		}
	case t.Elem != nil && t.Elem.T == abi.AddressTy:
		texts := make([]string, v.Len())
		for i := range texts {
			texts[i] = b.format(*t.Elem, v.Index(i))
		}
		return "[" + join(texts) + "]"
	}
	return evm.FormatValue(t, v.Interface())
}

func join(texts []string) string { return strings.Join(texts, ", ") }
