package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"os"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
)

// maxFile bounds a file of tests, bytes. The largest of the official suites have
// tens of megabytes.
const maxFile = 1 << 29

// fixture is one test of a file, in the form of the General State Tests
// (EIP-176) and of the execution-spec-tests' StateFixture, which adds config.
type fixture struct {
	Env         environmentJSON       `json:"env"`
	Pre         types.GenesisAlloc    `json:"pre"`
	Transaction transactionJSON       `json:"transaction"`
	Post        map[string][]postJSON `json:"post"`
	Config      struct {
		ChainID      *math.HexOrDecimal64        `json:"chainid"`
		BlobSchedule map[string]blobScheduleJSON `json:"blobSchedule"`
	} `json:"config"`
}

type blobScheduleJSON struct {
	Target         math.HexOrDecimal64 `json:"target"`
	Max            math.HexOrDecimal64 `json:"max"`
	UpdateFraction math.HexOrDecimal64 `json:"baseFeeUpdateFraction"`
}

type environmentJSON struct {
	Coinbase      common.UnprefixedAddress `json:"currentCoinbase"`
	GasLimit      math.HexOrDecimal64      `json:"currentGasLimit"`
	Number        math.HexOrDecimal64      `json:"currentNumber"`
	Time          math.HexOrDecimal64      `json:"currentTimestamp"`
	Random        *math.HexOrDecimal256    `json:"currentRandom"`
	BaseFee       *math.HexOrDecimal256    `json:"currentBaseFee"`
	ExcessBlobGas *math.HexOrDecimal64     `json:"currentExcessBlobGas"`
}

type transactionJSON struct {
	GasPrice            *math.HexOrDecimal256 `json:"gasPrice"`
	FeeCap              *math.HexOrDecimal256 `json:"maxFeePerGas"`
	TipCap              *math.HexOrDecimal256 `json:"maxPriorityFeePerGas"`
	Nonce               *math.HexOrDecimal256 `json:"nonce"`
	To                  string                `json:"to"`
	Data                []string              `json:"data"`
	AccessLists         []*types.AccessList   `json:"accessLists"`
	GasLimit            []math.HexOrDecimal64 `json:"gasLimit"`
	Value               []string              `json:"value"`
	SecretKey           hexutil.Bytes         `json:"secretKey"`
	Sender              *common.Address       `json:"sender"`
	BlobVersionedHashes []common.Hash         `json:"blobVersionedHashes"`
	BlobFeeCap          *math.HexOrDecimal256 `json:"maxFeePerBlobGas"`
	AuthorizationList   []authorizationJSON   `json:"authorizationList"`
}

type authorizationJSON struct {
	ChainID *math.HexOrDecimal256 `json:"chainId"`
	Address common.Address        `json:"address"`
	Nonce   *math.HexOrDecimal256 `json:"nonce"`
	V       *math.HexOrDecimal256 `json:"v"`
	R       *math.HexOrDecimal256 `json:"r"`
	S       *math.HexOrDecimal256 `json:"s"`
}

// postJSON is what one transaction of a test must lead to on one fork.
type postJSON struct {
	Indexes struct {
		Data  int `json:"data"`
		Gas   int `json:"gas"`
		Value int `json:"value"`
	} `json:"indexes"`
	Root            common.UnprefixedHash `json:"hash"`
	Logs            common.UnprefixedHash `json:"logs"`
	TxBytes         hexutil.Bytes         `json:"txbytes"`
	ExpectException string                `json:"expectException"`
	State           json.RawMessage       `json:"state"` // the accounts afterwards; may be missing
}

// named is a test with its name in its file.
type named struct {
	name string
	*fixture
}

// errNotStateTest says that an object of a file is something else: a blockchain
// test, an index of files.
var errNotStateTest = errors.New("not a state test")

// readFile reads the tests of a file, sorted by name; others counts objects
// that are not state tests.
func readFile(path string) (tests []named, others int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, 0, err
	}
	if len(data) > maxFile {
		return nil, 0, fmt.Errorf("%s: more than %d bytes", path, maxFile)
	}
	tests, others, err = parse(data)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	return tests, others, nil
}

// parse reads the tests of a file's content.
func parse(data []byte) (tests []named, others int, err error) {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) && json.Valid(data) {
		return nil, 1, nil // a list or a plain value
	}
	var objects map[string]json.RawMessage
	if err := json.Unmarshal(data, &objects); err != nil {
		return nil, 0, fmt.Errorf("not the JSON of tests: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		f, err := parseTest(objects[name])
		switch {
		case errors.Is(err, errNotStateTest):
			others++
		case err != nil:
			return nil, 0, fmt.Errorf("test %q: %w", name, err)
		default:
			tests = append(tests, named{name, f})
		}
	}
	return tests, others, nil
}

func parseTest(data []byte) (*fixture, error) {
	var parts map[string]json.RawMessage
	if json.Unmarshal(data, &parts) != nil {
		return nil, errNotStateTest
	}
	for _, part := range []string{"env", "pre", "transaction", "post"} {
		if len(parts[part]) == 0 {
			return nil, errNotStateTest
		}
	}
	f := &fixture{}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, err
	}
	return f, nil
}

// transaction picks the one that a post state is about. What cannot be a
// transaction at all is a refusal.
func (f *fixture) transaction(post *postJSON) (*transaction, error) {
	j, at := &f.Transaction, post.Indexes
	if at.Data < 0 || at.Data >= len(j.Data) || at.Gas < 0 || at.Gas >= len(j.GasLimit) || at.Value < 0 || at.Value >= len(j.Value) {
		return nil, fmt.Errorf("the indexes %+v name no data, gas limit or value", at)
	}
	t := &transaction{gas: uint64(j.GasLimit[at.Gas])}
	var err error
	if t.from, err = j.from(); err != nil {
		return nil, err
	}
	if j.To != "" {
		t.to = new(common.Address)
		if err := (*common.UnprefixedAddress)(t.to).UnmarshalText([]byte(strings.TrimPrefix(j.To, "0x"))); err != nil {
			return nil, fmt.Errorf("to %q: %w", j.To, err)
		}
	}
	if t.data, err = hexutil.Decode("0x" + strings.TrimPrefix(j.Data[at.Data], "0x")); err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if at.Data < len(j.AccessLists) && j.AccessLists[at.Data] != nil {
		t.accessList = *j.AccessLists[at.Data]
	}
	t.blobHashes = j.BlobVersionedHashes
	if err := j.amounts(t, j.Value[at.Value]); err != nil {
		return nil, err
	}
	return t, nil
}

func (j *transactionJSON) from() (common.Address, error) {
	if j.Sender != nil {
		return *j.Sender, nil
	}
	key, err := crypto.ToECDSA(j.SecretKey)
	if err != nil {
		return common.Address{}, fmt.Errorf("neither a sender nor a secret key: %w", err)
	}
	return crypto.PubkeyToAddress(key.PublicKey), nil
}

// amounts fills in numbers. One that no transaction can hold is a refusal.
func (j *transactionJSON) amounts(t *transaction, value string) error {
	if nonce := (*big.Int)(j.Nonce); nonce != nil {
		if !nonce.IsUint64() {
			return refuse("a nonce of more than 64 bits (EIP-2681)")
		}
		t.nonce = nonce.Uint64()
	}
	// The older layout has texts like "0x:bigint 0x1…" for a value that is none.
	if value != "0x" {
		v, ok := math.ParseBig256(value)
		if !ok || v.Sign() < 0 {
			return refuse("a value that is not a 256-bit number")
		}
		t.value.SetFromBig(v)
	}
	set := func(to *uint256.Int, from *math.HexOrDecimal256) bool {
		if from != nil {
			to.SetFromBig((*big.Int)(from))
		}
		return from != nil
	}
	if !set(&t.feeCap, j.FeeCap) {
		set(&t.feeCap, j.GasPrice)
	}
	if !set(&t.tipCap, j.TipCap) {
		t.tipCap = t.feeCap
	}
	if j.BlobFeeCap != nil {
		t.blobFeeCap = new(uint256.Int)
		set(t.blobFeeCap, j.BlobFeeCap)
	}
	if j.AuthorizationList != nil {
		t.authorizations = []types.SetCodeAuthorization{}
	}
	for i := range j.AuthorizationList {
		a, err := j.AuthorizationList[i].authorization()
		if err != nil {
			return err
		}
		t.authorizations = append(t.authorizations, a)
	}
	return nil
}

func (j *authorizationJSON) authorization() (types.SetCodeAuthorization, error) {
	a := types.SetCodeAuthorization{Address: j.Address}
	nonce, v := (*big.Int)(j.Nonce), (*big.Int)(j.V)
	if j.ChainID == nil || nonce == nil || v == nil || j.R == nil || j.S == nil {
		return a, errors.New("an authorization lacks a field")
	}
	if !nonce.IsUint64() || !v.IsUint64() || v.Uint64() > 0xff {
		return a, refuse("an authorization whose nonce or parity is too large (EIP-7702)")
	}
	a.Nonce, a.V = nonce.Uint64(), uint8(v.Uint64())
	a.ChainID.SetFromBig((*big.Int)(j.ChainID))
	a.R.SetFromBig((*big.Int)(j.R))
	a.S.SetFromBig((*big.Int)(j.S))
	return a, nil
}
