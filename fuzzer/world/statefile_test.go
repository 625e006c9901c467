package world_test

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
)

func TestReadState(t *testing.T) {
	want := map[common.Address]*evm.Account{
		common.HexToAddress("0xa1"): {Balance: *uint256.NewInt(16), Nonce: 2, Code: []byte{0x60, 0}, Storage: map[common.Hash]common.Hash{
			common.HexToHash("0x1"): common.HexToHash("0xff"),
		}},
		common.HexToAddress("0xa2"): {Balance: *uint256.NewInt(7), Storage: map[common.Hash]common.Hash{}},
	}
	for name, text := range map[string]string{
		"anvil": `{"block": {"number": "0x20", "timestamp": "0x30"}, "accounts": {
			"0x00000000000000000000000000000000000000a1": {"nonce": 2, "balance": "0x10", "code": "0x6000", "storage": {"0x1": "0xff", "0x2": "0x0"}},
			"0x00000000000000000000000000000000000000a2": {"nonce": 0, "balance": "0x7", "code": "0x", "storage": {}}}, "best_block_number": 32}`,
		"genesis": `{"number": "32", "timestamp": "0x30", "alloc": {
			"00000000000000000000000000000000000000a1": {"nonce": "0x2", "balance": "16", "code": "0x6000", "storage":
				{"0000000000000000000000000000000000000000000000000000000000000001": "0x00000000000000000000000000000000000000000000000000000000000000ff"}},
			"00000000000000000000000000000000000000a2": {"balance": 7}}}`,
	} {
		accounts, block, err := world.ReadState([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, accounts, cmpopts.EquateEmpty()); diff != "" || block.Number != 32 || block.Time != 48 {
			t.Errorf("%s: block %d at %d, %s", name, block.Number, block.Time, diff)
		}
	}
	for text, problem := range map[string]string{
		`{`:                       "not the JSON of a state",
		`{"state": {}}`:           `neither "accounts"`,
		`{"alloc": {"0x12": {}}}`: "not an address",
		`{"alloc": {"00000000000000000000000000000000000000a1": {"code": "0xg"}}}`:                                 "hexadecimal",
		`{"alloc": {"00000000000000000000000000000000000000a1": {"balance": "many"}}}`:                             "not an integer",
		`{"alloc": {"00000000000000000000000000000000000000a1": {"balance": -1}}}`:                                 "not an integer",
		`{"alloc": {"00000000000000000000000000000000000000a1": {"nonce": "0x10000000000000000"}}}`:                "nonce",
		`{"alloc": {"00000000000000000000000000000000000000a1": {"storage": {"slot": "0x1"}}}}`:                    "not an integer",
		`{"alloc": {"00000000000000000000000000000000000000a1": {"balance": "1` + strings.Repeat("0", 80) + `"}}}`: "not an integer",
	} {
		if _, _, err := world.ReadState([]byte(text)); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzReadState(f *testing.F) {
	f.Add([]byte(`{"accounts": {"0x00000000000000000000000000000000000000a1": {"nonce": 2, "balance": "0x10", "code": "0x6000", "storage": {"0x1": "0xff"}}}}`))
	f.Add([]byte(`{"alloc": {"00000000000000000000000000000000000000a1": {"balance": "16"}}, "timestamp": "0x30"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		accounts, _, err := world.ReadState(text)
		if err != nil && accounts != nil {
			t.Error("accounts beside an error")
		}
	})
}
