package main

import (
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	asm "github.com/ethereum/go-ethereum/core/vm/program"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// The tests of our own are made by go-ethereum alone: its transaction rules, its
// interpreter and its own state, so that nothing of ours has a say in what is
// right. scenarios_test.go has what they run.

// The accounts of scenarios. The key is the one that the official tests use.
var (
	key      = must(crypto.HexToECDSA("45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8"))
	otherKey = must(crypto.HexToECDSA("0101010101010101010101010101010101010101010101010101010101010101"))
	sender   = crypto.PubkeyToAddress(key.PublicKey)
	other    = crypto.PubkeyToAddress(otherKey.PublicKey)
	contract = common.HexToAddress("0x1000000000000000000000000000000000001000")
	callee   = common.HexToAddress("0x2000000000000000000000000000000000002000")
	coinbase = common.HexToAddress("0x2adc25665018aa1fe0e6bc666dac8fc2697ff9ba")
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// scenario is a test before it is known what it leads to.
type scenario struct {
	name     string
	since    string // the first fork it runs on; "": Paris
	until    string // the last one; "": there is none
	code     []byte // of contract
	callee   []byte // its code
	storage  map[common.Hash]common.Hash
	pre      types.GenesisAlloc // beside contract, callee and sender
	tx       func(*tx)          // changes the transaction, a call of contract with 1,000,000 gas
	exempt   string             // the exception that is expected
	coinbase common.Address
	excess   uint64 // blob gas
}

// tx is a scenario's transaction in the format's terms.
type tx struct {
	creation       bool
	to             common.Address
	nonce          uint64
	gas            uint64
	value          *big.Int
	data           []byte
	gasPrice       *big.Int // nil: feeCap and tipCap
	feeCap, tipCap *big.Int
	accessList     types.AccessList
	blobs          []common.Hash
	blobFeeCap     *big.Int
	authorizations []types.SetCodeAuthorization
}

// envBaseFee is the base fee of all scenarios, wei; arbitrary.
const envBaseFee = 7

// envGasLimit is the block's gas, mainnet's in 2025.
const envGasLimit = 45_000_000

// prepared is a scenario's transaction and the accounts before it.
func (s *scenario) prepared() (tx, types.GenesisAlloc) {
	t := tx{to: contract, gas: 1_000_000, value: new(big.Int), gasPrice: big.NewInt(10)}
	if s.tx != nil {
		s.tx(&t)
	}
	pre := types.GenesisAlloc{
		sender:   {Balance: big.NewInt(1e18)},
		contract: {Balance: big.NewInt(1_000_000), Nonce: 1, Code: s.code, Storage: s.storage},
		callee:   {Balance: new(big.Int), Nonce: 1, Code: s.callee},
	}
	for address, a := range s.pre {
		pre[address] = a
	}
	return t, pre
}

// signed is the transaction as it is sent.
func (t *tx) signed(chain *params.ChainConfig) *types.Transaction {
	to := &t.to
	if t.creation {
		to = nil
	}
	var inner types.TxData
	switch {
	case t.authorizations != nil:
		inner = &types.SetCodeTx{ChainID: uint256.NewInt(1), Nonce: t.nonce, GasTipCap: uint256.MustFromBig(t.tipCap), GasFeeCap: uint256.MustFromBig(t.feeCap),
			Gas: t.gas, To: t.to, Value: uint256.MustFromBig(t.value), Data: t.data, AccessList: t.accessList, AuthList: t.authorizations}
	case t.blobs != nil:
		inner = &types.BlobTx{ChainID: uint256.NewInt(1), Nonce: t.nonce, GasTipCap: uint256.MustFromBig(t.tipCap), GasFeeCap: uint256.MustFromBig(t.feeCap),
			Gas: t.gas, To: t.to, Value: uint256.MustFromBig(t.value), Data: t.data, AccessList: t.accessList,
			BlobFeeCap: uint256.MustFromBig(t.blobFeeCap), BlobHashes: t.blobs}
	case t.gasPrice == nil:
		inner = &types.DynamicFeeTx{ChainID: big.NewInt(1), Nonce: t.nonce, GasTipCap: t.tipCap, GasFeeCap: t.feeCap,
			Gas: t.gas, To: to, Value: t.value, Data: t.data, AccessList: t.accessList}
	case t.accessList != nil:
		inner = &types.AccessListTx{ChainID: big.NewInt(1), Nonce: t.nonce, GasPrice: t.gasPrice,
			Gas: t.gas, To: to, Value: t.value, Data: t.data, AccessList: t.accessList}
	default:
		inner = &types.LegacyTx{Nonce: t.nonce, GasPrice: t.gasPrice, Gas: t.gas, To: to, Value: t.value, Data: t.data}
	}
	return types.MustSignNewTx(key, types.LatestSigner(chain), inner)
}

// expected runs the scenario on go-ethereum and returns its post state.
func (s *scenario) expected(t *testing.T, forkName string) map[string]any {
	t.Helper()
	sent, pre := s.prepared()
	f := forks[forkName]
	config := f.config(1)
	db, root := gethState(t, pre)
	excess := s.excess
	random := common.Hash{31: 2}
	context := vm.BlockContext{
		CanTransfer: core.CanTransfer, Transfer: core.Transfer, GetHash: testBlockHash,
		Coinbase: s.blockCoinbase(), GasLimit: envGasLimit, BlockNumber: big.NewInt(1), Time: 1000,
		Difficulty: new(big.Int), BaseFee: big.NewInt(envBaseFee), BlobBaseFee: f.blobBaseFee(&excess).ToBig(), Random: &random,
	}
	machine := vm.NewEVM(context, db, config, vm.Config{})
	signed := sent.signed(forks["Osaka"].config(1))
	post := map[string]any{
		"indexes": map[string]int{"data": 0, "gas": 0, "value": 0},
		"txbytes": hexutil.Bytes(must(signed.MarshalBinary())),
	}
	message, err := core.TransactionToMessage(signed, types.LatestSigner(config), context.BaseFee)
	if err == nil {
		_, err = core.ApplyMessage(machine, message, core.NewGasPool(context.GasLimit))
	}
	if (err != nil) != (s.exempt != "") {
		t.Fatalf("%s on %s: error %v, want one: %q", s.name, forkName, err, s.exempt)
	}
	if err != nil {
		post["expectException"], post["hash"], post["logs"] = s.exempt, root, logsHash(nil)
		return post
	}
	db.Finalise(machine.GetRules())
	post["logs"] = logsHash(db.Logs())
	post["hash"] = must(db.Commit(machine.GetRules(), 1))
	post["state"] = dump(db)
	return post
}

func (s *scenario) blockCoinbase() common.Address {
	if s.coinbase != (common.Address{}) {
		return s.coinbase
	}
	return coinbase
}

func gethState(t *testing.T, pre types.GenesisAlloc) (*state.StateDB, common.Hash) {
	t.Helper()
	database := state.NewDatabaseForTesting()
	db := must(state.New(types.EmptyRootHash, database))
	for address, a := range pre {
		db.CreateAccount(address)
		db.SetCode(address, a.Code, tracing.CodeChangeUnspecified)
		db.SetNonce(address, a.Nonce, tracing.NonceChangeUnspecified)
		db.SetBalance(address, uint256.MustFromBig(a.Balance), tracing.BalanceChangeUnspecified)
		for k, v := range a.Storage {
			db.SetState(address, k, v)
		}
	}
	root := must(db.Commit(params.Rules{}, 0))
	return must(state.New(root, database)), root
}

// dump is the accounts of go-ethereum's state in the format's form.
func dump(db *state.StateDB) map[string]any {
	accounts := map[string]any{}
	for address, a := range db.RawDump(&state.DumpConfig{}).Accounts {
		storage := map[string]string{}
		for k, v := range a.Storage {
			storage[k.Hex()] = "0x" + v
		}
		accounts[address] = map[string]any{
			"balance": hexutil.EncodeBig(mustBig(a.Balance)), "nonce": hexutil.Uint64(a.Nonce), "code": a.Code, "storage": storage,
		}
	}
	return accounts
}

func mustBig(decimal string) *big.Int {
	v, ok := new(big.Int).SetString(decimal, 10)
	if !ok {
		panic("no number: " + decimal)
	}
	return v
}

// test is the scenario in the execution-spec-tests' form.
func (s *scenario) test(t *testing.T) map[string]any {
	sent, pre := s.prepared()
	post := map[string]any{}
	active := s.since == ""
	for _, name := range []string{"Paris", "Shanghai", "Cancun", "Prague", "Osaka", "BPO1"} {
		if active = active || name == s.since; active {
			post[name] = []any{s.expected(t, name)}
		}
		active = active && name != s.until
	}
	transaction := map[string]any{
		"nonce": hexutil.Uint64(sent.nonce), "to": sent.to, "data": []hexutil.Bytes{sent.data}, "gasLimit": []hexutil.Uint64{hexutil.Uint64(sent.gas)},
		"value": []*hexutil.Big{(*hexutil.Big)(sent.value)}, "sender": sender, "secretKey": hexutil.Bytes(crypto.FromECDSA(key)),
	}
	if sent.creation {
		transaction["to"] = ""
	}
	if sent.gasPrice != nil {
		transaction["gasPrice"] = (*hexutil.Big)(sent.gasPrice)
	} else {
		transaction["maxFeePerGas"], transaction["maxPriorityFeePerGas"] = (*hexutil.Big)(sent.feeCap), (*hexutil.Big)(sent.tipCap)
	}
	if sent.accessList != nil {
		transaction["accessLists"] = []types.AccessList{sent.accessList}
	}
	if sent.blobs != nil {
		transaction["blobVersionedHashes"], transaction["maxFeePerBlobGas"] = sent.blobs, (*hexutil.Big)(sent.blobFeeCap)
	}
	if sent.authorizations != nil {
		list := []any{}
		for _, a := range sent.authorizations {
			list = append(list, map[string]any{"chainId": (*hexutil.Big)(a.ChainID.ToBig()), "address": a.Address, "nonce": hexutil.Uint64(a.Nonce),
				"v": hexutil.Uint64(a.V), "r": (*hexutil.Big)(a.R.ToBig()), "s": (*hexutil.Big)(a.S.ToBig())})
		}
		transaction["authorizationList"] = list
	}
	return map[string]any{
		"env": map[string]any{"currentCoinbase": s.blockCoinbase(), "currentGasLimit": hexutil.Uint64(envGasLimit), "currentNumber": "0x01",
			"currentTimestamp": "0x03e8", "currentRandom": common.Hash{31: 2}, "currentBaseFee": hexutil.Uint64(envBaseFee),
			"currentDifficulty": "0x00", "currentExcessBlobGas": hexutil.Uint64(s.excess)},
		"pre": pre, "transaction": transaction, "post": post,
		"config": map[string]any{"chainid": "0x01"},
		"_info":  map[string]any{"comment": "made by bench/statetests, go test -update"},
	}
}

// authorize signs an authorization.
func authorize(by *ecdsa.PrivateKey, to common.Address, nonce, chain uint64) types.SetCodeAuthorization {
	return must(types.SignSetCode(by, types.SetCodeAuthorization{ChainID: *uint256.NewInt(chain), Address: to, Nonce: nonce}))
}

// write makes the file of a group of scenarios.
func write(t *testing.T, group string, scenarios []scenario) {
	t.Helper()
	tests := map[string]any{}
	for i := range scenarios {
		name := fmt.Sprintf("%s/%s", group, scenarios[i].name)
		if tests[name] != nil {
			t.Fatalf("two scenarios are named %s", name)
		}
		tests[name] = scenarios[i].test(t)
	}
	data := must(json.MarshalIndent(tests, "", " "))
	if err := os.WriteFile(filepath.Join("testdata", group+".json"), append(data, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeOlder makes a test in the layout of the General State Tests: several data,
// gas limits and values that post states combine, no signed bytes, Paris by its
// other name, and forks that are not run.
func writeOlder(t *testing.T) {
	t.Helper()
	datas, gases, values := [][]byte{{}, {1, 2}}, []uint64{100_000, 30_000}, []int64{0, 5}
	code := keep(keep(asm.New().Op(vm.CALLDATASIZE), 0).Op(vm.CALLVALUE), 1).Push(0).Push(0).Op(vm.LOG0).Bytes()
	var test map[string]any
	posts := map[string]any{}
	for old, name := range map[string]string{"Merge": "Paris", "Shanghai": "Shanghai", "London": "Paris", "Frontier": "Paris"} {
		var list []any
		for d, data := range datas {
			for g, gas := range gases {
				for v, value := range values {
					s := scenario{name: "combined", code: code, tx: func(t *tx) { t.data, t.gas, t.value = data, gas, big.NewInt(value) }}
					test = s.test(t)
					post := s.expected(t, name)
					delete(post, "txbytes")
					delete(post, "state")
					post["indexes"] = map[string]int{"data": d, "gas": g, "value": v}
					list = append(list, post)
				}
			}
		}
		posts[old] = list
	}
	test["post"] = posts
	delete(test, "config")
	transaction := test["transaction"].(map[string]any)
	delete(transaction, "sender")
	transaction["data"], transaction["gasLimit"], transaction["value"] = []string{"0x", "0x0102"}, []string{"0x0186a0", "30000"}, []string{"0x", "0x05"}
	data := must(json.MarshalIndent(map[string]any{"combined": test}, "", " "))
	if err := os.WriteFile(filepath.Join("testdata", "older.json"), append(data, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}
