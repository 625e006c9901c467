package input

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// named is a function with parameters such as "(address to,uint256 n)", tuples without names.
func named(types string, names ...string) *Function {
	return &Function{Name: "f", Signature: "f" + types, Inputs: abi.MustParse(types), InputNames: names}
}

func leaf(n uint64) Value { return Value{Word: *uint256.NewInt(n)} }

func pair(a, b uint64) Value { return Value{Elems: []Value{leaf(a), leaf(b)}} }

// TestAgree: parameters get the arguments of those that are called the same, then of those of the same type, in order; a hash that of a text.
func TestAgree(t *testing.T) {
	text := Value{Bytes: []byte("raise the fee")}
	var hash Value
	hash.Word.SetBytes(crypto.Keccak256(text.Bytes))
	for name, test := range map[string]struct {
		mine, theirs *Function
		args, from   []Value
		want         []Value // nil: nothing changes
	}{
		"a tuple":          {named("((uint256,uint256),uint256)", "key", "amount"), named("((uint256,uint256))", "key"), []Value{pair(1, 2), leaf(3)}, []Value{pair(4, 5)}, []Value{pair(4, 5), leaf(3)}},
		"by name":          {named("(uint256,uint256)", "_value", "salt"), named("(uint256,uint256)", "salt", "value"), []Value{leaf(1), leaf(2)}, []Value{leaf(3), leaf(4)}, []Value{leaf(4), leaf(3)}},
		"then by type":     {named("(uint256,uint256)", "amount", "salt"), named("(uint256,uint256)", "salt", "value"), []Value{leaf(1), leaf(2)}, []Value{leaf(3), leaf(4)}, []Value{leaf(4), leaf(3)}},
		"without names":    {named("(uint256,uint256)", "", ""), named("(uint256,uint256)", "", ""), []Value{leaf(1), leaf(2)}, []Value{leaf(3), leaf(4)}, []Value{leaf(3), leaf(4)}},
		"of another type":  {named("(uint256)", "key"), named("(address)", "key"), []Value{leaf(1)}, []Value{leaf(3)}, nil},
		"the same already": {named("(uint256)", "key"), named("(uint256)", "key"), []Value{leaf(3)}, []Value{leaf(3)}, nil},
		"a text's hash":    {named("(uint256,bytes32)", "n", "descriptionHash"), named("(uint256,string)", "n", "description"), []Value{leaf(1), leaf(2)}, []Value{leaf(3), text}, []Value{leaf(3), hash}},
		"a bytes32 first":  {named("(bytes32)", "id"), named("(string,bytes32)", "description", "salt"), []Value{leaf(1)}, []Value{text, leaf(7)}, []Value{leaf(7)}},
	} {
		t.Run(name, func(t *testing.T) {
			call := &Call{Function: test.mine, Args: test.args}
			next, changed := Agree(call, &Call{Function: test.theirs, Args: test.from})
			want := test.want
			if changed != (want != nil) {
				t.Fatalf("changed: %v", changed)
			}
			if want == nil {
				want = test.args
			}
			for i := range want {
				if !abi.Equal(&next.Args[i], &want[i]) {
					t.Errorf("argument %d is %v, want %v", i, next.Args[i], want[i])
				}
			}
		})
	}
}

// TestTwins: a tuple that several calls name changes in all of them by WithTwins, and by mutation in most cases; not one that is another.
func TestTwins(t *testing.T) {
	s := testSpace(t, false)
	f, g := named("((uint256,uint256))", "key"), named("(uint256,(uint256,uint256))", "n", "key")
	seq := Sequence{
		{Function: f, Args: []Value{pair(1, 2)}}, {Function: g, Args: []Value{leaf(1), pair(1, 2)}}, {Function: f, Args: []Value{pair(1, 3)}},
	}
	show := func(seq Sequence) string {
		var b strings.Builder
		for _, c := range seq {
			v := c.Args[len(c.Args)-1]
			b.WriteString(v.Elems[0].Word.Dec() + v.Elems[1].Word.Dec() + " ")
		}
		return b.String()
	}
	word := Word{Call: 1, Kind: LeafWord}.child(1).child(0)
	next, ok := s.WithTwins(seq, word, uint256.NewInt(5))
	if got := show(next); !ok || got != "52 52 13 " {
		t.Errorf("%v %s", ok, got)
	}
	if next, ok = s.WithTwins(seq, Word{Call: 1, Kind: LeafWord}.child(0), uint256.NewInt(5)); !ok || show(next) != "12 12 13 " {
		t.Errorf("a number: %v %s", ok, show(next))
	}
	if got := show(seq); got != "12 12 13 " {
		t.Errorf("the sequence itself is changed: %s", got)
	}
	m := NewMutator(s, NewDictionary(nil), Options{})
	r := testRand(1)
	together := 0
	for range 1000 {
		out := seq.Clone()
		if !m.changeWord(r, out, word) {
			t.Fatal("not changed")
		}
		if abi.Equal(&out[0].Args[0], &out[1].Args[1]) {
			together++
		}
		if !abi.Equal(&out[2].Args[0], &seq[2].Args[0]) {
			t.Fatal("another tuple is changed")
		}
	}
	if together < 700 || together > 800 {
		t.Errorf("%d of 1000 changes are of both, want three quarters", together)
	}
}
