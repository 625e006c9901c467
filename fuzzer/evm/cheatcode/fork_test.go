package cheatcode

import (
	"errors"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/internal/abi"
)

// TestForkRefused: where tests cannot fork, they are told why, and what to do.
func TestForkRefused(t *testing.T) {
	chain := &Fork{Environment: Environment{Number: 7}, Check: func(_ string, block *uint64) error {
		if block != nil && *block != 7 {
			return errors.New("the World is at 7")
		}
		return nil
	}}
	call := func(f string, values ...abi.Value) []byte {
		c := index()[[4]byte(crypto.Keccak256([]byte(f)))]
		return append(crypto.Keccak256([]byte(f))[:4], abi.Append(nil, c.arguments, values)...)
	}
	const fork, at = "createSelectFork(string)", "createSelectFork(string,uint256)"
	for _, test := range []struct {
		edge  *Edge
		calls [][]byte
		want  string
	}{
		{nil, [][]byte{call(fork, textOf("mainnet"))}, "--rpc URL"},
		{nil, [][]byte{call("rpcUrl(string)", textOf("mainnet"))}, "--rpc URL"},
		{nil, [][]byte{call("envString(string)", textOf("MAINNET_RPC_URL"))}, "give that with --rpc URL"},
		{nil, [][]byte{call("envString(string)", textOf("NAME"))}, "use vm.envOr with a default"},
		{&Edge{Fork: chain}, [][]byte{call(at, textOf("mainnet"), uintOf(8))}, "the World is at 7"},
		{&Edge{Fork: chain}, [][]byte{call(fork, textOf("mainnet")), call("rollFork(uint256)", uintOf(8))}, "the World is at 7"},
		{&Edge{Fork: chain}, [][]byte{call(fork, textOf("mainnet")), call(fork, textOf("optimism"))}, `stands for "mainnet" already`},
		{&Edge{Fork: chain}, [][]byte{call("envUint(string)", textOf("RPC_BLOCK"))}, "no environment"},
		{&Edge{Fork: chain}, [][]byte{call(at, textOf("mainnet"), uintOf(7)), call(fork, textOf("mainnet"))}, ""},
	} {
		h, s := newMemory(), new(State)
		var output []byte
		ok := true
		for _, input := range test.calls {
			output, ok = Run(h, s, test.edge, common.Address{1}, 0, input)
		}
		text, _ := Reason(output)
		if ok != (test.want == "") || !ok && !strings.Contains(text, test.want) {
			t.Errorf("%t %q, want %q", ok, text, test.want)
		}
	}
}

// TestEndpointVariable: a variable with an endpoint's address reads as its name, which is
// what forks are made of.
func TestEndpointVariable(t *testing.T) {
	var named string
	edge := &Edge{Fork: &Fork{Check: func(name string, _ *uint64) error { named = name; return nil }}}
	h, s := newMemory(), new(State)
	input := append(crypto.Keccak256([]byte("envString(string)"))[:4], abi.Append(nil, oneString, []abi.Value{textOf("MAINNET_RPC_URL")})...)
	output, ok := Run(h, s, edge, common.Address{1}, 0, input)
	if !ok {
		t.Fatalf("%q", output)
	}
	fork := append(crypto.Keccak256([]byte("createSelectFork(string)"))[:4], output...)
	if output, ok = Run(h, s, edge, common.Address{1}, 0, fork); !ok || named != "${MAINNET_RPC_URL}" {
		t.Errorf("%q, %q", named, output)
	}
	or := append(crypto.Keccak256([]byte("envOr(string,string)"))[:4], abi.Append(nil, index()[[4]byte(crypto.Keccak256([]byte("envOr(string,string)")))].arguments, []abi.Value{textOf("RPC"), textOf("http://default")})...)
	if output, ok = Run(h, s, edge, common.Address{1}, 0, or); !ok || !strings.Contains(string(output), "http://default") {
		t.Errorf("%q", output)
	}
}
