package world

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestMostUseful: tests that come to more come first, then those that add something, then the
// others in their order.
func TestMostUseful(t *testing.T) {
	test := func(name string, pcs ...uint32) exampleTest {
		e := exampleTest{method: abi.Method{Name: name}, entries: map[bytecode.Location]bool{}}
		for _, pc := range pcs {
			e.entries[bytecode.Location{PC: pc}] = true
		}
		return e
	}
	list := mostUseful([]exampleTest{test("none"), test("part", 1, 2), test("adds", 1, 9), test("most", 1, 2, 3), test("nothing")})
	var names []string
	for _, e := range list {
		names = append(names, e.method.Name)
	}
	if want := []string{"most", "adds", "none", "part", "nothing"}; !slices.Equal(names, want) {
		t.Errorf("order %q, want %q", names, want)
	}
	if list := mostUseful(nil); len(list) != 0 {
		t.Errorf("of none: %v", list)
	}
	if list := mostUseful([]exampleTest{test("only", 1)}); len(list) != 1 {
		t.Errorf("of one: %v", list)
	}
}

// TestDraw: values of every type can be encoded, and numbers are small and large.
func TestDraw(t *testing.T) {
	inputs := newABI(t, `[{"type":"function","name":"f","inputs":[{"name":"a","type":"uint8"},{"name":"b","type":"int256"},{"name":"c","type":"address"},
		{"name":"d","type":"bool"},{"name":"e","type":"bytes32"},{"name":"f","type":"string"},{"name":"g","type":"bytes"},{"name":"h","type":"uint48[]"},
		{"name":"i","type":"int8[3][]"},{"name":"j","type":"tuple","components":[{"name":"k","type":"uint64"},{"name":"l","type":"address[]"}]},{"name":"m","type":"function"}]}]`).Methods["f"].Inputs
	s := &search{inputs: inputs, choices: make([][]reflect.Value, len(inputs)), wei: payments[:1]}
	r := rand.New(rand.NewPCG(1, 0))
	seen := map[uint8]bool{}
	longest := 0
	for range 500 {
		a, ok := s.draw(r)
		if !ok {
			t.Fatalf("%v cannot be encoded", a.values)
		}
		if _, err := inputs.Unpack(a.packed); err != nil {
			t.Fatal(err)
		}
		seen[uint8(a.values[0].Uint())] = true
		longest = max(longest, a.values[7].Len())
	}
	if !seen[0] || !seen[1] || len(seen) < 100 || longest < 16 {
		t.Errorf("%d numbers of 8 bits, at most %d elements", len(seen), longest)
	}
}

func newABI(t *testing.T, text string) abi.ABI {
	t.Helper()
	parsed, err := bytecode.ParseABI([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
