package main

import (
	"bytes"
	"errors"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/testing/fakechain"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
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
	testsolc.UseStandIn(t)
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
		text := run(exit.Pass, append(fuzz, address)...)
		if !strings.Contains(text, "block 1234 of chain 7, read from 127.0.0.1") || !strings.Contains(text, "1 of 1 target reached") {
			t.Errorf("%s", text)
		}
		n.Refuse.Store(1 << 30)
	}
	files, err := filepath.Glob(filepath.Join(out, "reproducers", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if text := run(exit.Pass, "replay", files[0]); !strings.Contains(text, "\nconfirmed on go-ethereum") {
		t.Errorf("%s", text)
	}
	shardsOfLiveChain(t, n, run, append([]string{"plan"}, fuzz[1:len(fuzz)-3]...), address)
	if text := run(exit.Failure, append(fuzz, address+"2")...); !strings.Contains(text, "--rpc: 127.0.0.1 answers 403 Forbidden") {
		t.Errorf("%s", text)
	}
	if text := run(exit.Input, append(fuzz, "wss://x")...); !strings.Contains(text, "want http") {
		t.Errorf("%s", text)
	}
}

// shardsOfLiveChain fuzzes by a plan, which has what was read of the chain: without the chain, and with it.
func shardsOfLiveChain(t *testing.T, n *fakechain.Node, run func(int, ...string) string, plan []string, address string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	file, out := filepath.Join(t.TempDir(), "plan.tar"), t.TempDir()
	n.Refuse.Store(0)
	if text := run(exit.Pass, append(plan, "--block", "1234", "--rpc", address, "--plan", file)...); !strings.Contains(text, "--out DIR --rpc URL`") {
		t.Errorf("%s", text)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // of another machine
	shard := func(want int, name string, args ...string) string {
		return run(want, append([]string{"run", "--plan", file, "--out", filepath.Join(out, name)}, args...)...)
	}
	text := shard(exit.Pass, "without")
	if !strings.Contains(text, "what the plan does not have of it counts as empty") || !strings.Contains(text, "1 of 1 target reached") {
		t.Errorf("%s", text)
	}
	if text := shard(exit.Pass, "with", "--rpc", address); !strings.Contains(text, "block 1234 of chain 7, read from 127.0.0.1") || !strings.Contains(text, "1 of 1 target reached") {
		t.Errorf("%s", text)
	}
	other := &fakechain.Node{Other: true, Accounts: n.Accounts}
	if text := shard(exit.Input, "other", "--rpc", other.Serve(t)); !strings.Contains(text, "but the plan's World goes on from 0x") {
		t.Errorf("%s", text)
	}
	n.Refuse.Store(1 << 30)
}

const feedSource = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface Feed { function value() external view returns (uint256); }

contract Reader {
    Feed public immutable feed;
    uint256 hits;

    constructor(Feed feed_) { feed = feed_; }

    function add(uint256 n) external {
        if (n == feed.value() + 5) {
            hits += 1;
        }
    }
}
`

const feedTest = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import {Feed, Reader} from "./Reader.sol";

interface Vm {
    function createSelectFork(string calldata, uint256) external returns (uint256);
    function createSelectFork(string calldata) external returns (uint256);
}

contract ReaderTest {
    bool public IS_TEST = true;
    Reader reader;

    function setUp() external {
        Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D).createSelectFork(FORK);
        require(block.number == BLOCK && block.chainid == 7, "not forked");
        Feed feed = Feed(0x00000000000000000000000000000000000000A1);
        require(feed.value() == 77, "no feed");
        reader = new Reader(feed);
    }

    function testReads() external { reader.add(1); }
}
`

// TestForkedSetUp sets up a World by a test that forks a chain: the one of --rpc, at the
// block of --block or else of the test, and never the one that the test has the address of.
func TestForkedSetUp(t *testing.T) {
	at := common.HexToAddress("0xa1")
	accounts := map[common.Address]*evm.Account{
		at: {Nonce: 1, Code: common.FromHex("60005460005260206000f3"), Storage: map[common.Hash]common.Hash{{}: common.BigToHash(big.NewInt(77))}},
	}
	t.Setenv("SIGHTLINE_NODE_MODULES", nodeModules(t))
	testsolc.UseStandIn(t)
	address := func(secret string) string { return `"https://node.example/` + secret + `"` }
	for _, test := range []struct {
		name, fork, block string
		head              uint64
		flags             []string
		set               bool
		want              string
	}{
		{"the latest block", address("OTHER"), "2000", 2000, nil, true, "chain   block 2000 of chain 7"},
		{"the test's block", address("OTHER") + ", 1234", "1234", 2000, nil, true, "chain   block 1234 of chain 7"},
		{"both name it", address("OTHER") + ", 1234", "1234", 2000, []string{"--block", "1234"}, true, "chain   block 1234 of chain 7"},
		{"they name others", address("OTHER") + ", 1234", "1234", 2000, []string{"--block", "1500"}, false, "the test forks block 1234, but --block says 1500"},
		{"no alias", `"nowhere"`, "2000", 2000, nil, false, "nowhere is neither a URL nor an alias"},
		{"a variable", `"${MAINNET_RPC_URL}"`, "2000", 2000, nil, true, "chain   block 2000 of chain 7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := &fakechain.Node{Status: http.StatusForbidden, Accounts: accounts, Head: test.head}
			root, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			source := strings.NewReplacer("FORK", test.fork, "BLOCK", test.block).Replace(feedTest)
			for name, text := range map[string]string{"src/Reader.sol": feedSource, "src/Checks.sol": source} {
				if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755), os.WriteFile(filepath.Join(root, name), []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			args := append([]string{"run", "--root", root, "--target", "src/Reader.sol:14", "--test-limit", "2000", "--workers", "1", "--out", out, "--rpc", n.Serve(t)}, test.flags...)
			text := runText(t, exit.Pass, args...)
			if !strings.Contains(text, test.want) || strings.Contains(text, "set up by ReaderTest.setUp()") != test.set {
				t.Errorf("%s", text)
			}
			for _, secret := range []string{"SECRET", "OTHER"} {
				if strings.Contains(text, secret) {
					t.Errorf("%s is shown:\n%s", secret, text)
				}
			}
			if !test.set {
				return
			}
			n.Refuse.Store(1 << 30)
			files, err := filepath.Glob(filepath.Join(out, "reproducers", "*.json"))
			if err != nil || len(files) != 1 {
				t.Fatalf("%v, %v\n%s", files, err, text)
			}
			if text := runText(t, exit.Pass, "replay", files[0]); !strings.Contains(text, "\nconfirmed on go-ethereum") {
				t.Errorf("%s", text)
			}
		})
	}
}

// runText runs the program, and returns everything it prints.
func runText(t *testing.T, want int, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := newProgram(strings.NewReader(""), &stdout, &stderr)
	if got := p.main(args); got != want {
		t.Fatalf("exit code %d, want %d\n%s%s", got, want, &stdout, &stderr)
	}
	return stdout.String() + stderr.String()
}
