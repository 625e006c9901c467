package input

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/testing/golden"
)

func TestTextRoundTrip(t *testing.T) {
	m := testMutator(t, true)
	r := testRand(20)
	for range 3_000 {
		seq := m.GenerateSequence(r)
		text := Format(m.space, seq)
		got, err := Parse(m.space, text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !got.Equal(seq) {
			t.Fatalf("reads back as\n%s\nwant\n%s", Format(m.space, got), text)
		}
		mustValid(t, m.space, got, text)
	}
}

// exampleSequence shows every kind of value.
func exampleSequence(t *testing.T, s *Space) Sequence {
	text := `sightline-sequence v1
# comments and empty lines are skipped

deployer Vault#new.constructor(address,uint256) args (user1, 115792089237316195423570985008687907853269984665640564039457584007913129639935)
user1 Vault.deposit(uint256) args (1500000000000000000) value 1000000000000000000 time +86400 block +7200
attacker Vault#2.mixed(int24,bool,bytes4,bytes,string,uint8[],bytes32[3],(uint256,string[2],(address,int256))[]) args (-8388608, true, 0xdeadbeef, 0x, "say \"hi\"\n\xff é", [1, 2, 255], [0x0000000000000000000000000000000000000000000000000000000000000000, 0x1111111111111111111111111111111111111111111111111111111111111111, 0x2222222222222222222222222222222222222222222222222222222222222222], [(7, ["", "b"], (Token, -1)), (0, ["", ""], (0x00000000000000000000000000000000000000ff, 0))])
user1 Vault.fallback args (0x00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff00) time +90
user1 Vault.receive value 3 block +1
user1 Vault.multicall(bytes[]) args ([0x01, 0x, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07])
user1 Vault.withdraw(uint96,address) args (0xff, 0x0000000000000000000000000000000000000000)
user1 Vault.deposit()
`
	seq, err := Parse(s, text)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// TestTextOfScript: calls that an answer makes end with its bracket, whatever they take.
func TestTextOfScript(t *testing.T) {
	s := testSpace(t, false)
	for _, calls := range []string{"Vault.deposit()", "Vault.deposit(); Vault.receive", "Vault.receive", "Vault.deposit(uint256) args (1)", "Vault.deposit() value 3; Vault.fallback args (0x00)"} {
		text := textVersion + "\nattackerContract Vault.deposit() on payment times 1 calls {" + calls + "} returns (1)\n"
		seq, err := Parse(s, text)
		if err != nil || Format(s, seq) != text {
			t.Errorf("%v: %s reads back as\n%s", err, text, Format(s, seq))
		}
	}
}

func TestFormat(t *testing.T) {
	s := testSpace(t, true)
	golden.Check(t, "testdata/example.seq", Format(s, exampleSequence(t, s)))
}

func TestDescribe(t *testing.T) {
	s := testSpace(t, true)
	var b strings.Builder
	for _, c := range exampleSequence(t, s) {
		fmt.Fprintln(&b, s.Describe(&c))
	}
	for _, n := range []string{"0", "999999999999999", "1000000000000000", "1000000000000001", "2500000000000000000", "18446744073709551615"} {
		x := uint256.MustFromDecimal(n)
		fmt.Fprintf(&b, "%s: %s\n", n, describeNumber(x, &wordType))
	}
	for _, name := range []string{"Vault", "MockToken", "ERC20Token", "ERC20", "A", "vault", "Vault#2", "x y"} {
		fmt.Fprintf(&b, "%s: %s\n", name, quoteName(variableName(name)))
	}
	golden.Check(t, "testdata/describe.txt", b.String())
}

func TestRound(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"1234567":                          "1234567",
		"Paid(alice, 1500000000000000000)": "Paid(alice, 1.5e18)",
		"500000000000000000, 1000000":      "5e17, 1e6",
		"340282366920938463463374607431768211456": "2**128",
		"0x1000000000":          "0x1000000000",
		strings.Repeat("9", 78): strings.Repeat("9", 78), // more than a word
	} {
		if got := Round(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	s := testSpace(t, false)
	head := textVersion + "\n"
	deposit := head + "user1 Vault.deposit(uint256) "
	cases := []struct{ text, want string }{
		{"", `line 1, column 1: expected "sightline-sequence v1"`},
		{"sightline-sequence v2\n", "line 1, column 20: this version of the format is unknown"},
		{head + "user1", `line 2, column 6: expected " "`},
		{head + "!", "line 2, column 1: expected a sender's name"},
		{head + "user1 Vault", `line 2, column 12: expected "."`},
		{head + "user1 Vault.", "line 2, column 13: expected a function's signature, found the line's end"},
		{head + `user1 "Vault.x`, "line 2, column 7: expected a string in double quotes"},
		{head + "user1 Vault.deposit(uint256)", `line 2, column 29: expected " args (…)" with 1 arguments`},
		{deposit + "args (", "line 2, column 36: expected a number below 2^256, found the line's end"},
		{deposit + "args ()", "line 2, column 36: expected 1 values, found 0"},
		{deposit + "args (1, 2)", `line 2, column 38: expected ")" after 1 values`},
		{deposit + "args (-1)", "line 2, column 36: expected a number"},
		{deposit + "args (+1)", "line 2, column 36: expected a number"},
		{deposit + "args (1" + strings.Repeat("0", 78) + ")", "expected a number below 2^256"},
		{deposit + "args (1) time +99999999999", "99999999999 is more than 3153600000"},
		{deposit + "args (1) time +1 value 1", "line 2, column 46: expected \" value N\""},
		{deposit + "args (1) junk", "line 2, column 38: expected \" value N\""},
		{head + "user1 Vault.withdraw(uint96,address) args (79228162514264337593543950336, user1)", "does not fit uint96"},
		{head + "user1 Vault.withdraw(uint96,address) args (1, 0x1234)", "expected 20 bytes for an address, found 2"},
		{head + "user1 Vault.multicall(bytes[]) args ([0x123])", "odd number of hexadecimal digits"},
		{head + "user1 Vault.multicall(bytes[]) args ([0x0g])", "malformed bytes"},
		{head + "user1 Vault.multicall(bytes[]) args ([0x00 0x01])", `expected "," or "]"`},
		{head + "user1 Vault.multicall(bytes[]) args ([" + strings.Repeat("0x,", MaxElements) + "0x])", "more than 256 elements"},
		{head + "user1 Vault.multicall(bytes[]) args ([0x" + strings.Repeat("00", MaxBytes+1) + "])", "4097 bytes, at most 4096"},
		{head + "user1 Vault.multicall(bytes[]) args ([" + strings.Repeat("0x"+strings.Repeat("00", MaxBytes)+",", 40) + "])",
			"more than 4096 words"},
		{head + strings.Repeat("user1 Vault.pause()\n", MaxCalls+1), "line 258, column 1: more than 256 calls"},
		{head + strings.Repeat(" ", MaxTextSize), "at most 1048576 are read"},
	}
	for _, c := range cases {
		seq, err := Parse(s, c.text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) || seq != nil {
			t.Errorf("%.80q gives %v, %v\nwant %s", c.text, seq, err, c.want)
		}
	}
}

func TestParseNumbersAtTheirLimits(t *testing.T) {
	x := new(uint256.Int)
	for _, bits := range []int{8, 24, 128, 248, 256} {
		limit := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
		for _, n := range []int64{-2, -1, 0, 1} {
			for _, sign := range []int64{1, -1} {
				v := new(big.Int).Mul(new(big.Int).Add(limit, big.NewInt(n)), big.NewInt(sign))
				want := v.Cmp(limit) < 0 && v.Cmp(new(big.Int).Neg(limit)) >= 0
				typ := Type{Kind: Int, Bits: bits}
				p := parser{line: v.String(), words: 1}
				got, err := p.value(&typ)
				if (err == nil) != want {
					t.Errorf("int%d %s: %v", bits, v, err)
				}
				if x.SetFromBig(v); want && got.Word != *x {
					t.Errorf("int%d %s reads as %s", bits, v, got.Word.Hex())
				}
			}
		}
	}
}

func TestStaleSequence(t *testing.T) {
	s := testSpace(t, false)
	seq, err := Parse(s, textVersion+`
user1 Vault.deposit(uint256) args (1)
alice Vault.pause()
user1 Gone.pause()
user1 Vault.removed((uint256,bool)[]) args ([(1, true)]) value 1
user1 Vault.withdraw(uint96,address) args (1, Gone)
user1 Vault.deposit() value 99999999999999999999999999999
user1 Vault.pause()
`)
	var stale *StaleError
	if !errors.As(err, &stale) {
		t.Fatalf("error is %v", err)
	}
	want := []StaleCall{
		{3, 1, "sender", "alice"}, {4, 7, "instance", "Gone"}, {5, 13, "function", `removed((uint256,bool)[])`},
		{6, 47, "account", "Gone"}, {7, 29, "value", "99999999999999999999999999999"},
	}
	if diff := cmp.Diff(want, stale.Calls); diff != "" {
		t.Errorf("stale calls differ (-want +got):\n%s", diff)
	}
	if len(seq) != 2 || seq[1].Function.Name != "pause" {
		t.Errorf("what fits is\n%s", Format(s, seq))
	}
	mustValid(t, s, seq, "what fits")
	if !strings.HasPrefix(err.Error(), "line 3, column 1: the world has no sender alice (and 4 more calls do not fit)") {
		t.Errorf("message is %q", err)
	}
}

// Names that are no plain words are quoted, whatever they hold.
func TestHostileNames(t *testing.T) {
	world := testWorld(t)
	world.Senders[1].Name = "a b\n\"c\""
	world.Instances[0].Name = "0x00.Vault args"
	world.Instances[2].Name = "#comment"
	s, err := NewSpace(world, SpaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	seq := Sequence{
		{Sender: 1, Instance: 0, Function: s.Instances[0].function("pause()")},
		{Sender: 1, Instance: 2, Function: s.Instances[2].function("transfer(address,uint256)"),
			Args: []Value{{Word: addressWord(world.Instances[0].Address)}, {}}},
	}
	text := Format(s, seq)
	if got, err := Parse(s, text); err != nil || !got.Equal(seq) {
		t.Errorf("%s\nreads back as %v, %v", text, got, err)
	}
	world.Senders[0].Name = world.Senders[1].Name
	if _, err := NewSpace(world, SpaceOptions{}); err == nil {
		t.Error("two senders of one name are accepted")
	}
	if _, err := NewSpace(&evm.World{}, SpaceOptions{}); err == nil {
		t.Error("a world without senders is accepted")
	}
}

func FuzzParse(f *testing.F) {
	s := testSpace(f, true)
	m := NewMutator(s, NewDictionary(nil), Options{})
	r := testRand(21)
	for range 20 {
		f.Add(Format(s, m.GenerateSequence(r)))
	}
	f.Add(textVersion + "\r\nuser1 Gone.f() args (\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		seq, err := Parse(s, text)
		var stale *StaleError
		if err != nil && !errors.As(err, &stale) {
			if seq != nil {
				t.Fatal("a syntax error came with a sequence")
			}
			return
		}
		if err := s.Validate(seq); err != nil {
			t.Fatal(err)
		}
		again, err := Parse(s, Format(s, seq))
		if err != nil || !again.Equal(seq) {
			t.Fatalf("%v\n%s\nreads back as\n%s", err, Format(s, seq), Format(s, again))
		}
	})
}
