package input

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/signature"
)

// verifierABI takes signatures in the forms that contracts do.
const verifierABI = `[
 {"type":"function","name":"permit","inputs":[{"name":"owner","type":"address"},{"name":"value","type":"uint256"},{"name":"deadline","type":"uint256"},
   {"name":"v","type":"uint8"},{"name":"r","type":"bytes32"},{"name":"s","type":"bytes32"}],"outputs":[],"stateMutability":"nonpayable"},
 {"type":"function","name":"compact","inputs":[{"name":"hash","type":"bytes32"},{"name":"r","type":"bytes32"},{"name":"vs","type":"bytes32"}],"outputs":[],"stateMutability":"nonpayable"},
 {"type":"function","name":"packed","inputs":[{"name":"to","type":"address"},{"name":"signature","type":"bytes"}],"outputs":[],"stateMutability":"nonpayable"},
 {"type":"function","name":"many","inputs":[{"name":"all","type":"tuple[]","components":[{"name":"r","type":"bytes32"},{"name":"s","type":"bytes32"},{"name":"v","type":"uint8"}]}],
   "outputs":[],"stateMutability":"nonpayable"}
]`

// verifierSpace has three senders, of whom two have keys.
func verifierSpace(t *testing.T) *Space {
	t.Helper()
	world := &evm.World{Accounts: map[common.Address]*evm.Account{}, Senders: []evm.Sender{{Name: "keyless", Address: account(7)}}}
	for _, name := range []string{"alice", "bob"} {
		key, err := crypto.ToECDSA(crypto.Keccak256([]byte(name)))
		if err != nil {
			t.Fatal(err)
		}
		world.Senders = append(world.Senders, evm.Sender{Name: name, Address: crypto.PubkeyToAddress(key.PublicKey), Key: key})
	}
	contract := testContract(t, "Verifier", verifierABI, []byte{0})
	world.Instances = []evm.Instance{{Name: "Verifier", Address: account(100), Contract: contract}}
	s, err := NewSpace(world, SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// word32 is a number as 32 bytes of hexadecimal digits.
func word32(n uint64) string { return fmt.Sprintf("%064x", n) }

// TestSign looks for the parts of a signature in calls, as the verifying code reads
// them there, and checks who the new ones are recovered to.
func TestSign(t *testing.T) {
	const v, r, s = 28, 0x1111, 0x2222
	digest := crypto.Keccak256Hash([]byte("what is signed"))
	// read takes (v, r, s) out of the arguments, as code does before it asks.
	permit := func(args []Value) (v, r, s uint256.Int) { return args[3].Word, args[4].Word, args[5].Word }
	shifted := func(args []Value) (v, r, s uint256.Int) { // takes 0 and 1, too
		v.AddUint64(&args[3].Word, 27)
		return v, args[4].Word, args[5].Word
	}
	compact := func(args []Value) (v, r, s uint256.Int) {
		vs := args[2].Word
		v.Rsh(&vs, 255)
		v.AddUint64(&v, 27)
		s.Lsh(&vs, 1)
		return v, args[1].Word, *s.Rsh(&s, 1)
	}
	packed := func(at int) func(args []Value) (v, r, s uint256.Int) {
		return func(args []Value) (v, r, s uint256.Int) {
			data := args[1].Bytes[at:]
			r.SetBytes32(data)
			s.SetBytes32(data[32:])
			if len(data) == 64 {
				v.SetUint64(uint64(data[32]>>7) + 27)
				s.Lsh(&s, 1)
				s.Rsh(&s, 1)
				return v, r, s
			}
			return *uint256.NewInt(uint64(data[64])), r, s
		}
	}
	encoded := func(args []Value) (v, r, s uint256.Int) { // abi.decode(data, (uint8, bytes32, bytes32))
		v.SetBytes32(args[1].Bytes)
		r.SetBytes32(args[1].Bytes[32:])
		s.SetBytes32(args[1].Bytes[64:])
		return v, r, s
	}
	second := func(args []Value) (v, r, s uint256.Int) {
		leaves := args[0].Elems[1].Elems
		return leaves[2].Word, leaves[0].Word, leaves[1].Word
	}
	zero := "0x" + word32(0)
	cases := []struct {
		name, call string
		read       func(args []Value) (v, r, s uint256.Int)
	}{
		{"words", fmt.Sprintf("permit(address,uint256,uint256,uint8,bytes32,bytes32) args (alice, %d, %d, %d, 0x%s, 0x%s)", r, s, v, word32(r), word32(s)), permit},
		{"words of zero", "permit(address,uint256,uint256,uint8,bytes32,bytes32) args (alice, 0, 0, 0, " + zero + ", " + zero + ")", permit},
		{"27 is added", fmt.Sprintf("permit(address,uint256,uint256,uint8,bytes32,bytes32) args (alice, 1, 2, 1, 0x%s, 0x%s)", word32(r), word32(s)), shifted},
		{"compact words", fmt.Sprintf("compact(bytes32,bytes32,bytes32) args (0x%s, 0x%s, 0x80%s)", word32(9), word32(r), word32(s)[2:]), compact},
		{"compact words of zero", "compact(bytes32,bytes32,bytes32) args (" + digest.Hex() + ", " + zero + ", " + zero + ")", compact},
		{"packed", fmt.Sprintf("packed(address,bytes) args (bob, 0x%s%s1c)", word32(r), word32(s)), packed(0)},
		{"packed zeros", "packed(address,bytes) args (bob, 0x" + strings.Repeat("00", 65) + ")", packed(0)},
		{"packed behind another", fmt.Sprintf("packed(address,bytes) args (bob, 0x%s%s1b%s%s1c)", word32(3), word32(4), word32(r), word32(s)), packed(65)},
		{"packed and compact", fmt.Sprintf("packed(address,bytes) args (bob, 0x%s80%s)", word32(r), word32(s)[2:]), packed(0)},
		{"packed zeros and compact", "packed(address,bytes) args (bob, 0x" + strings.Repeat("00", 64) + ")", packed(0)},
		{"encoded", fmt.Sprintf("packed(address,bytes) args (bob, 0x%s%s%s)", word32(v), word32(r), word32(s)), encoded},
		{"of an array", fmt.Sprintf("many((bytes32,bytes32,uint8)[]) args ([(0x%s, 0x%s, 27), (0x%s, 0x%s, 28)])", word32(5), word32(6), word32(r), word32(s)), second},
	}
	space := verifierSpace(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			seq, err := Parse(space, textVersion+"\nkeyless Verifier."+c.call)
			if err != nil {
				t.Fatal(err)
			}
			got := space.Sign(nil, seq, asking(digest, c.read, seq, common.Address{}), nil)
			if len(got) != 2 {
				t.Fatalf("%d sequences, want one for each key", len(got))
			}
			for _, signed := range got {
				if err := space.Validate(signed); err != nil {
					t.Error(err)
				}
			}
			first := "alice"
			if strings.Contains(c.call, "bob") {
				first = "bob"
			}
			signer := recoverSigner(t, digest, c.read, got[0])
			if i := space.senderAt(signer); i < 0 || space.Senders[i].Name != first {
				t.Errorf("the first is signed by %s, want %s\n%s", signer, first, Format(space, got[0]))
			}
			if other := recoverSigner(t, digest, c.read, got[1]); space.senderAt(other) < 0 || other == signer {
				t.Errorf("the second is signed by %s", other)
			}
		})
	}
}

// asking is an execution of a sequence whose last call asks ecrecover for what read
// takes out of its arguments.
func asking(digest common.Hash, read func([]Value) (v, r, s uint256.Int), seq Sequence, answer common.Address) *evm.Execution {
	e := comparing(make([][]evm.Comparison, len(seq))...)
	v, r, s := read(seq[len(seq)-1].Args)
	frame := evm.Frame{Call: len(seq) - 1, CodeAddress: signature.Ecrecover}
	for _, w := range []uint256.Int{*new(uint256.Int).SetBytes32(digest[:]), v, r, s} {
		word := w.Bytes32()
		frame.Input = append(frame.Input, word[:]...)
	}
	if answer != (common.Address{}) {
		frame.Output = common.BytesToHash(answer[:]).Bytes()
	}
	e.Frames = append(e.Frames, frame)
	e.Calls[len(seq)-1].Frames[1]++
	return e
}

// recoverSigner is what ecrecover answers.
func recoverSigner(t *testing.T, digest common.Hash, read func([]Value) (v, r, s uint256.Int), seq Sequence) common.Address {
	t.Helper()
	v, r, s := read(seq[len(seq)-1].Args)
	form := append(append(common.BigToHash(r.ToBig()).Bytes(), common.BigToHash(s.ToBig()).Bytes()...), byte(v.Uint64()-27))
	key, err := crypto.SigToPub(digest[:], form)
	if err != nil {
		t.Fatalf("v %d, r %s, s %s: %v", v.Uint64(), r.Hex(), s.Hex(), err)
	}
	return crypto.PubkeyToAddress(*key)
}

// TestSigners: who signs is told by what the recovered address was compared with.
func TestSigners(t *testing.T) {
	space := verifierSpace(t)
	digest := common.Hash{1}
	read := func(args []Value) (v, r, s uint256.Int) { return args[3].Word, args[4].Word, args[5].Word }
	seq, err := Parse(space, textVersion+"\nalice Verifier.permit(address,uint256,uint256,uint8,bytes32,bytes32) args (bob, 1, 2, 27, 0x"+word32(3)+", 0x"+word32(4)+")")
	if err != nil {
		t.Fatal(err)
	}
	alice, bob := addressWord(space.Senders[1].Address), addressWord(space.Senders[2].Address)
	keyless, stranger := addressWord(space.Senders[0].Address), addressWord(account(50))
	cases := []struct {
		name     string
		answer   uint256.Int
		compared []uint256.Int
		outcome  evm.Outcome
		before   []common.Address
		want     []string
	}{
		{"nobody, compared with nothing: the argument, then the sender", uint256.Int{}, nil, evm.Reverted, nil, []string{"bob", "alice"}},
		{"compared with a sender", stranger, []uint256.Int{alice}, evm.Reverted, nil, []string{"alice"}},
		{"compared with one without a key", stranger, []uint256.Int{keyless}, evm.Reverted, nil, []string{"bob", "alice"}},
		{"signed by another sender", bob, []uint256.Int{alice}, evm.Reverted, nil, []string{"alice"}},
		{"signed as it should be", bob, []uint256.Int{bob}, evm.Success, nil, nil},
		{"signed, yet refused", bob, nil, evm.Reverted, nil, []string{"alice"}},
		{"signed in an earlier run", stranger, nil, evm.Reverted, []common.Address{common.Address(alice.Bytes20())}, []string{"alice"}},
		{"signed by a stranger in an earlier run", stranger, nil, evm.Reverted, []common.Address{account(50)}, []string{"bob", "alice"}},
		{"signed as in an earlier run, yet refused", bob, nil, evm.Reverted, []common.Address{common.Address(bob.Bytes20())}, []string{"alice"}},
	}
	for _, c := range cases {
		e := asking(digest, read, seq, common.Address(c.answer.Bytes20()))
		e.Calls[0].Outcome = c.outcome
		for _, other := range c.compared {
			e.Frames[0].Comparisons = append(e.Frames[0].Comparisons, evm.Comparison{Op: opEq, Left: c.answer, Right: other})
		}
		if got := Recovered(e); len(got) != 1 || got[0] != common.Address(c.answer.Bytes20()) {
			t.Errorf("%s: recovered %v", c.name, got)
		}
		var got []string
		for _, signed := range space.Sign(nil, seq, e, c.before) {
			got = append(got, space.Senders[space.senderAt(recoverSigner(t, digest, read, signed))].Name)
		}
		if strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%s: signed by %v, want %v", c.name, got, c.want)
		}
	}
}
