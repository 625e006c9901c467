package input

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestParallelArrays: half of the new calls have arrays that are equally long, be they fields of a struct, and half of the mutants that change the length
// of one of those leave them so.
func TestParallelArrays(t *testing.T) {
	const recipes = `[{"type":"function","name":"add","inputs":[{"name":"r","type":"tuple","components":[
		{"name":"duration","type":"uint32"},{"name":"ids","type":"uint256[]"},{"name":"amounts","type":"uint96[]"},{"name":"out","type":"address[]"}]}],
		"outputs":[],"stateMutability":"nonpayable"}]`
	contract := testContract(t, "Recipes", recipes, []byte{0x00})
	space, err := NewSpace(&evm.World{
		Instances: []evm.Instance{{Name: "Recipes", Address: account(16), Contract: contract}},
		Senders:   []evm.Sender{{Name: "deployer", Address: account(1)}},
	}, SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := NewMutator(space, NewDictionary([]*bytecode.Program{}), Options{})
	lengths := func(seq Sequence) (longest int, equal bool) {
		fields := seq[0].Args[0].Elems
		longest = len(fields[1].Elems)
		return longest, longest == len(fields[2].Elems) && longest == len(fields[3].Elems)
	}
	r := testRand(1)
	const n = 2_000
	equal, empty, changed, kept := 0, 0, 0, 0
	for range n {
		seq := Sequence{m.Generate(r)}
		mustValid(t, space, seq, seq)
		length, same := lengths(seq)
		if length == 0 {
			empty++
		}
		if !same || length == 0 {
			continue
		}
		equal++
		for _, w := range AppendWords(nil, seq) {
			if w.Kind != LengthWord {
				continue
			}
			child := seq.Clone()
			if m.changeWord(r, child, w); len(child[0].Args[0].Elems[w.Path()[1]].Elems) == length {
				continue
			}
			mustValid(t, space, child, w)
			changed++
			if _, same := lengths(child); same {
				kept++
			}
		}
	}
	if equal < n/2 || equal > 3*n/4 || empty < n/16 {
		t.Errorf("of %d calls %d have equally long arrays, %d an empty one", n, equal, empty)
	}
	if kept < changed/4 {
		t.Errorf("%d of %d mutants have equally long arrays", kept, changed)
	}
}
