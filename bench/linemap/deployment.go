package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// deployment is a build with its World.
type deployment struct {
	*deploy.Deployment
	kind    kind
	mapping *diffmap.Mapping             // of all lines; nil for a build that is not mapped
	marks   map[bytecode.Location]uint32 // of the planted build
	machine *gethvm.Reference
	entered blocks   // in deployments and calls
	apart   []blocks // the deployments, and each sequence that [deployment.run] ran
}

// blocks are what executions entered of a build's code.
type blocks map[bytecode.CodeID]map[bytecode.BlockID]bool

// newDeployment makes a World of a build, with every line of changes a target where
// the build is mapped.
func newDeployment(ctx context.Context, p *project, k kind, o *compile.Output, changes []unified.ChangedLine) (*deployment, error) {
	b := deploy.NewBuild([]*compile.Output{o}, diffmap.Options{})
	s := &deployment{kind: k, entered: blocks{}}
	var err error
	if k.mapping && changes != nil {
		if s.mapping, err = diffmap.Map(b.Outputs, b.Table, changes, diffmap.Options{}); err != nil {
			return nil, err
		}
		b.Table.Cut(s.mapping.Entries())
	}
	s.marks = places(b.Table)
	if s.Deployment, err = deploy.Make(ctx, b, &deploy.Recipe{Only: p.deploy, Fork: fork(p.evm)}); err != nil {
		return nil, err
	}
	if s.machine, err = gethvm.New(s.World, s.Table, evm.LiftCodeSizeLimits); err != nil {
		return nil, err
	}
	deployments := blocks{}
	for _, d := range s.Setup.Deployments {
		s.note(s.entered, d.Covered)
		s.note(deployments, d.Covered)
	}
	s.apart = []blocks{deployments}
	return s, nil
}

// fork is the EVM that runs what was compiled for a version.
func fork(compiledFor string) string {
	if evm.CheckFork(compiledFor) != nil {
		return evm.Forks()[0] // older than all there are
	}
	return compiledFor
}

// note adds what an execution entered of the build's code, and reports whether any
// of it is new.
func (s *deployment) note(entered blocks, covered []evm.Coverage) bool {
	news := false
	for _, c := range covered {
		if p := s.Table.Program(c.Code); p == nil || p.Contract == nil {
			continue // made by a call: data that is stored as code
		}
		if entered[c.Code] == nil {
			entered[c.Code] = map[bytecode.BlockID]bool{}
		}
		if !entered[c.Code][c.Block] {
			entered[c.Code][c.Block] = true
			news = true
		}
	}
	return news
}

// ran reports whether the block that starts at a location was entered.
func (s *deployment) ran(entered blocks, l bytecode.Location) bool {
	block, ok := s.Table.Program(l.Code).StartsAt(uint64(l.PC))
	return ok && entered[l.Code][block]
}

// reached reports whether any entry of a target was.
func (s *deployment) reached(entered blocks, t *bytecode.Target) bool {
	return slices.ContainsFunc(t.Entries, func(l bytecode.Location) bool { return s.ran(entered, l) })
}

// live reports whether code of a contract ran at all.
func (s *deployment) live(contract string) bool {
	c := s.Contract(contract)
	return c != nil && (c.Runtime != nil && len(s.entered[c.Runtime.ID]) > 0 || c.Creation != nil && len(s.entered[c.Creation.ID]) > 0)
}

// tries is how many sequences are tried for new blocks, by instance. Arbitrary: ten
// times as many bring few more.
const tries = 4000

// sequences makes the calls that all sides run: what zero arguments and random
// mutations of what was kept bring to new blocks.
func (s *deployment) sequences(seed uint64) ([]evm.Sequence, error) {
	if len(s.Space.Callables) == 0 {
		return nil, fmt.Errorf("nothing was deployed that can be called: %v", s.Setup.Failures)
	}
	var programs []*bytecode.Program
	for _, c := range s.Table.Contracts() {
		if c.Runtime != nil {
			programs = append(programs, s.Table.Program(c.Runtime.ID))
		}
	}
	dictionary := input.NewDictionary(programs)
	mutator := input.NewMutator(s.Space, dictionary, input.Options{})
	random := rand.New(rand.NewPCG(seed, 0))
	var kept []input.Sequence
	var calls []evm.Sequence
	try := func(seq input.Sequence) error {
		encoded := s.Space.Encode(seq, nil)
		exec, err := s.machine.Run(encoded)
		if err != nil {
			return err
		}
		dictionary.Observe(exec)
		if s.note(s.entered, exec.Covered) {
			kept, calls = append(kept, seq), append(calls, encoded)
		}
		return nil
	}
	for _, seq := range mutator.Seeds() {
		if err := try(seq); err != nil {
			return nil, err
		}
	}
	for range tries * len(s.Space.Instances) {
		var parent input.Sequence
		if len(kept) > 0 && random.IntN(8) > 0 {
			parent = kept[random.IntN(len(kept))]
		}
		if err := try(mutator.Mutate(random, parent)); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// outcome is what a sequence did.
type outcome struct {
	calls []callOutcome
	state []byte // what storage and balances are behind it
}

type callOutcome struct {
	success bool
	output  []byte
	why     string
	created []common.Address // by CREATE2: what a contract's code decides
}

// run runs sequences and notes what they enter. It is called once.
func (s *deployment) run(sequences []evm.Sequence) ([]outcome, error) {
	var out []outcome
	for _, seq := range sequences {
		exec, err := s.machine.Run(seq)
		if err != nil {
			return nil, err
		}
		apart := blocks{}
		s.note(s.entered, exec.Covered)
		s.note(apart, exec.Covered)
		s.apart = append(s.apart, apart)
		var o outcome
		for i := range exec.Calls {
			c := &exec.Calls[i]
			o.calls = append(o.calls, callOutcome{c.Outcome == evm.Success, bytes.Clone(c.Output), c.Outcome.String() + " " + c.Reason(), nil})
			for _, f := range exec.Frames[c.Frames[0]:c.Frames[1]] {
				if f.Kind == evm.KindCreate2 {
					o.calls[i].created = append(o.calls[i].created, f.Self)
				}
			}
		}
		o.state = stateOf(s.machine.Export())
		out = append(out, o)
	}
	return out, nil
}

// stateOf writes down storage, balances and nonces, not code: that is what
// builds differ in.
func stateOf(w *evm.World) []byte {
	var out bytes.Buffer
	for _, address := range sortedAddresses(w.Accounts) {
		a := w.Accounts[address]
		var slots []common.Hash
		for slot, value := range a.Storage {
			if value != (common.Hash{}) {
				slots = append(slots, slot)
			}
		}
		if len(slots) == 0 && a.Balance.IsZero() && a.Nonce == 0 && len(a.Code) == 0 {
			continue
		}
		slices.SortFunc(slots, common.Hash.Cmp)
		fmt.Fprintf(&out, "%x %s %d %t\n", address, a.Balance.Hex(), a.Nonce, len(a.Code) > 0)
		for _, slot := range slots {
			fmt.Fprintf(&out, "  %x %x\n", slot, a.Storage[slot])
		}
	}
	return out.Bytes()
}

func sortedAddresses(accounts map[common.Address]*evm.Account) []common.Address {
	var list []common.Address
	for a := range accounts {
		list = append(list, a)
	}
	slices.SortFunc(list, common.Address.Cmp)
	return list
}
