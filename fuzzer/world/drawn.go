package world

import (
	"math/big"
	"math/rand/v2"
	"reflect"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
)

// Arguments of fuzz tests are drawn at random as well, as forge's are: what a test assumes of
// several of them at once, a search that changes one after the other does not find.

const (
	// longestDrawn is the length of the longest byte string that is drawn, and drawnBits that
	// of the number of elements of an array. Arbitrary: a signature and then some; searches in
	// lists behave otherwise beyond a handful.
	longestDrawn = 96
	drawnBits    = 5
)

// draw makes arguments at random; false where there are none that can be encoded.
func (s *search) draw(r *rand.Rand) (*arguments, bool) {
	a := &arguments{inputs: s.inputs, wei: s.wei[0]}
	values := make([]any, len(s.inputs))
	for i := range s.inputs {
		v := s.drawn(r, s.inputs[i].Type, s.choices[i])
		a.values = append(a.values, v)
		values[i] = v.Interface()
	}
	var err error
	a.packed, err = s.inputs.Pack(values...)
	return a, err == nil
}

// drawn is a value of a type: numbers are as often small as large, and every second address
// is a choice.
func (s *search) drawn(r *rand.Rand, t abi.Type, choices []reflect.Value) reflect.Value {
	out := reflect.New(t.GetType()).Elem()
	switch t.T {
	case abi.UintTy, abi.IntTy:
		size := t.Size
		if t.T == abi.IntTy {
			size--
		}
		n := new(big.Int).SetBytes(randomBytes(r, 32))
		n.Rsh(n, uint(256-r.IntN(size+1))) //nolint:gosec // at most 256
		if t.T == abi.IntTy && r.IntN(2) == 0 {
			n.Not(n)
		}
		return integer(t, n)
	case abi.BoolTy:
		out.SetBool(r.IntN(2) == 0)
	case abi.AddressTy:
		if len(choices) > 0 && r.IntN(2) == 0 {
			return choices[r.IntN(len(choices))]
		}
		return reflect.ValueOf(common.BytesToAddress(randomBytes(r, common.AddressLength)))
	case abi.StringTy:
		text := randomBytes(r, r.IntN(longestDrawn+1))
		for i := range text {
			text[i] = 'a' + text[i]%26
		}
		out.SetString(string(text))
	case abi.BytesTy:
		out.SetBytes(randomBytes(r, r.IntN(longestDrawn+1)))
	case abi.FixedBytesTy, abi.FunctionTy:
		reflect.Copy(out, reflect.ValueOf(randomBytes(r, out.Len())))
	case abi.SliceTy:
		n := r.IntN(1 << r.IntN(drawnBits+1))
		out.Set(reflect.MakeSlice(t.GetType(), n, n))
		s.drawElements(r, t, out)
	case abi.ArrayTy:
		s.drawElements(r, t, out)
	case abi.TupleTy:
		for i, field := range t.TupleElems {
			out.Field(i).Set(s.drawn(r, *field, nil))
		}
	}
	return out
}

func (s *search) drawElements(r *rand.Rand, t abi.Type, array reflect.Value) {
	for i := range array.Len() {
		array.Index(i).Set(s.drawn(r, *t.Elem, nil))
	}
}

func randomBytes(r *rand.Rand, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}
