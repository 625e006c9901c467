package world

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/google/go-cmp/cmp"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

const parameterABI = `[
{"type":"constructor","inputs":[
  {"name":"tokens","type":"address[]","internalType":"contract IERC20[]"},
  {"name":"fee","type":"address","internalType":"contract IERC20"},
  {"name":"other","type":"address","internalType":"address"},
  {"name":"weth","type":"address"},
  {"name":"config","type":"tuple","internalType":"struct C.Config","components":[
    {"name":"extra","type":"address","internalType":"contract IERC20"},
    {"name":"rate","type":"uint256","internalType":"uint256"}]}]},
{"type":"function","name":"initialize","stateMutability":"nonpayable","outputs":[],"inputs":[
  {"name":"a","type":"uint256"}]},
{"type":"function","name":"initialize","stateMutability":"nonpayable","outputs":[],"inputs":[
  {"name":"pairs","type":"tuple[]","components":[
    {"name":"token0","type":"address","internalType":"contract IERC20"},
    {"name":"token1","type":"address","internalType":"contract IERC20"}]},
  {"name":"a","type":"address","internalType":"contract Oracle"}]}
]`

// outline is a line for each parameter: name, contract type, number.
func outline(list []parameter) string {
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "%s %s %d\n", p.name, p.contract, p.nth)
		for _, line := range strings.Split(strings.TrimSuffix(outline(p.fields), "\n"), "\n") {
			if line != "" {
				fmt.Fprintf(&b, "  %s\n", line)
			}
		}
	}
	return b.String()
}

// TestParameters: internal types are found wherever they are, and parameters that
// ask for the same are numbered.
func TestParameters(t *testing.T) {
	parsed, err := abi.JSON(strings.NewReader(parameterABI))
	if err != nil {
		t.Fatal(err)
	}
	c := &bytecode.Contract{ABI: parsed, RawABI: []byte(parameterABI)}
	for _, tc := range []struct{ got, want string }{
		{outline(constructorParameters(c)), "tokens IERC20 0\nfee IERC20 2\nother  0\nweth  0\nconfig  0\n  extra IERC20 3\n  rate  0\n"},
		{outline(methodParameters(c, method(parsed, "initialize(uint256)"))), "a  0\n"},
		{outline(methodParameters(c, method(parsed, "initialize((address,address)[],address)"))),
			"pairs  0\n  token0 IERC20 0\n  token1 IERC20 1\na Oracle 0\n"},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	// Without the JSON, the AST says what it can.
	c.RawABI, c.ArgumentTypes = nil, []string{"IERC20[]", "", "", "WETH"}
	want := "tokens IERC20 0\nfee  0\nother  0\nweth WETH 0\nconfig  0\n  extra  0\n  rate  0\n"
	if diff := cmp.Diff(want, outline(constructorParameters(c))); diff != "" {
		t.Errorf("from the AST (-want +got):\n%s", diff)
	}
	for _, raw := range []string{"", "null", "{}", "[1]", `[{"type":"constructor"}]`, `[{"type":"constructor","inputs":[{}]}]`} {
		c.RawABI = []byte(raw)
		if diff := cmp.Diff(want, outline(constructorParameters(c))); diff != "" {
			t.Errorf("with the ABI %q (-want +got):\n%s", raw, diff)
		}
	}
}

func method(parsed abi.ABI, signature string) *abi.Method {
	for _, m := range parsed.Methods {
		if m.Sig == signature {
			return &m
		}
	}
	return nil
}
