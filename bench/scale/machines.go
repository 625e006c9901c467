package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/sightline-evm/sightline/bench/internal/corpus"
	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/bench/internal/timetotarget"
)

// compiler is the solc that generated machines are compiled with.
const compiler = "0.8.30"

// oddsFactor: a milestone's odds are between one in -odds and one in so many times as many. Arbitrary.
const oddsFactor = 4

// Bounds of what is on no way to the target. Arbitrary, and small: each worker explores that once, whoever else has,
// before it gets to the milestones.
const (
	maxNoise      = 3
	maxConditions = 1
)

// machine is a generated contract: a state machine whose milestones have to be passed in turn. Each is a
// function of its own that goes on from one state alone, when a digest of its arguments is of a kind that is
// rare: nothing brings an input nearer to it, and no solver gets through, so that it takes as long however
// long it has been tried. That is what the model assumes, and what makes a target deep.
type machine struct {
	seed       uint64
	milestones []milestone
	// noise are functions that change the state and lead to nothing: so many conditions each, of
	// which every combination is a path.
	noise []int
}

type milestone struct {
	odds, residue uint64
	shape         int  // of its arguments, an index of shapes
	chained       bool // the digest is over what passed the milestone before, too
}

// shapes are the arguments of a milestone's function, and what of them is digested.
var shapes = []struct{ parameters, digested string }{
	{"uint256 x", "x"},
	{"uint256 x, uint256 y", "x, y"},
	{"bytes32 x, address y", "x, y"},
	{"uint128 x, int64 y, bool z", "x, y, z"},
}

// newMachine generates the machine of a seed: the same one for the same arguments.
func newMachine(seed uint64, milestones int, odds uint64) *machine {
	r := rand.New(rand.NewPCG(seed, uint64(milestones)))
	m := &machine{seed: seed}
	for range r.IntN(maxNoise + 1) {
		m.noise = append(m.noise, r.IntN(maxConditions+1))
	}
	for i := range milestones {
		rare := odds + r.Uint64N((oddsFactor-1)*odds)
		m.milestones = append(m.milestones, milestone{rare, r.Uint64N(rare), r.IntN(len(shapes)), i > 0 && r.IntN(2) == 0})
	}
	return m
}

func (m *machine) name() string { return fmt.Sprintf("machine %d-%d", len(m.milestones), m.seed) }

// source is the contract's text. The last milestone emits the event that is the target.
func (m *machine) source() string {
	var b strings.Builder
	b.WriteString("// SPDX-License-Identifier: MIT\npragma solidity ^0.8.17;\n\ncontract Machine {\n")
	b.WriteString("    event Passed(uint256 indexed state);\n    event Done(uint256 state);\n\n    uint256 public state;\n    bytes32 private key;\n    mapping(address => uint256) private noted;\n")
	for i, s := range m.milestones {
		digested := fmt.Sprintf("%d, %s", r64(m.seed, i), shapes[s.shape].digested)
		if s.chained {
			digested += ", key"
		}
		fmt.Fprintf(&b, "\n    function step%d(%s) external {\n        require(state == %d);\n        bytes32 digest = keccak256(abi.encode(%s));\n", i, shapes[s.shape].parameters, i, digested)
		fmt.Fprintf(&b, "        if (uint256(digest) %% %d == %d) {\n            state = %d;\n            key = digest;\n            emit Passed(%d);\n", s.odds, s.residue, i+1, i+1)
		if i == len(m.milestones)-1 {
			fmt.Fprintf(&b, "            emit Done(%d);\n", i+1)
		}
		b.WriteString("        }\n    }\n")
	}
	for i, n := range m.noise {
		fmt.Fprintf(&b, "\n    function note%d(uint256 x, address y) external {\n        require(x %% %d != 1);\n        uint256 seen = noted[y];\n", i, n+2)
		for bit := range n {
			fmt.Fprintf(&b, "        if ((x >> %d) & 1 == 1) seen += %d;\n", 8*bit, bit+1)
		}
		fmt.Fprintf(&b, "        if (seen > %d) noted[msg.sender] = seen;\n        else noted[y] += 1;\n    }\n", 20*(n+1))
	}
	b.WriteString("}\n")
	return b.String()
}

// r64 is a number that only this milestone's digest has.
func r64(seed uint64, i int) uint64 { return rand.New(rand.NewPCG(seed, uint64(i)+1<<32)).Uint64() }

// openMachines generates the machines that are asked for.
func openMachines(ctx context.Context, run *harness.Run) ([]*goal, error) {
	var machines []*machine
	for _, k := range options.ks {
		for i := range options.machines {
			if m := newMachine(run.Seed+uint64(i), k, options.odds); wanted(m.name()) {
				machines = append(machines, m)
			}
		}
	}
	if len(machines) == 0 {
		return nil, nil
	}
	modules, err := run.Install(ctx, "scale", harness.Packages{}.Solc(compiler))
	if err != nil {
		return nil, err
	}
	var goals []*goal
	for _, m := range machines {
		g, err := m.open(ctx, run, modules)
		if err != nil {
			return nil, err
		}
		goals = append(goals, g)
	}
	return goals, nil
}

// open compiles and deploys the machine as campaigns do.
func (m *machine) open(ctx context.Context, run *harness.Run, modules string) (*goal, error) {
	name := filepath.Join("scale", fmt.Sprintf("%d-%d", len(m.milestones), m.seed))
	b := corpus.Builder{Run: run, Modules: modules}
	outputs, err := b.Project(ctx, name, compiler, fstest.MapFS{"src/Machine.sol": {Data: []byte(m.source())}}, "src")
	if err != nil {
		return nil, err
	}
	s, err := timetotarget.Deploy(ctx, name, outputs, nil)
	if err != nil {
		return nil, err
	}
	return eventGoal(s, m.name(), len(m.milestones))
}
