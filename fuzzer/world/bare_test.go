package world_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testforge"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// TestBare: a fuzz test sees in its bare World what it sees in forge, whatever else is in the
// World, on both machines.
func TestBare(t *testing.T) {
	for name, sender := range map[string]string{"default": "", "sender": "0x00000000000000000000000000000000000C0DE5"} {
		t.Run(name, func(t *testing.T) { compareWithForge(t, sender) })
	}
}

// compareWithForge compares what the fuzz tests of testdata/exact report, with foundry.toml's
// sender if that is not empty.
func compareWithForge(t *testing.T, sender string) {
	source, err := os.ReadFile("testdata/exact/Exact.t.sol")
	if err != nil {
		t.Fatal(err)
	}
	tables := "[fuzz]\nruns = 1\n"
	chain := world.DefaultChain()
	if sender != "" {
		tables = fmt.Sprintf("sender = %q\n", sender) + tables
		chain.Sender = common.HexToAddress(sender)
	}
	forge := testforge.TestOn(t, map[string][]byte{"Exact.t.sol": source}, tables)

	table := bytecode.NewTable(testsolc.Compile(t, string(source), testsolc.Settings{}))
	vault := testsolc.Contract(t, table.Contracts(), "Vault")
	w, report, err := world.Make(context.Background(), table, world.Options{Targets: []string{"Vault"}, Setup: &world.SetupOptions{
		Contracts: []string{"ReportTest", "AnotherTest"}, Chain: &chain,
		Lines: map[string][]bytecode.Position{vault.QualifiedName(): {{File: "Vault", Line: 1}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	ours, err := evm.NewApart(w, func(w *evm.World, options ...evm.Option) (evm.Exporter, error) {
		return interp.New(w, table, options...)
	})
	if err != nil {
		t.Fatal(err)
	}
	reference, err := gethvm.NewApart(w, table)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, in := range w.Instances {
		for _, signature := range in.Tests {
			ran++
			call := evm.Call{From: w.Cheats.Tester, To: in.Address, Data: slices.Concat(crypto.Keccak256([]byte(signature))[:4], make([]byte, 32))}
			want := forge["test/Exact.t.sol:"+in.Contract.Name][signature]
			for name, machine := range map[string]evm.Machine{"interp": ours, "gethvm": reference} {
				exec, err := machine.Run(evm.Sequence{call})
				if err != nil {
					t.Fatal(err)
				}
				if got := exec.Calls[0]; (got.Outcome == evm.Success) != (want.Status == "Success") {
					t.Errorf("%s %s.%s: %s %s, forge says %s %s", name, in.Name, signature, got.Outcome, got.Reason(), want.Status, want.Reason)
				}
				logs := reported(t, exec)
				if len(logs) != len(want.Logs) {
					t.Fatalf("%s %s.%s: %d reports, forge has %d", name, in.Name, signature, len(logs), len(want.Logs))
				}
				for i, log := range logs {
					if log != want.Logs[i] {
						t.Errorf("%s %s.%s: report %d differs in %s", name, in.Name, signature, i, differingWords(log, want.Logs[i]))
					}
				}
			}
		}
	}
	if ran != 13 {
		t.Errorf("%d fuzz tests were run: %v", ran, report.Notes)
	}
}

// reported are the bytes that a test logged, as text.
func reported(t *testing.T, exec *evm.Execution) []string {
	t.Helper()
	var logs []string
	for i := range exec.Frames {
		for _, log := range exec.Frames[i].Logs {
			if log.Topics[0] == crypto.Keccak256Hash([]byte("log_bytes(bytes)")) {
				n := int(common.BytesToHash(log.Data[32:64]).Big().Uint64())
				logs = append(logs, hexutil.Encode(log.Data[64:64+n]))
			}
		}
	}
	return logs
}

// differingWords shows the words in which two encodings differ.
func differingWords(got, want string) string {
	var b strings.Builder
	got, want = strings.TrimPrefix(got, "0x"), strings.TrimPrefix(want, "0x")
	for at := 0; at < max(len(got), len(want)); at += 64 {
		g, w := got[min(at, len(got)):min(at+64, len(got))], want[min(at, len(want)):min(at+64, len(want))]
		if g != w {
			fmt.Fprintf(&b, "\nword %d: %s, forge has %s", at/64, g, w)
		}
	}
	return b.String()
}
