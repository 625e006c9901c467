package input

import (
	"slices"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// TestNumbered: a small number says that a call is about what its own turn has begun, and counts on behind what other turns have begun before; amounts, large numbers, and
// calls before which their turn has begun nothing stay as they are.
func TestNumbered(t *testing.T) {
	number := Type{Kind: Uint, Bits: 256}
	begin, end, pay := &Function{Name: "begin"}, &Function{Name: "end", Inputs: []Type{number}}, &Function{Name: "pay", Inputs: []Type{number}}
	call := func(turn int, f *Function, arg uint64) staged {
		c := Call{Function: f}
		if len(f.Inputs) > 0 {
			c.Args = []abi.Value{{Word: *uint256.NewInt(arg)}}
		}
		return staged{c, turn}
	}
	for name, test := range map[string]struct {
		before, attack []staged
		want           []uint64 // the number of each call that names one
	}{
		"alone":               {nil, []staged{call(0, begin, 0), call(0, end, 1)}, []uint64{1}},
		"behind another":      {[]staged{call(1, begin, 0)}, []staged{call(0, begin, 0), call(0, end, 1)}, []uint64{2}},
		"behind two":          {[]staged{call(1, begin, 0), call(1, begin, 0)}, []staged{call(0, begin, 0), call(0, end, 0), call(0, end, 0)}, []uint64{2, 2}},
		"before the other":    {nil, []staged{call(0, begin, 0), call(0, end, 1), call(1, begin, 0), call(1, end, 1)}, []uint64{1, 2}},
		"begun twice":         {[]staged{call(1, begin, 0)}, []staged{call(0, begin, 0), call(0, begin, 0), call(0, end, 2)}, []uint64{3}},
		"nothing begun":       {[]staged{call(1, begin, 0)}, []staged{call(0, end, 1)}, []uint64{1}},
		"an amount":           {[]staged{call(1, begin, 0)}, []staged{call(0, begin, 0), call(0, pay, 1)}, []uint64{1}},
		"a large one":         {[]staged{call(1, begin, 0)}, []staged{call(0, begin, 0), call(0, end, maxOrdinal+1)}, []uint64{maxOrdinal + 1}},
		"nothing is numbered": {[]staged{call(1, begin, 0)}, []staged{call(2, begin, 0), call(2, end, 1)}, []uint64{1}},
	} {
		t.Run(name, func(t *testing.T) {
			st := stage{before: test.before, attack: test.attack, turns: []*Function{begin, begin, nil}, isAmount: func(c *Call, _ int) bool { return c.Function == pay }}
			var got []uint64
			for _, c := range st.numbered() {
				if len(c.Args) > 0 {
					got = append(got, c.Args[0].Word.Uint64())
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("numbers: %v, want %v", got, test.want)
			}
		})
	}
}

// TestGoOn: a call is about the same thing as the one before if both name small numbers that are not amounts.
func TestGoOn(t *testing.T) {
	number := Type{Kind: Uint, Bits: 256}
	end, pay := &Function{Name: "end", Inputs: []Type{number}}, &Function{Name: "pay", Inputs: []Type{number}}
	st := stage{isAmount: func(c *Call, _ int) bool { return c.Function == pay }}
	for _, test := range []struct {
		was, is      *Function
		named, names uint64
		want         uint64
	}{
		{end, end, 3, 1, 3}, {end, pay, 3, 1, 1}, {pay, end, 3, 1, 1}, {end, end, maxOrdinal + 1, 1, 1}, {end, end, 3, maxOrdinal + 1, maxOrdinal + 1},
	} {
		was, is := Call{Function: test.was, Args: []abi.Value{{Word: *uint256.NewInt(test.named)}}}, Call{Function: test.is, Args: []abi.Value{{Word: *uint256.NewInt(test.names)}}}
		st.goOn(&was, &is)
		if got := is.Args[0].Word.Uint64(); got != test.want {
			t.Errorf("%s(%d) behind %s(%d): %d, want %d", test.is.Name, test.names, test.was.Name, test.named, got, test.want)
		}
	}
}
