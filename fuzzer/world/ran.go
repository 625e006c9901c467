package world

import (
	"bytes"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// RanBy returns what of the making of the World first entered one of the blocks that begin at
// entries, for people: "SetTest.setUp()". False if nothing did. Only what lasts counts:
// frames that succeeded together with all their callers. All of it ran on go-ethereum.
func (r *Report) RanBy(entries []bytecode.Location) (what string, ok bool) {
	for _, entry := range entries {
		if what, ok := r.ran[entry]; ok {
			return what, true
		}
	}
	return "", false
}

// note keeps the blocks that an execution of calls entered; what names a call.
func (d *deployer) note(exec *evm.Execution, what func(call int) string) {
	for _, c := range exec.Covered {
		at, ok := blockStart(d.table, &c)
		if !c.Kept || !ok {
			continue
		}
		if _, known := d.report.ran[at]; !known {
			if d.report.ran == nil {
				d.report.ran = map[bytecode.Location]string{}
			}
			d.report.ran[at] = what(c.Call)
		}
	}
}

// runCalls runs the calls that make the World, and notes what they run.
func (d *deployer) runCalls() error {
	exec, err := d.machine.Run(d.calls)
	if err != nil {
		return err
	}
	d.note(exec, func(call int) string { return d.nameCall(&d.calls[call]) })
	return nil
}

// nameCall names a call of the World's making.
func (d *deployer) nameCall(call *evm.Call) string {
	if call.Create {
		if p := d.table.LookupCreation(call.Data); p != nil && p.Contract != nil {
			return "the constructor of " + p.Contract.Name
		}
		return "a deployment"
	}
	for _, in := range d.instances {
		if in.Address != call.To || in.Contract == nil {
			continue
		}
		for _, m := range in.Contract.ABI.Methods {
			if bytes.HasPrefix(call.Data, m.ID) {
				return in.Name + "." + m.RawName
			}
		}
		return in.Name
	}
	return "a call"
}

// blockStart is where a block that was entered begins; false where its code is not known.
func blockStart(table *bytecode.Table, c *evm.Coverage) (at bytecode.Location, known bool) {
	p := table.Program(c.Code)
	if p == nil || int(c.Block) >= len(p.Blocks) {
		return at, false
	}
	return bytecode.Location{Code: c.Code, PC: p.Blocks[c.Block].Start}, true
}
