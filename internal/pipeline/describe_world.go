package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// world lists the contracts that are deployed, then those that could not be, then those
// that were left out.
func (d *describer) world() {
	w := report.World{Fork: d.head.World.Fork, ForkReason: d.recipe.WhyFork}
	for i := range d.head.Setup.TestSetups {
		up := &d.head.Setup.TestSetups[i]
		text := report.TestSetup{Contract: up.Contract.QualifiedName(), Function: up.Function}
		for _, call := range up.Also {
			text.Tests = append(text.Tests, call.Function)
		}
		if up.Failure == "" {
			text.Address = up.Address.Hex()
		} else {
			text.Failure = d.head.WhyNotSetUp(up)
		}
		w.Setups = append(w.Setups, text)
	}
	for _, text := range d.head.FailedTests() {
		d.log.Warn("%s", text)
	}
	for _, note := range d.head.Setup.Notes {
		d.log.Warn("configuration: %s", note)
	}
	w.Senders, w.Calls = d.senders(), d.head.Setup.Calls
	add := func(name string, c *bytecode.Contract, address common.Address, parts ...string) {
		parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
		w.Instances = append(w.Instances, report.Instance{Name: name, Contract: c.QualifiedName(),
			Address: address.Hex(), Arguments: strings.Join(parts, "; "), Generated: c.Generated})
	}
	for _, d := range d.head.Setup.Deployments {
		parts := []string{strings.Join(d.Arguments, ", "), d.Initialization}
		add(d.Name, d.Contract, d.Address, append(parts, d.Notes...)...)
	}
	for _, d := range d.head.Setup.Additions {
		add(d.Name, d.Contract, d.Address, d.Origin, d.Initialization)
	}
	for _, f := range d.head.Failures() {
		w.Undeployed = append(w.Undeployed, report.Undeployed{Contract: f.Contract.QualifiedName(), Reason: f.Reason})
	}
	for _, l := range d.head.Setup.LeftOut {
		w.Undeployed = append(w.Undeployed, report.Undeployed{Contract: l.Contract.QualifiedName(), Reason: l.Reason})
	}
	d.report.World = w
}

// asserts reports whether the code of a contract has assertions. The INVALID in front of data, which is of
// no source, is none.
func (d *describer) asserts(c *bytecode.Contract) bool {
	if c.Runtime == nil {
		return false
	}
	p := d.head.Table.Program(c.Runtime.ID)
	return p != nil && slices.ContainsFunc(oracle.Assertion.Places(p), func(pc uint32) bool {
		_, known := d.head.Positions.At(bytecode.Location{Code: p.ID, PC: pc})
		return known || vm.OpCode(p.Bytes[pc]) != vm.INVALID
	})
}

// senders lists who sends calls, and why those do that not every World has.
func (d *describer) senders() []report.Sender {
	why := map[common.Address]string{}
	for _, p := range d.head.Setup.Senders {
		why[p.Address] = p.Why
	}
	var senders []report.Sender
	for _, s := range d.head.World.Senders {
		if s.Outsider || s.IsContract() {
			continue // no account of the World's own, see attackers
		}
		senders = append(senders, report.Sender{Name: s.Name, Address: s.Address.Hex(), Why: why[s.Address]})
	}
	return senders
}

// missing says of the contracts that could not be deployed what the result lacks without them.
// Those that a sequence deployed are not missing.
func (d *describer) missing() {
	noun := map[bool]string{false: "changed line", true: "line"}[d.report.Audit != nil]
	open := map[string]int{} // lines that were not reached, by contract
	for _, l := range d.report.Lines {
		if l.Aside == "" && l.Status == report.Undeployable {
			for _, contract := range l.Contracts {
				open[contract]++
			}
		}
	}
	for _, f := range d.head.Failures() {
		role, _ := world.RoleOf(f.Contract)
		if d.deployedLater(f.Contract) || role != world.UnderTest {
			continue
		}
		var holds []string
		name := f.Contract.QualifiedName()
		if n := open[name]; n > 0 {
			holds = append(holds, human.Plural(n, noun))
		}
		if n := world.Properties(f.Contract); n == 1 {
			holds = append(holds, "1 property")
		} else if n > 1 {
			holds = append(holds, fmt.Sprintf("%d properties", n))
		}
		if d.asserts(f.Contract) {
			holds = append(holds, "assertions")
		}
		for i := range d.report.World.Undeployed {
			if u := &d.report.World.Undeployed[i]; u.Contract == name && u.Reason == f.Reason {
				u.Holds = holds
			}
		}
	}
}
