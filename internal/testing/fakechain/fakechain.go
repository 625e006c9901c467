// Package fakechain is a node of a chain, for tests: its state is a handful of accounts.
package fakechain

import (
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Block is the number of the only block, where a node does not say otherwise.
const Block = 1234

// Node answers as a node does, from accounts.
type Node struct {
	Accounts map[common.Address]*evm.Account
	Head     uint64       // the latest block, with all before it; 0: there is only Block
	Asked    atomic.Int64 // accounts' parts and words that were asked for
	Other    bool         // its blocks have other hashes
	Refuse   atomic.Int64 // so many requests are refused first
	Status   int          // with this
}

// Serve starts the node. Its address holds SECRET, which nothing may show.
func (n *Node) Serve(t testing.TB) string {
	t.Helper()
	server := rpc.NewServer()
	if err := server.RegisterName("eth", &methods{n}); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Refuse.Add(-1) >= 0 {
			http.Error(w, "the key SECRET is used too much", n.Status)
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	return h.URL + "/v2/SECRET"
}

// methods are the node's answers, by the names that JSON-RPC has for them.
type methods struct{ node *Node }

func (m *methods) ChainId() hexutil.Uint64 { return 7 } //nolint:staticcheck // as eth_chainId

func (m *methods) BlockNumber() hexutil.Uint64 { return hexutil.Uint64(max(m.node.Head, Block)) }

func (m *methods) GasPrice() hexutil.Uint64 { return 5 }

func (m *methods) GetBlockByNumber(n rpc.BlockNumber, _ bool) map[string]any {
	number := uint64(m.BlockNumber())
	if m.node.Head > 0 && n >= 0 {
		number = min(number, uint64(n))
	}
	header := types.Header{Number: new(big.Int).SetUint64(number), Time: 99, BaseFee: big.NewInt(5), GasLimit: 1e6, Difficulty: new(big.Int), MixDigest: common.Hash{9}}
	if m.node.Other {
		header.MixDigest = common.Hash{8}
	}
	text, err := json.Marshal(&header)
	if err != nil {
		panic(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		panic(err)
	}
	fields["transactions"], fields["uncles"], fields["size"] = []string{}, []string{}, "0x0"
	return fields
}

func (m *methods) account(a common.Address) *evm.Account {
	m.node.Asked.Add(1)
	if m.node.Accounts[a] == nil {
		return new(evm.Account)
	}
	return m.node.Accounts[a]
}

func (m *methods) GetBalance(a common.Address, _ rpc.BlockNumber) hexutil.U256 {
	return hexutil.U256(m.account(a).Balance)
}

func (m *methods) GetTransactionCount(a common.Address, _ rpc.BlockNumber) hexutil.Uint64 {
	return hexutil.Uint64(m.account(a).Nonce)
}

func (m *methods) GetCode(a common.Address, _ rpc.BlockNumber) hexutil.Bytes {
	return m.account(a).Code
}

// GetStorageAt takes keys with and without leading zeros, as nodes do.
func (m *methods) GetStorageAt(a common.Address, key string, _ rpc.BlockNumber) hexutil.Bytes {
	value := m.account(a).Storage[common.HexToHash(key)]
	return value[:]
}
