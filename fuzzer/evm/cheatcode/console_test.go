package cheatcode

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// encoded is a call with a signature's selector.
func encoded(t *testing.T, signature, types string, values ...abi.Value) []byte {
	t.Helper()
	parsed, err := abi.Parse(types)
	if err != nil {
		t.Fatal(err)
	}
	return append(crypto.Keccak256([]byte(signature))[:4], abi.Append(nil, parsed, values)...)
}

func TestConsoleText(t *testing.T) {
	minus := abi.Value{Word: *new(uint256.Int).SetAllOne()}
	for want, input := range map[string][]byte{
		"hello":      encoded(t, "log(string)", "(string)", textOf("hello")),
		"7":          encoded(t, "log(uint256)", "(uint256)", uintOf(7)),
		"8":          encoded(t, "log(uint)", "(uint256)", uintOf(8)),
		"-1":         encoded(t, "log(int256)", "(int256)", minus),
		"true":       encoded(t, "log(bool)", "(bool)", boolOf(true)),
		"":           encoded(t, "log()", "()"),
		"0x0102":     encoded(t, "log(bytes)", "(bytes)", bytesOf([]byte{1, 2})),
		"a 5":        encoded(t, "log(string,uint256)", "(string,uint256)", textOf("a"), uintOf(5)),
		"a 5 of 6 7": encoded(t, "log(string,uint256,uint256,uint256)", "(string,uint256,uint256,uint256)", textOf("a %s of %d"), uintOf(5), uintOf(6), uintOf(7)),
		"100% of 3":  encoded(t, "log(string,uint256)", "(string,uint256)", textOf("100%% of %d"), uintOf(3)),
		"50% and %":  encoded(t, "log(string,string)", "(string,string)", textOf("50% and"), textOf("%")),
		"0x000000000000000000000000000000000000dEaD x": encoded(t, "log(address,string)", "(address,string)", addressOf(common.HexToAddress("dead")), textOf("x")),
	} {
		if got, ok := ConsoleText(input); !ok || got != want {
			t.Errorf("%x says %q (%t), want %q", input, got, ok, want)
		}
	}
	for _, input := range []string{"", "01", "12345678", hex.EncodeToString(crypto.Keccak256([]byte("log(string)"))[:4]) + "ff"} {
		data, err := hex.DecodeString(input)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := ConsoleText(data); ok {
			t.Errorf("%s says %q", input, got)
		}
	}
}

// TestConsoleSelectors: some that other tools print.
func TestConsoleSelectors(t *testing.T) {
	for _, selector := range []string{"41304fac", "f82c50f1", "f5b1bba9", "b60e72cc", "9710a9d0", "2c2ecbc2", "51973ec9"} {
		data, err := hex.DecodeString(selector)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := consoleForms()[[4]byte(data)]; !ok {
			t.Errorf("%s is unknown", selector)
		}
	}
}

func TestDescribe(t *testing.T) {
	input := encoded(t, "mockCall(address,bytes,bytes)", "(address,bytes,bytes)", addressOf(common.Address{19: 1}), bytesOf([]byte{1}), bytesOf(nil))
	d, ok := Describe(input, nil, true)
	if want := []string{"0x0000000000000000000000000000000000000001", "0x01", "0x"}; !ok || d.Name != "mockCall" || !slices.Equal(d.Arguments, want) {
		t.Errorf("%+v", d)
	}
	wallet, ok := Describe(encoded(t, "createWallet(string)", "(string)", textOf("al\"ice")), make([]byte, 128), true)
	if want := "(0x0000000000000000000000000000000000000000, 0, 0, 0)"; !ok || len(wallet.Results) != 1 || wallet.Results[0] != want || wallet.Arguments[0] != `"al\"ice"` {
		t.Errorf("%+v", wallet)
	}
	if _, ok := Describe([]byte{1, 2, 3, 4}, nil, true); ok {
		t.Error("an unknown cheatcode is described")
	}
	if d, ok := Describe(input[:10], nil, false); !ok || d.Arguments != nil {
		t.Errorf("arguments that are cut off: %+v", d)
	}
}
