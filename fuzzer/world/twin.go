package world

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// twins deploys contracts once more, for code that ran once in the making of the World.
type twins struct {
	*deployer
	// entries are where the targets are that are looked for in one-time code, and once the
	// calls that ran them.
	entries map[bytecode.Location]bool
	once    []onceCall
}

func newTwins(d *deployer, entries []bytecode.Location) *twins {
	t := &twins{deployer: d, entries: map[bytecode.Location]bool{}}
	for _, entry := range entries {
		t.entries[entry] = true
	}
	return t
}

// This file gives one-time code a second chance. Code that ran while the World was made,
// and that the same call does not reach again afterwards (a factory's first creation, what
// is set only once), can be fuzzed on a twin: another instance of the contract, left as its
// constructor made it.

// maxTwins bounds the twins of a World: each is one more instance over which a campaign's
// calls are spread. Arbitrary; pull requests change one-time code of a contract or two.
const maxTwins = 4

// onceCall is the call that first ran a place, made to the contract from outside of those of
// the World.
type onceCall struct {
	entry    bytecode.Location
	contract *bytecode.Contract
	call     evm.Call
}

// findOnce notes the calls by which an execution first ran the places in t.entries.
// Frames above depth are the set-up's own.
func (t *twins) findOnce(exec *evm.Execution, depth int) {
	if len(t.entries) == 0 {
		return
	}
	for i := range exec.Frames {
		f := &exec.Frames[i]
		if f.Program == nil || f.Program.Contract == nil {
			continue
		}
		for _, block := range f.Path {
			at := bytecode.Location{Code: f.Program.ID, PC: f.Program.Blocks[block].Start}
			if t.entries[at] && !slices.ContainsFunc(t.once, func(o onceCall) bool { return o.entry == at }) {
				if call, ok := outermost(exec, t.calls, i, depth); ok {
					t.once = append(t.once, onceCall{at, f.Program.Contract, call})
				}
			}
		}
	}
}

// outermost is the first call, from depth on, on the way to a frame.
func outermost(exec *evm.Execution, calls evm.Sequence, frame, depth int) (call evm.Call, ok bool) {
	for ; frame >= 0 && exec.Frames[frame].Depth >= depth; frame = exec.Frames[frame].Parent {
		if f := &exec.Frames[frame]; f.Kind == evm.KindCall || f.Kind == evm.KindTransaction && !calls[f.Call].Create {
			call, ok = evm.Call{From: f.Caller, To: f.Self, Data: slices.Clone(f.Input), Value: f.Value}, true
		}
	}
	return call, ok
}

// addTwins deploys twins of the contracts that named lists, and of those whose one-time code
// holds places in t.entries. The names of those that got one are in the report.
func (t *twins) addTwins(named []string) error {
	exec, err := t.machine.Run(t.calls)
	if err != nil {
		return err
	}
	t.findOnce(exec, 0)
	var wanted []*bytecode.Contract
	for _, name := range named { // in their order, by which another build gets the same World
		if i := slices.IndexFunc(t.build.contracts, func(c *bytecode.Contract) bool { return c.QualifiedName() == name }); i >= 0 {
			wanted = append(wanted, t.build.contracts[i])
		}
	}
	var again map[bytecode.Location]bool // what the call of the one before ran once more
	for i, o := range t.once {
		if len(wanted) >= maxTwins {
			break
		}
		if i == 0 || !sameCall(&t.once[i-1].call, &o.call) {
			if again, err = t.runAgain(o.call); err != nil {
				return err
			}
		}
		known := slices.Contains(wanted, o.contract) || slices.Contains(t.uninitialized, o.contract) // has an instance for its initializer
		if !known && !again[o.entry] {
			wanted = append(wanted, o.contract)
		}
	}
	for _, c := range wanted {
		if err := t.addTwin(c); err != nil {
			return err
		}
	}
	return nil
}

// runAgain makes a call after all others, and returns where the blocks start that it enters.
func (t *twins) runAgain(call evm.Call) (map[bytecode.Location]bool, error) {
	exec, err := t.machine.Run(append(slices.Clip(t.calls), call))
	if err != nil {
		return nil, err
	}
	starts := map[bytecode.Location]bool{}
	for _, c := range exec.Covered {
		if p := t.table.Program(c.Code); p != nil && c.Call == len(t.calls) && int(c.Block) < len(p.Blocks) {
			starts[bytecode.Location{Code: c.Code, PC: p.Blocks[c.Block].Start}] = true
		}
	}
	return starts, nil
}

// sameCall reports whether two calls of findOnce do the same.
func sameCall(a, b *evm.Call) bool {
	return a.From == b.From && a.To == b.To && a.Value == b.Value && bytes.Equal(a.Data, b.Data)
}

// addTwin deploys a contract once more, as its first instance was, by the deployer.
func (t *twins) addTwin(c *bytecode.Contract) error {
	i := slices.IndexFunc(t.report.Deployments, func(d Deployment) bool { return d.Contract == c && d.Call.Create })
	if i < 0 || len(t.instances) >= t.limit {
		return nil
	}
	d := &t.report.Deployments[i]
	call := d.Call
	call.From, call.Address = Deployer.Address, crypto.CreateAddress(Deployer.Address, t.nonce+uint64(len(t.calls)))
	if t.namer.labels[call.Address] != "" || call.Address == (common.Address{}) {
		return nil
	}
	exec, err := t.machine.Run(append(slices.Clip(t.calls), call))
	if err != nil {
		return err
	}
	if exec.Calls[len(exec.Calls)-1].Outcome != evm.Success {
		return nil // its constructor asks who deploys it, for example
	}
	t.calls = append(t.calls, call)
	name := t.addition(c.Name, call.Address, c, "left as its constructor made it, for code that ran once in "+d.Name, "")
	for _, s := range t.writer.steps { // none of what set-ups deploy, whose World gets the twin again
		if s.instanceName() == d.Name && s.Contract != "" {
			s.Name = name
			t.writer.steps = append(t.writer.steps, s)
			break
		}
	}
	t.report.Twins = append(t.report.Twins, c.QualifiedName())
	return nil
}
