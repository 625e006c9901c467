package main

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// own are the examples' contracts.
//
//go:embed contracts
var own embed.FS

// compilers are the versions of solc that the examples are compiled with: the last
// ones that let an array's length be set, and that of bench/guards.
var compilers = []string{"0.4.26", "0.5.17", "0.8.17"}

// example is a contract and what there is to find in it.
type example struct {
	name     string
	contract string
	compiler string
	folder   string
	limit    uint64 // executions; the project's own aim, below what the paper took
	paper    string // executions that the paper reports
	goal     func() func(*evm.Execution) bool
}

// modern is where the contracts are that any compiler since 0.8 takes.
const modern = "contracts/modern"

var examples = []example{
	{"five-paths", "Tariff", "0.8.17", modern, 1_000, "15,545", returned(5)},
	{"three-calls", "Relay", "0.8.17", modern, 3_000, "48,117", seen(oracle.Assertion)},
	{"42-repetitions", "Counter", "0.8.17", modern, 3_000, "", seen(oracle.Assertion)},
	{"set-and-copy", "Ladder", "0.8.17", modern, 3_000, "", seen(oracle.Assertion)},
	{"wallet-0.5", "Vouchers", "0.5.17", "contracts/wallet", 5_000, "43,950", seen(oracle.ArbitraryWrite)},
	{"wallet-0.4", "Vouchers", "0.4.26", "contracts/wallet", 5_000, "43,950", seen(oracle.ArbitraryWrite)},
	{"crowdsale", "Fundraiser", "0.8.17", modern, 5_000, "", emitted(1)},
	{"nested-guards", "Raffle", "0.8.17", modern, 5_000, "", emitted(2)},
}

// returned: calls that succeed have returned so many different words.
func returned(n int) func() func(*evm.Execution) bool {
	return func() func(*evm.Execution) bool {
		words := map[uint256.Int]bool{}
		return func(exec *evm.Execution) bool {
			for i := range exec.Calls {
				if c := &exec.Calls[i]; c.Outcome == evm.Success && len(c.Output) == 32 {
					words[*new(uint256.Int).SetBytes32(c.Output)] = true
				}
			}
			return len(words) >= n
		}
	}
}

// emitted: calls that succeed have emitted so many different events.
func emitted(n int) func() func(*evm.Execution) bool {
	return func() func(*evm.Execution) bool {
		topics := map[common.Hash]bool{}
		return func(exec *evm.Execution) bool {
			for i := range exec.Frames {
				f := &exec.Frames[i]
				for _, log := range f.Logs {
					if len(log.Topics) > 0 && exec.Calls[f.Call].Outcome == evm.Success {
						topics[log.Topics[0]] = true
					}
				}
			}
			return len(topics) >= n
		}
	}
}

// seen: the oracle sees something.
func seen(o *oracle.Oracle) func() func(*evm.Execution) bool {
	return func() func(*evm.Execution) bool {
		return func(exec *evm.Execution) (any bool) {
			o.Check(exec, func(oracle.Observation) { any = true })
			return any
		}
	}
}

// subject is an example, deployed.
type subject struct {
	example
	*timetotarget.Subject
	blocks []bytecode.Target // of the contract, as far as anything can enter them
}

// patience: a campaign goes on to so many times the limit, so that a miss tells how
// far off it is. Arbitrary.
const patience = 4

// goal is one campaign's.
func (s *subject) goal() *timetotarget.Goal {
	return &timetotarget.Goal{Subject: s.Subject, Limit: patience * s.limit, Reached: s.example.goal()}
}

// config is a campaign's, with every block of the contract as a target if it is aimed.
func (s *subject) config(aimed bool, schedule *fuzzer.Schedule, without fuzzer.Techniques, seed uint64, now func() time.Time) fuzzer.Config {
	config := s.Config(schedule, without, seed, now)
	config.Oracles = oracle.All()
	if aimed {
		config.Targets = s.blocks
	}
	return config
}

// compileFunc compiles a folder of contracts with a version of solc.
type compileFunc func(ctx context.Context, version, folder string) ([]*compile.Output, error)

// open compiles the examples and deploys each alone.
func open(ctx context.Context, examples []example, wanted func(name string) bool, builder compileFunc) ([]*subject, error) {
	outputs := map[string][]*compile.Output{} // by compiler and folder
	var subjects []*subject
	for _, e := range examples {
		if !wanted(e.name) {
			continue
		}
		key := e.compiler + " " + e.folder
		if outputs[key] == nil {
			var err error
			if outputs[key], err = builder(ctx, e.compiler, e.folder); err != nil {
				return nil, err
			}
		}
		deployed, err := timetotarget.Deploy(ctx, e.name, outputs[key], []string{e.contract})
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, &subject{e, deployed, blocks(deployed)})
	}
	if len(subjects) == 0 {
		return nil, fmt.Errorf("-only %s: no example has such a name", options.only)
	}
	return subjects, nil
}

// blocks makes a target of each block of the deployed contract's code that is not
// proved unreachable.
func blocks(s *timetotarget.Subject) []bytecode.Target {
	contract := s.World.Instances[0].Contract
	program := s.Table.Program(contract.Runtime.ID)
	facts := lookahead.NewFacts(program, 0) // data after the code is not a block, either
	var targets []bytecode.Target
	for b, block := range slices.All(program.Blocks) {
		if !facts.Unreachable(bytecode.BlockID(b)) {
			entry := bytecode.Location{Code: program.ID, PC: block.Start}
			targets = append(targets, bytecode.Target{Contract: contract.QualifiedName(), Entries: []bytecode.Location{entry}})
		}
	}
	return targets
}
