package chain_test

import (
	"context"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/fuzzer/world/chain"
	"github.com/sightline-evm/sightline/internal/testing/fakechain"
)

const block = fakechain.Block

var (
	counter = common.HexToAddress("0xc0de")
	rich    = common.HexToAddress("0x41c4")
	user    = common.HexToAddress("0x05e4")
)

// counterCode is sstore(100, sload(100) + sload(1) + selfbalance): word 100 is none of
// those that are asked for at once. It returns the old word.
var counterCode = common.FromHex("606454" + "80" + "600154" + "01" + "47" + "01" + "606455" + "60005260206000f3")

func newNode() *fakechain.Node {
	return &fakechain.Node{Status: http.StatusTooManyRequests, Accounts: map[common.Address]*evm.Account{
		counter: {Nonce: 1, Balance: *uint256.NewInt(3), Code: counterCode, Storage: map[common.Hash]common.Hash{
			common.BigToHash(big.NewInt(1)):   common.BigToHash(big.NewInt(10)),
			common.BigToHash(big.NewInt(100)): common.BigToHash(big.NewInt(1000)),
		}},
		rich: {Balance: *uint256.NewInt(77), Nonce: 5},
	}}
}

func open(t *testing.T, options chain.Options) *chain.Chain {
	t.Helper()
	c, err := chain.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// forked is a World that goes on from a chain, with a sender of its own.
func forked(c *chain.Chain) *evm.World {
	return &evm.World{Block: c.Block(), Origin: c, Accounts: map[common.Address]*evm.Account{user: {Balance: *uint256.NewInt(50)}}}
}

// outputs are the results of calls, each with the word that it returned.
func outputs(t *testing.T, m evm.Machine, calls int) []uint64 {
	t.Helper()
	var sequence evm.Sequence
	for range calls {
		sequence = append(sequence, evm.Call{From: user, To: counter, Value: *uint256.NewInt(1)})
	}
	exec, err := m.Run(sequence)
	if err != nil {
		t.Fatal(err)
	}
	var out []uint64
	for i := range exec.Calls {
		if exec.Calls[i].Outcome != evm.Success {
			t.Fatalf("call %d: %s", i, exec.Calls[i].Reason())
		}
		out = append(out, new(uint256.Int).SetBytes(exec.Calls[i].Output).Uint64())
	}
	return out
}

// machines are both machines on a World.
func machines(t *testing.T, w *evm.World) map[string]evm.Machine {
	t.Helper()
	reference, err := gethvm.New(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	interpreter, err := interp.New(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]evm.Machine{"reference": reference, "interpreter": interpreter}
}

// TestFork runs on a chain's state, then on what was asked of it, then from the cache.
func TestFork(t *testing.T) {
	n := newNode()
	address := n.Serve(t)
	number := uint64(block)
	options := chain.Options{URL: address, Block: &number, Cache: t.TempDir()}
	c := open(t, options)
	if c.ID() != 7 || c.Block().Number != block || c.Block().Time != 99 || c.Block().BaseFee != 5 || c.Block().PrevRandao != (common.Hash{9}) || c.Host() != "127.0.0.1" {
		t.Errorf("%+v", c.Block())
	}
	w := forked(c)
	// word 100 is 1000; each call adds word 1, and the balance with its own wei
	want := []uint64{1000, 1014, 1029}
	for name, m := range machines(t, w) {
		if diff := cmp.Diff(want, outputs(t, m, 3)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	asked := n.Asked.Load()
	if asked > 3+16+1+3+3 { // the contract with its first words, word 100, the sender, the miner
		t.Errorf("the node was asked for %d things", asked)
	}

	// what was exported goes on from there, a zero included
	reference, err := gethvm.New(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	outputs(t, reference, 1)
	for name, m := range machines(t, reference.Export()) {
		if diff := cmp.Diff(want[1:], outputs(t, m, 2)); diff != "" {
			t.Errorf("exported, %s: %s", name, diff)
		}
	}

	closed := w.Closed()
	if closed.Origin != nil || closed.Accounts[counter].Remote {
		t.Error("not closed")
	}
	for name, m := range machines(t, closed) {
		if diff := cmp.Diff(want, outputs(t, m, 3)); diff != "" {
			t.Errorf("closed, %s: %s", name, diff)
		}
	}

	// from disk: another node would answer otherwise, but it is not asked
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	n.Refuse.Store(1 << 30)
	again := open(t, options)
	for name, m := range machines(t, forked(again)) {
		if diff := cmp.Diff(want, outputs(t, m, 3)); diff != "" {
			t.Errorf("from disk, %s: %s", name, diff)
		}
	}
	if again.Asked() != 0 || n.Asked.Load() != asked {
		t.Error("the node was asked again")
	}
	if diff := cmp.Diff(c.Known(), again.Known()); diff != "" {
		t.Error(diff)
	}
}

// TestAccounts reads a plain account and one that is not there.
func TestAccounts(t *testing.T) {
	c := open(t, chain.Options{URL: newNode().Serve(t)})
	a, err := c.Account(rich)
	if err != nil || a.Balance.Uint64() != 77 || a.Nonce != 5 {
		t.Errorf("%v, %v", a, err)
	}
	if a, err = c.Account(common.HexToAddress("0x99")); a != nil || err != nil {
		t.Errorf("%v, %v", a, err)
	}
	if v, err := c.Word(rich, common.Hash{}); v != (common.Hash{}) || err != nil {
		t.Errorf("%v, %v", v, err)
	}
}

// TestRefused: an endpoint that had enough for a moment is asked again, and its address
// is in no message.
func TestRefused(t *testing.T) {
	n := newNode()
	address := n.Serve(t)
	n.Refuse.Store(1)
	c := open(t, chain.Options{URL: address})
	n.Status = http.StatusForbidden
	n.Refuse.Store(1 << 30)
	w := forked(c)
	for name, m := range machines(t, w) {
		_, err := m.Run(evm.Sequence{{From: user, To: counter}})
		if err == nil || strings.Contains(err.Error(), "SECRET") || !strings.Contains(err.Error(), "127.0.0.1 answers 403 Forbidden") || strings.Contains(err.Error(), "goroutine") {
			t.Errorf("%s: %v", name, err)
		}
	}
	n.Refuse.Store(0)
	for name, m := range machines(t, w) { // the machine can be used again
		if got := outputs(t, m, 1); got[0] != 1000 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestErrors: what cannot be read is said without the secret part of the address.
func TestErrors(t *testing.T) {
	n := newNode()
	address := n.Serve(t)
	other := uint64(block + 1)
	spoilt := t.TempDir()
	number := uint64(block)
	c := open(t, chain.Options{URL: address, Block: &number, Cache: spoilt})
	if _, err := c.Account(rich); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(spoilt, "*"))
	if err != nil || len(files) != 1 || strings.Contains(files[0], "SECRET") {
		t.Fatalf("%v, %v", files, err)
	}
	if err := os.WriteFile(files[0], []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name    string
		ctx     context.Context
		options chain.Options
		want    string
	}{
		{"no address", t.Context(), chain.Options{URL: "SECRET"}, "is not a URL"},
		{"no web address", t.Context(), chain.Options{URL: "file:///etc/SECRET"}, "is not a URL"},
		{"unreachable", t.Context(), chain.Options{URL: gone.URL + "/SECRET", Pause: time.Millisecond}, "127.0.0.1 could not be reached: "},
		{"canceled", canceled, chain.Options{URL: gone.URL + "/SECRET"}, "127.0.0.1: context canceled"},
		{"another block", t.Context(), chain.Options{URL: address, Block: &other}, "another block"},
		{"spoilt cache", t.Context(), chain.Options{URL: address, Block: &number, Cache: spoilt}, "remove it"},
	} {
		_, err := chain.Open(test.ctx, test.options)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
