package input

import (
	"fmt"
	"slices"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// comparing is an execution of calls that each make the given comparisons.
func comparing(calls ...[]evm.Comparison) *evm.Execution {
	e := &evm.Execution{}
	for i, comparisons := range calls {
		e.Frames = append(e.Frames, evm.Frame{Call: i, Comparisons: comparisons})
		e.Calls = append(e.Calls, evm.CallResult{Frames: [2]int{i, i + 1}})
	}
	return e
}

func compare(op byte, left, right uint64) evm.Comparison {
	return evm.Comparison{Op: op, Left: *uint256.NewInt(left), Right: *uint256.NewInt(right)}
}

func TestPropose(t *testing.T) {
	s := testSpace(t, false)
	seq, err := Parse(s, textVersion+`
user1 Vault.deposit(uint256) args (1000) value 77 time +60
user1 Vault.mixed(int24,bool,bytes4,bytes,string,uint8[],bytes32[3],(uint256,string[2],(address,int256))[]) args (0, false, 0xaabbccdd, 0x, "", [200], [0x0000000000000000000000000000000000000000000000000000000000000000, 0x0000000000000000000000000000000000000000000000000000000000000000, 0x0000000000000000000000000000000000000000000000000000000000000000], []) time +40
`)
	if err != nil {
		t.Fatal(err)
	}
	start := uint64(1_700_000_000)
	cases := []struct {
		name string
		exec *evm.Execution
		want []string
	}{
		{"equality", comparing(nil, []evm.Comparison{compare(opEq, 1000, 42)}), []string{"call 1 argument 0 = 42"}},
		{"right operand, order", comparing(nil, []evm.Comparison{compare(opLt, 42, 1000)}),
			[]string{"call 1 argument 0 = 43", "call 1 argument 0 = 41", "call 1 argument 0 = 42"}},
		{"too wide", comparing(nil, []evm.Comparison{compare(opGt, 200, 256)}), []string{"call 2 argument 5.0 = 255"}},
		{"nothing equal", comparing(nil, []evm.Comparison{compare(opEq, 1001, 42)}), nil},
		{"equal now", comparing(nil, []evm.Comparison{compare(opEq, 200, 200)}),
			[]string{"call 2 argument 5.0 = 201", "call 2 argument 5.0 = 199"}},
		{"selector on the right", comparing(nil, []evm.Comparison{compare(opEq, 0xaabbccdd, 0x11223344)}),
			[]string{"call 2 argument 2 = " + new(uint256.Int).Lsh(uint256.NewInt(0x11223344), 224).Dec()}},
		{"time", comparing(nil, []evm.Comparison{compare(opEq, start+100, start+500)}), []string{"call 2 time = 440"}},
		{"time of an earlier call", comparing([]evm.Comparison{compare(opEq, start+60, start+500)}, nil), []string{"call 1 time = 500"}},
		{"time cannot go back", comparing(nil, []evm.Comparison{compare(opEq, start+100, start)}), nil},
		{"later words do not matter", comparing([]evm.Comparison{compare(opEq, 200, 7)}, nil), nil},
		{"value", comparing([]evm.Comparison{compare(opEq, 77, 5)}, nil), []string{"call 1 value = 5"}},
		{"zero is everywhere", comparing([]evm.Comparison{compare(opEq, 0, 5)}, nil), nil},
		{"the last call first", comparing([]evm.Comparison{compare(opEq, 1000, 5)}, []evm.Comparison{compare(opEq, 1000, 6), compare(opEq, 1000, 6)}),
			[]string{"call 1 argument 0 = 6", "call 1 argument 0 = 5"}},
	}
	for _, c := range cases {
		var got []string
		for _, p := range NewProposer(s).Propose(nil, seq, c.exec, nil) {
			got = append(got, fmt.Sprintf("%v = %s", p.Word, p.Value.Dec()))
			next, ok := s.With(seq, p.Word, &p.Value)
			if !ok {
				t.Errorf("%s: %v does not fit", c.name, p)
			}
			mustValid(t, s, next, c.name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: proposals are %q, want %q", c.name, got, c.want)
		}
	}
	none := func(*evm.Frame, *evm.Comparison) bool { return false }
	if got := NewProposer(s).Propose(nil, seq, cases[0].exec, none); got != nil {
		t.Errorf("proposals that nobody wants: %v", got)
	}
}

// The sender is compared as an address: who is the other operand is proposed if
// he is a sender.
func TestProposeSender(t *testing.T) {
	s := testSpace(t, false)
	seq := Sequence{makeCall(t, s, "Vault", "pause()")}
	c := evm.Comparison{Op: opEq, Left: addressWord(account(1)), Right: addressWord(account(3))}
	got := NewProposer(s).Propose(nil, seq, comparing([]evm.Comparison{c}), nil)
	if len(got) != 1 || got[0].Word.Kind != SenderWord || got[0].Value != addressWord(account(3)) {
		t.Errorf("proposals are %v", got)
	}
	c.Right = addressWord(account(4)) // no sender
	if got := NewProposer(s).Propose(nil, seq, comparing([]evm.Comparison{c}), nil); got != nil {
		t.Errorf("proposals are %v", got)
	}
}

func TestProposalsAreBounded(t *testing.T) {
	s := testSpace(t, false)
	seq := Sequence{makeCall(t, s, "Vault", "deposit(uint256)")}
	seq[0].Args = []Value{{Word: *uint256.NewInt(1000)}}
	var many []evm.Comparison
	for i := range uint64(1000) {
		many = append(many, compare(opLt, 1000, 10*i+5000))
	}
	if got := NewProposer(s).Propose(nil, seq, comparing(many), nil); len(got) != MaxProposals {
		t.Errorf("%d proposals", len(got))
	}
}

func BenchmarkProposeNothing(b *testing.B) {
	m := testMutator(b, false)
	seq := Sequence{m.Generate(testRand(40))}
	e := comparing([]evm.Comparison{compare(opEq, 1000, 1001)})
	none := func(*evm.Frame, *evm.Comparison) bool { return false }
	proposer := NewProposer(m.space)
	for b.Loop() {
		proposer.Propose(nil, seq, e, none)
	}
}

func BenchmarkPropose(b *testing.B) {
	m := testMutator(b, false)
	r := testRand(40)
	seq := Sequence{}
	for range 4 {
		seq = append(seq, m.Generate(r))
	}
	var comparisons []evm.Comparison
	for i := range uint64(10) {
		comparisons = append(comparisons, compare(opEq, i, 1000+i))
	}
	e := comparing(nil, nil, nil, comparisons)
	proposer := NewProposer(m.space)
	var out []Proposal
	b.ReportAllocs()
	for b.Loop() {
		out = proposer.Propose(out[:0], seq, e, nil)
	}
}
