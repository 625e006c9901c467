package input

import (
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestRead: every call of a World's instance that a Space makes is read back as it
// was.
func TestRead(t *testing.T) {
	s := testSpace(t, false)
	r := rand.New(rand.NewPCG(7, 7))
	m := NewMutator(s, NewDictionary(nil), Options{})
	read := 0
	for range 2000 {
		want := m.Generate(r)
		if want.Function.Kind == Fallback {
			continue
		}
		encoded := s.Encode(Sequence{want}, nil)
		got, err := s.Read(&encoded[0])
		if err != nil {
			t.Fatalf("%s: %v", s.Describe(&want), err)
		}
		if a, b := Format(s, Sequence{got}), Format(s, Sequence{want}); a != b {
			t.Fatalf("got %s want %s", a, b)
		}
		read++
	}
	if read < 1000 {
		t.Errorf("%d calls read of 2000", read)
	}
}

// TestReadRefuses: what no sequence of the Space can do is an error.
func TestReadRefuses(t *testing.T) {
	s := testSpace(t, false)
	sender, vault := s.Senders[0].Address, s.Instances[0].Address
	stranger := common.HexToAddress("0x1234")
	withdraw := makeCall(t, s, "Vault", "withdraw(uint96,address)").Function.Selector
	for name, call := range map[string]evm.Call{
		"sender":    {From: stranger, To: vault},
		"instance":  {From: sender, To: stranger},
		"creation":  {From: sender, To: vault, Create: true},
		"function":  {From: sender, To: vault, Data: []byte{1, 2, 3, 4}},
		"arguments": {From: sender, To: vault, Data: withdraw[:]},
	} {
		if got, err := s.Read(&call); err == nil {
			t.Errorf("%s: read as %s", name, s.Describe(&got))
		}
	}
}
