package world

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// stateFile is a dump of anvil's (anvil --dump-state), or a genesis file: which of the two
// shows in which key has the accounts.
type stateFile struct {
	Accounts map[string]stateAccount `json:"accounts"` // anvil's
	Alloc    map[string]stateAccount `json:"alloc"`    // a genesis file's
	Block    *struct {
		Number    quantity `json:"number"`
		Timestamp quantity `json:"timestamp"`
	} `json:"block"` // anvil's
	Number    quantity `json:"number"` // a genesis file's
	Timestamp quantity `json:"timestamp"`
}

type stateAccount struct {
	Balance quantity            `json:"balance"`
	Nonce   quantity            `json:"nonce"`
	Code    string              `json:"code"`
	Storage map[string]quantity `json:"storage"`
}

// quantity is a number, written as one, or in a string with or without 0x; files of
// several tools mix these.
type quantity struct{ uint256.Int }

func (q *quantity) UnmarshalJSON(text []byte) error {
	digits := string(bytes.Trim(text, `"`))
	if digits == "" || digits == "null" {
		q.Clear()
		return nil
	}
	base := 10
	if rest, ok := strings.CutPrefix(digits, "0x"); ok {
		digits, base = rest, 16
	}
	if digits == "" { // 0x
		q.Clear()
		return nil
	}
	n, ok := new(big.Int).SetString(digits, base)
	if !ok || n.Sign() < 0 || q.SetFromBig(n) {
		return fmt.Errorf("%.80s is not an integer below 2^256", text)
	}
	return nil
}

// ReadState reads the state of a chain from a dump of anvil's or a genesis file: its accounts,
// and the block that it is of, as far as the file says.
func ReadState(text []byte) (accounts map[common.Address]*evm.Account, block evm.Block, err error) {
	var file stateFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, block, fmt.Errorf("not the JSON of a state: %w", err)
	}
	list := file.Accounts
	if list == nil {
		list = file.Alloc
	}
	if list == nil {
		return nil, block, errors.New(`it has neither "accounts", as a dump of anvil's (anvil --dump-state), nor "alloc", as a genesis file`)
	}
	block = evm.DefaultBlock()
	number, at := file.Number, file.Timestamp
	if file.Block != nil {
		number, at = file.Block.Number, file.Block.Timestamp
	}
	if number.IsUint64() && !number.IsZero() {
		block.Number = number.Uint64()
	}
	if at.IsUint64() && !at.IsZero() {
		block.Time = at.Uint64()
	}
	accounts = map[common.Address]*evm.Account{}
	for name, a := range list {
		if !common.IsHexAddress(name) {
			return nil, block, fmt.Errorf("%.80q is not an address", name)
		}
		account, err := a.account()
		if err != nil {
			return nil, block, fmt.Errorf("account %s: %w", name, err)
		}
		accounts[common.HexToAddress(name)] = account
	}
	return accounts, block, nil
}

func (a *stateAccount) account() (*evm.Account, error) {
	code, err := hex.DecodeString(strings.TrimPrefix(a.Code, "0x"))
	if err != nil {
		return nil, fmt.Errorf("its code is not written in hexadecimal digits: %w", err)
	}
	if !a.Nonce.IsUint64() {
		return nil, errors.New("its nonce is above 2^64")
	}
	out := &evm.Account{Balance: a.Balance.Int, Nonce: a.Nonce.Uint64(), Code: code, Storage: map[common.Hash]common.Hash{}}
	for key, value := range a.Storage {
		var slot quantity
		if err := slot.UnmarshalJSON([]byte(`"` + hexed(key) + `"`)); err != nil {
			return nil, err
		}
		if !value.IsZero() {
			out.Storage[slot.Bytes32()] = value.Bytes32()
		}
	}
	return out, nil
}

// hexed is a slot's name, which genesis files may write without 0x.
func hexed(key string) string {
	if strings.HasPrefix(key, "0x") {
		return key
	}
	return "0x" + key
}
