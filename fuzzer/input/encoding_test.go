package input

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/abi"
)

const ordersEncoding = "(bytes,bytes[],(address,uint96)[])"

// encodingSpace is testSpace where the vault decodes bytes.
func encodingSpace(t *testing.T) *Space {
	t.Helper()
	world := testWorld(t)
	world.Instances[0].Contract.Encodings = []string{ordersEncoding, "(fixed128x18)", "(address,uint256)"}
	space, err := NewSpace(world, SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(space.encodings.all) != 2 {
		t.Fatalf("%d encodings, want the two of types that calls have", len(space.encodings.all))
	}
	return space
}

// TestEncoded: bytes are often ones that the contract can decode, and stay so when they change, within the bounds of a call.
func TestEncoded(t *testing.T) {
	s := encodingSpace(t)
	m := NewMutator(s, NewDictionary(nil), Options{})
	r := testRand(1)
	vault, multicall := find(t, s, "Vault", "multicall(bytes[])")
	orders := newEncoding(abi.MustParse(ordersEncoding))
	made, kept, changes, aligned := 0, 0, 0, 0
	for i := range 20_000 {
		call := m.generate(r, Callable{vault, multicall})
		for _, v := range call.Args[0].Elems {
			values, ok := orders.decode(v.Bytes)
			if !ok {
				continue
			}
			made++
			if len(values[0].Bytes) == len(values[1].Elems) && len(values[1].Elems) == len(values[2].Elems) && len(values[1].Elems) > 0 {
				aligned++
			}
			seq := Sequence{call}
			seq[0].Args = []Value{{Elems: []Value{v}}}
			before := deepCopy(seq)
			w := Word{Kind: LengthWord}.child(0).child(0)
			if !m.mutateEncoded(r, seq, w) {
				continue
			}
			changes++
			mustValid(t, s, seq, i)
			if _, ok := orders.decode(seq[0].Args[0].Elems[0].Bytes); ok {
				kept++
			}
			if seq.Equal(before) || string(v.Bytes) != string(before[0].Args[0].Elems[0].Bytes) {
				t.Fatalf("change %d changed nothing, or what it was made from", i)
			}
		}
	}
	if made < 2_000 || changes < made/2 || kept < changes*9/10 || aligned < made/8 {
		t.Errorf("%d made, of these %d with arrays of one length; %d changed, and %d of them can still be decoded", made, aligned, changes, kept)
	}
}

// TestResized: the length of an array in bytes that was compared with a number becomes that number, and its neighbors, in bytes within bytes as well.
func TestResized(t *testing.T) {
	s := encodingSpace(t)
	orders := abi.MustParse(ordersEncoding)
	inner := abi.Append(nil, orders, []Value{{}, {Elems: []Value{{Bytes: []byte("seven  ")}}}, {}})
	outer := abi.Append(nil, orders, []Value{{Bytes: inner}, {}, {}})
	vault, multicall := find(t, s, "Vault", "multicall(bytes[])")
	seq := Sequence{{Instance: vault, Function: multicall, Args: []Value{{Elems: []Value{{Bytes: outer}}}}}}
	exec := &evm.Execution{
		Calls:  []evm.CallResult{{Frames: [2]int{0, 1}}},
		Frames: []evm.Frame{{Comparisons: []evm.Comparison{{Left: *uint256.NewInt(7), Right: *uint256.NewInt(64)}, {Left: *uint256.NewInt(8), Right: *uint256.NewInt(9)}}}},
	}
	lengths := map[int]bool{}
	for _, out := range s.Resized(nil, seq, exec, func(*evm.Frame, *evm.Comparison) bool { return true }) {
		values, ok := s.encodings.all[0].decode(out[0].Args[0].Elems[0].Bytes)
		if !ok {
			t.Fatal("it cannot be decoded any more")
		}
		if values, ok = s.encodings.all[0].decode(values[0].Bytes); !ok {
			t.Fatal("nor what is within")
		}
		lengths[len(values[1].Elems[0].Bytes)] = true
	}
	if len(lengths) != 3 || !lengths[63] || !lengths[64] || !lengths[65] {
		t.Errorf("lengths %v, want 63 to 65", lengths)
	}
	if out := s.Resized(nil, seq, exec, func(*evm.Frame, *evm.Comparison) bool { return false }); out != nil {
		t.Errorf("nothing is wanted, and there are %d", len(out))
	}
}

// TestDescribeEncoded shows what bytes hold, where that is known and not too long.
func TestDescribeEncoded(t *testing.T) {
	s := encodingSpace(t)
	vault, multicall := find(t, s, "Vault", "multicall(bytes[])")
	_, deposit := find(t, s, "Vault", "deposit(uint256)")
	orders, pair := abi.MustParse(ordersEncoding), abi.MustParse("(address,uint256)")
	user := s.Senders[0].Address
	paid := abi.Append(nil, pair, []Value{{Word: *new(uint256.Int).SetBytes(user[:])}, {Word: *uint256.NewInt(5e18)}})
	call := abi.Append(slices.Clone(deposit.Selector[:]), deposit.Inputs, []Value{{Word: *uint256.NewInt(7)}})
	filled := abi.Append(nil, orders, []Value{{Bytes: call}, {Elems: []Value{{Bytes: paid}}}, {}})
	name := quoteName(variableName(s.Senders[0].Name))
	for want, data := range map[string][]byte{
		"0x01":                               {1},
		"abi.encode(" + name + ", 5e18)":     paid,
		"abi.encodeCall(Vault.deposit, (7))": call,
		"0x" + strings.Repeat("ff", 16) + "… 64 bytes":                                           bytes.Repeat([]byte{0xff}, 64),
		"abi.encode(abi.encodeCall(Vault.deposit, (7)), [abi.encode(" + name + ", 5e18)], [])":   filled,
		"0x" + strings.Repeat("fe", 16) + "… 36 bytes":                                           bytes.Repeat([]byte{0xfe}, 36), // no function's
		"0x" + hex.EncodeToString(deposit.Selector[:]) + strings.Repeat("07", 12) + "… 37 bytes": append(slices.Clone(deposit.Selector[:]), bytes.Repeat([]byte{7}, 33)...),
	} {
		c := Call{Instance: vault, Function: multicall, Args: []Value{{Elems: []Value{{Bytes: data}}}}}
		if got := s.Expression(&c); got != "vault.multicall(["+want+"])" {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	long := abi.Append(nil, orders, []Value{{Bytes: call}, {Elems: []Value{{Bytes: paid}, {Bytes: paid}, {Bytes: paid}}}, {}})
	c := Call{Instance: vault, Function: multicall, Args: []Value{{Elems: []Value{{Bytes: long}}}}}
	if got := s.Expression(&c); !strings.Contains(got, "abi.encode(0x") && !strings.Contains(got, "bytes]") || strings.Contains(got, name) {
		t.Errorf("what is long is not shortened: %s", got)
	}
}
