package main

import (
	"bytes"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/fakechain"
	"github.com/sightline-evm/sightline/report"
)

const liveSource = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Gauge {
    uint256 total;
    mapping(uint256 => uint256) limit;
    uint256 immutable step;
    uint256 hits;

    constructor(uint256 step_) { step = step_; }

    function add(uint256 n) external {
        require(limit[7] == 41, "no limit");
        if (total == 1000 && n == step) {
            hits += 1;
        }
    }
}
`

const liveConfig = `deploy:
  - contract: Gauge
    address: "0x00000000000000000000000000000000000000a1"
    arguments: [77]
  - contract: Gauge
    name: old
    address: "0x00000000000000000000000000000000000000a1"
`

// TestLiveChain puts changed code in the place of a contract on a chain, whose storage
// leads to the changed line, and replays that without the chain.
func TestLiveChain(t *testing.T) {
	at := common.HexToAddress("0xa1")
	limit := crypto.Keccak256Hash(common.BigToHash(big.NewInt(7)).Bytes(), common.BigToHash(big.NewInt(1)).Bytes()) // of limit[7]
	n := &fakechain.Node{Status: http.StatusForbidden, Accounts: map[common.Address]*evm.Account{
		at: {Nonce: 1, Code: []byte{0xfe}, Storage: map[common.Hash]common.Hash{
			{}:    common.HexToHash("0x3e8"),
			limit: common.HexToHash("0x29"),
		}},
	}}
	address := n.Serve(t)
	root, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	for name, text := range map[string]string{"src/Gauge.sol": liveSource, "sightline.yml": liveConfig} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // the chain must be asked
	t.Setenv("SIGHTLINE_NODE_MODULES", nodeModules(t))
	run := func(want int, args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		p := newProgram(strings.NewReader(""), &stdout, &stderr)
		if got := p.main(args); got != want {
			t.Fatalf("exit code %d, want %d\n%s%s", got, want, &stdout, &stderr)
		}
		if text := stdout.String() + stderr.String(); strings.Contains(text, "SECRET") {
			t.Errorf("the endpoint's secret is shown:\n%s", text)
		}
		return stdout.String() + stderr.String()
	}
	fuzz := []string{"run", "--root", root, "--target", "src/Gauge.sol:15", "--test-limit", "2000", "--workers", "1", "--out", out, "--block", "1234", "--rpc"}
	for range 2 { // the second time from what was kept
		text := run(report.ExitPass, append(fuzz, address)...)
		if !strings.Contains(text, "block 1234 of chain 7, read from 127.0.0.1") || !strings.Contains(text, "1 of 1 target reached") {
			t.Errorf("%s", text)
		}
		n.Refuse.Store(1 << 30)
	}
	files, err := filepath.Glob(filepath.Join(out, "reproducers", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if text := run(report.ExitPass, "replay", files[0]); !strings.Contains(text, "\nconfirmed on go-ethereum") {
		t.Errorf("%s", text)
	}
	if text := run(report.ExitError, append(fuzz, address+"2")...); !strings.Contains(text, "--rpc: 127.0.0.1 answers 403 Forbidden") {
		t.Errorf("%s", text)
	}
	if text := run(report.ExitBadInput, append(fuzz, "wss://x")...); !strings.Contains(text, "want http") {
		t.Errorf("%s", text)
	}
}
