package world

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// libraryDeployer deploys libraries in `forge test`, with CREATE and from nonce 0 on
// (LIBRARY_DEPLOYER in Foundry's crate evm/core, constants.rs).
var libraryDeployer = common.HexToAddress("0x1F95D37F27EA0dEA9C252FC09D5A6eaA97647353")

// forkCheats are the cheatcodes with which a test contract leaves forge's empty chain.
var forkCheats = [][]byte{
	selector("createFork(string)"), selector("createFork(string,uint256)"),
	selector("createSelectFork(string)"), selector("createSelectFork(string,uint256)"),
}

// bare makes what the fuzz tests of a set-up run on, by running it again on forge's chain
// and nothing else. Where that fails, which is noted in the report, there is none.
func (fo *foundry) bare(ctx context.Context, up *TestSetup, options Options) (*evm.Bare, error) {
	s := fo.setups
	if hasMethod(up.Contract.ABI, "beforeTestSetup(bytes4)") {
		fo.report.Notes = append(fo.report.Notes, fmt.Sprintf("the fuzz tests of %s are not run: its beforeTestSetup has forge make calls before each of them", up.Contract.QualifiedName()))
		return nil, nil
	}
	w := foundryWorld(options.Fork, &s.chain, s.recorded)
	for _, sender := range w.Senders {
		delete(w.Accounts, sender.Address)
	}
	w.Senders = nil
	w.Accounts[libraryDeployer] = &evm.Account{Balance: s.chain.Balance}
	if w.Accounts[SetupCaller] == nil {
		w.Accounts[SetupCaller] = &evm.Account{Balance: s.chain.Balance}
	}
	plan := options.Plan
	if plan != nil && plan.Origin != nil && plan.Block != nil && forks(up.Contract) {
		w.Block, w.Origin = *plan.Block, plan.Origin
	}
	options.Plan = nil
	options.Machine = append(slices.Clip(options.Machine), evm.LiftCodeSizeLimits)
	alone, err := startRunner(w, fo.table, options)
	if err != nil {
		return nil, err
	}
	alone.from = libraryDeployer
	again := &TestSetup{Contract: up.Contract}
	if _, err := alone.runSetUp(ctx, again, &s.chain); err != nil {
		return nil, err
	}
	if again.Failure != "" {
		fo.report.Notes = append(fo.report.Notes, fmt.Sprintf("the fuzz tests of %s are not run: on a chain with nothing else, %s", up.Contract.QualifiedName(), again.Failure))
		return nil, nil
	}
	w = alone.machine.Export()
	w.Senders, w.Instances = nil, nil
	if again.Function != "" {
		uncount(w, SetupCaller)
	}
	uncount(w, s.chain.Sender) // the test's call will count
	return &evm.Bare{World: w, Address: again.Address}, nil
}

// forks reports whether the code of a test contract has the selector of a cheatcode that
// makes a fork.
func forks(c *bytecode.Contract) bool {
	return slices.ContainsFunc(forkCheats, func(selector []byte) bool {
		return bytes.Contains(c.Creation.Bytes, selector)
	})
}

// uncount takes a call off an account's nonce: forge's calls of setUp() and of tests do not
// count.
func uncount(w *evm.World, caller common.Address) {
	if a := w.Accounts[caller]; a != nil && a.Nonce > 0 {
		account := *a
		account.Nonce--
		w.Accounts[caller] = &account
	}
}
