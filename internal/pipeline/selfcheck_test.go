package pipeline

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
	"github.com/sightline-evm/sightline/report"
)

const till = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

contract Till {
    mapping(address => uint256) public balances;
    address public keeper = msg.sender;
    uint256 public fee;
    event Paid(address to, uint256 amount);

    modifier onlyKeeper() {
        require(msg.sender == keeper, "keeper only");
        _;
    }

    function deposit() external payable {
        balances[msg.sender] += msg.value;
    }

    function withdraw(uint256 amount) external {
        require(balances[msg.sender] >= amount, "too much");
        balances[msg.sender] -= amount;
        payable(msg.sender).transfer(amount);
        emit Paid(msg.sender, amount);
    }

    function setFee(uint256 to) external onlyKeeper {
        fee = to * 1;
    }
}
`

// selfCheckTill plants mistakes in all of the contract, which is new.
func selfCheckTill(t *testing.T, mutants int) *report.Report {
	t.Helper()
	root := t.TempDir()
	useCompilers(t)
	if err := os.Mkdir(filepath.Join(root, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(till, "\n"), "\n")
	diff := fmt.Sprintf("--- /dev/null\n+++ b/src/Till.sol\n@@ -0,0 +1,%d @@\n+%s\n", len(lines), strings.Join(lines, "\n+"))
	for name, text := range map[string]string{"src/Till.sol": till, "pr.diff": diff} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, build := testbuild.Write(t, root, "head", "0.8.30", map[string]string{"src/Till.sol": till}, nil)
	r, err := Run(t.Context(), &Options{
		Change:    change.Options{Root: root, Diff: filepath.Join(root, "pr.diff"), Builds: []string{build}, Vouched: true},
		Campaign:  Campaign{Calls: 3_000, Workers: 1, Schedule: fuzzer.Lookahead.Name},
		Gate:      Gate{FailOn: "high"},
		SelfCheck: SelfCheck{Mutants: mutants, Calls: 3_000, Tests: true},
		Now:       time.Now, Log: progress.NewLog(io.Discard, time.Now),
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSelfCheck: mistakes in a contract are caught where an oracle compares with the code as it is, and what is equivalent does
// not count.
func TestSelfCheck(t *testing.T) {
	s := selfCheckTill(t, 64).SelfCheck
	var b strings.Builder
	for i := range s.Mutants {
		m := &s.Mutants[i]
		if m.Result != report.Invalid {
			fmt.Fprintf(&b, "%d %s: %s by %s\n%s", m.Line, m.Description, m.Result, strings.Join(m.Oracles, ", "), m.Patch)
		}
	}
	fmt.Fprintln(&b, s.Headline())
	golden.Check(t, "testdata/selfcheck.golden", b.String())
}
