package recorder_test

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/world/recorder"
)

// creation makes a contract that reverts with the word 7 when it is called with data, and
// otherwise emits an event with the topic 5 and counts in slot 0.
var creation = append(common.FromHex("602080600b6000396000f3"), runtime...)

var runtime = common.FromHex("36601557600160005401600055600560006000a1005b600760005260206000fd")

// serve makes a recorder from a World, and a client of its endpoint.
func serve(t *testing.T, w *evm.World, options recorder.Options) (*recorder.Recorder, *ethclient.Client) {
	t.Helper()
	r, err := recorder.New(w, nil, options)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := r.Handler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := ethclient.DialContext(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return r, c
}

// TestRecorder talks to the endpoint as go-ethereum's client does: a signed deployment, a
// call of it, one that fails, and questions.
func TestRecorder(t *testing.T) {
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	from := crypto.PubkeyToAddress(key.PublicKey)
	sender := evm.Sender{Name: "deployer", Address: common.HexToAddress("0xd0")}
	replaced := 0
	r, c := serve(t, &evm.World{Block: evm.DefaultBlock(), Senders: []evm.Sender{sender}, Accounts: map[common.Address]*evm.Account{}}, recorder.Options{Substitute: func(code []byte) []byte { replaced++; return code }})
	ctx := t.Context()
	chain, err := c.ChainID(ctx)
	if err != nil {
		t.Fatal(err)
	}
	signer := types.LatestSignerForChainID(chain)
	send := func(to *common.Address, data []byte) *types.Receipt {
		t.Helper()
		nonce, err := c.PendingNonceAt(ctx, from)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := types.SignNewTx(key, signer, &types.DynamicFeeTx{ChainID: chain, Nonce: nonce, To: to, Data: data, Gas: 1e6, GasFeeCap: big.NewInt(1), GasTipCap: big.NewInt(1)})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.SendTransaction(ctx, tx); err != nil {
			t.Fatal(err)
		}
		receipt, err := c.TransactionReceipt(ctx, tx.Hash())
		if err != nil {
			t.Fatal(err)
		}
		return receipt
	}
	deployed := send(nil, creation)
	at := deployed.ContractAddress
	if deployed.Status != 1 || at != crypto.CreateAddress(from, 0) || replaced != 1 {
		t.Errorf("%+v", deployed)
	}
	if code, err := c.CodeAt(ctx, at, nil); err != nil || common.Bytes2Hex(code) != common.Bytes2Hex(runtime) {
		t.Errorf("%x, %v", code, err)
	}
	called := send(&at, nil)
	if called.Status != 1 || len(called.Logs) != 1 || called.Logs[0].Address != at || called.Logs[0].Topics[0] != common.BigToHash(big.NewInt(5)) {
		t.Errorf("%+v", called)
	}
	if failed := send(&at, []byte{1}); failed.Status != 0 || len(failed.Logs) != 0 {
		t.Errorf("%+v", failed)
	}
	if slot, err := c.StorageAt(ctx, at, common.Hash{}, nil); err != nil || slot[31] != 1 {
		t.Errorf("%x, %v", slot, err)
	}
	ask(ctx, t, c, at)

	// what succeeded is what is recorded, and makes the same state
	calls := r.Given()
	if len(calls) != 2 || !calls[0].Create || calls[1].To != at || len(r.Failed()) != 1 {
		t.Fatalf("%v %q", calls, r.Failed())
	}
	m, err := gethvm.New(&evm.World{Block: evm.DefaultBlock(), Accounts: map[common.Address]*evm.Account{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(calls); err != nil {
		t.Fatal(err)
	}
	if value := m.Export().Accounts[at].Storage[common.Hash{}]; value[31] != 1 {
		t.Errorf("the state has %x", value)
	}
}

// ask asks what needs no transaction.
func ask(ctx context.Context, t *testing.T, c *ethclient.Client, at common.Address) {
	t.Helper()
	_, err := c.CallContract(ctx, ethereum.CallMsg{To: &at, Data: []byte{1}}, nil)
	var failed rpc.DataError
	if !errors.As(err, &failed) || failed.ErrorData() != common.BigToHash(big.NewInt(7)).Hex() {
		t.Errorf("%v", err)
	}
	if gas, err := c.EstimateGas(ctx, ethereum.CallMsg{To: &at}); err != nil || gas < 1e6 {
		t.Errorf("%d, %v", gas, err)
	}
	for _, test := range []struct {
		query ethereum.FilterQuery
		want  int
	}{
		{ethereum.FilterQuery{}, 1},
		{ethereum.FilterQuery{Addresses: []common.Address{at}, Topics: [][]common.Hash{{common.BigToHash(big.NewInt(5))}}}, 1},
		{ethereum.FilterQuery{Topics: [][]common.Hash{{common.BigToHash(big.NewInt(6))}}}, 0},
		{ethereum.FilterQuery{Addresses: []common.Address{{1}}}, 0},
		{ethereum.FilterQuery{ToBlock: big.NewInt(1)}, 0},
	} {
		if logs, err := c.FilterLogs(ctx, test.query); err != nil || len(logs) != test.want {
			t.Errorf("%+v: %v, %v", test.query, logs, err)
		}
	}
	head, err := c.HeaderByNumber(ctx, nil)
	if err != nil || head.Number.Uint64() != evm.DefaultBlock().Number+3 || head.Time <= evm.DefaultBlock().Time {
		t.Errorf("%+v, %v", head, err)
	}
	var dev struct {
		ChainID    uint64
		InstanceID common.Hash
	}
	if err := c.Client().CallContext(ctx, &dev, "hardhat_metadata"); err != nil || dev.ChainID != evm.ChainID || dev.InstanceID == (common.Hash{}) {
		t.Errorf("%+v, %v", dev, err)
	}
	var seconds string
	if err := c.Client().CallContext(ctx, &seconds, "evm_increaseTime", 100); err != nil || seconds != "0x64" {
		t.Errorf("%s, %v", seconds, err)
	}
	if err := c.Client().CallContext(ctx, &seconds, "hardhat_setBalance", at, "0x1"); err == nil {
		t.Error("a method that is not there succeeds")
	}
}

// TestSalted deploys through the deterministic deployment proxy: what stands in the
// code's place lies where the code would.
func TestSalted(t *testing.T) {
	deployer, from := common.HexToAddress("0x4e59b44847b379578588920cA78FbF26c0B4956C"), common.HexToAddress("0xd0")
	w := &evm.World{Block: evm.DefaultBlock(), Senders: []evm.Sender{{Name: "deployer", Address: from}}, Accounts: map[common.Address]*evm.Account{
		deployer: {Nonce: 1, Code: common.FromHex("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3")},
	}}
	other := append(common.FromHex("600180600b6000396000f3"), 0xfe)
	for _, test := range []struct {
		name       string
		substitute func([]byte) []byte
		code       []byte
		creates    bool
	}{
		{"replaced", func(code []byte) []byte {
			if bytes.Equal(code, creation) {
				return other
			}
			return code
		}, []byte{0xfe}, true},
		{"as it is", nil, runtime, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, c := serve(t, w, recorder.Options{Substitute: test.substitute, Deployer: deployer})
			salt := common.BigToHash(big.NewInt(3))
			data := append(salt.Bytes(), creation...)
			var hash common.Hash
			if err := c.Client().CallContext(t.Context(), &hash, "eth_sendTransaction", map[string]any{"from": from, "to": deployer, "data": hexutil.Bytes(data)}); err != nil {
				t.Fatal(err)
			}
			at := crypto.CreateAddress2(deployer, salt, crypto.Keccak256(creation))
			if code, err := c.CodeAt(t.Context(), at, nil); err != nil || !bytes.Equal(code, test.code) {
				t.Errorf("%x, %v", code, err)
			}
			// the script sees the transaction that it sent
			var block struct {
				Transactions []struct {
					From, To common.Address
					Input    hexutil.Bytes
				}
			}
			if err := c.Client().CallContext(t.Context(), &block, "eth_getBlockByNumber", "latest", true); err != nil {
				t.Fatal(err)
			}
			if shown := block.Transactions; len(shown) != 1 || shown[0].From != from || shown[0].To != deployer || !bytes.Equal(shown[0].Input, data) {
				t.Errorf("%+v", block)
			}
			for a, want := range map[common.Address]uint64{from: 1, at: 1} {
				if n, err := c.NonceAt(t.Context(), a, nil); err != nil || n != want {
					t.Errorf("nonce of %s: %d, %v", a, n, err)
				}
			}
			given := r.Given()
			if len(given) != 1 || given[0].Create != test.creates || test.creates && (given[0].Address != at || !bytes.Equal(given[0].Data, creation)) {
				t.Errorf("%+v", given)
			}
		})
	}
}

// TestOutOfOrder: transactions are run in the order of their nonces, and those whose turn
// never came are said.
func TestOutOfOrder(t *testing.T) {
	from := common.HexToAddress("0xd0")
	r, c := serve(t, &evm.World{Block: evm.DefaultBlock(), Senders: []evm.Sender{{Address: from}}, Accounts: map[common.Address]*evm.Account{}}, recorder.Options{})
	send := func(nonce int, to common.Address) (hash common.Hash, err error) {
		err = c.Client().CallContext(t.Context(), &hash, "eth_sendTransaction", map[string]any{"from": from, "to": to, "nonce": hexutil.EncodeUint64(uint64(nonce))})
		return hash, err
	}
	hashes := map[int]common.Hash{}
	for _, nonce := range []int{2, 1, 0, 4} {
		hash, err := send(nonce, common.Address{byte(nonce + 1)})
		if err != nil {
			t.Fatal(err)
		}
		hashes[nonce] = hash
	}
	for nonce, hash := range hashes {
		receipt, err := c.TransactionReceipt(t.Context(), hash)
		if nonce == 4 {
			if !errors.Is(err, ethereum.NotFound) {
				t.Errorf("the one that waits: %+v, %v", receipt, err)
			}
		} else if err != nil || receipt.BlockNumber.Uint64() != evm.DefaultBlock().Number+uint64(nonce)+1 {
			t.Errorf("nonce %d: %+v, %v", nonce, receipt, err)
		}
	}
	if _, err := send(1, common.Address{9}); err == nil || !strings.Contains(err.Error(), "nonce too low: next nonce 3, tx nonce 1") {
		t.Errorf("%v", err)
	}
	given, failed := r.Given(), r.Failed()
	if len(given) != 3 || given[0].To != (common.Address{1}) || given[2].To != (common.Address{3}) || len(failed) != 1 || !strings.Contains(failed[0], "nonce 4") {
		t.Errorf("%+v, %q", given, failed)
	}
}

// below is a chain of one contract, whose word 5 is 7, which the World goes on from.
type below struct{}

var belowAt = common.HexToAddress("0xa1")

func (below) Account(a common.Address) (*evm.Account, error) {
	if a != belowAt {
		return nil, nil //nolint:nilnil // as evm.Origin says
	}
	return &evm.Account{Nonce: 9, Code: runtime, Remote: true}, nil
}

func (below) Word(_ common.Address, key common.Hash) (common.Hash, error) {
	if key == common.BigToHash(big.NewInt(5)) {
		return common.BigToHash(big.NewInt(7)), nil
	}
	return common.Hash{}, nil
}

func (below) Known() map[common.Address]*evm.Account { return nil }

// TestForked: a script sees the chain beneath, and what it has changed of it.
func TestForked(t *testing.T) {
	from := common.HexToAddress("0xd0")
	_, c := serve(t, &evm.World{Block: evm.DefaultBlock(), Origin: below{}, Senders: []evm.Sender{{Address: from}}, Accounts: map[common.Address]*evm.Account{}}, recorder.Options{})
	for sent := range 2 { // the contract counts in word 0
		for word, want := range map[int64]byte{0: byte(sent), 5: 7, 6: 0} {
			if value, err := c.StorageAt(t.Context(), belowAt, common.BigToHash(big.NewInt(word)), nil); err != nil || value[31] != want {
				t.Errorf("after %d transactions, word %d: %x, %v", sent, word, value, err)
			}
		}
		if n, err := c.NonceAt(t.Context(), belowAt, nil); err != nil || n != 9 {
			t.Errorf("nonce %d, %v", n, err)
		}
		var hash common.Hash
		if err := c.Client().CallContext(t.Context(), &hash, "eth_sendTransaction", map[string]any{"from": from, "to": belowAt}); err != nil {
			t.Fatal(err)
		}
	}
}
