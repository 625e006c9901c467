package pipeline

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/report"
)

// maxBurners bounds the list of functions with heavy calls, and notableShare is the share of
// the work from which on one is listed. Arbitrary.
const (
	maxBurners   = 8
	notableShare = 0.02
	// nearlyAll: so many heavy calls for each that shows something. Arbitrary.
	nearlyAll = 9
)

// isTest reports whether a contract is one of the project's tests, or a harness of properties: that its functions burn gas says what
// the test does. Code that only it holds is unreached then, and named.
func (d *describer) isTest(contract string) bool {
	c := d.head.Contract(contract)
	if c == nil {
		return false
	}
	where := *c
	where.ABI.Methods = nil // a harness of properties is a test where it is below test/
	role, _ := world.RoleOf(&where)
	return role != world.UnderTest && role != world.Dependency
}

// starved says whether the campaign ran enough executions for its targets.
func (d *describer) starved(allowed bool) {
	s := &report.Starved{Executions: d.result.Useful, Unconfirmed: d.result.Unconfirmed, Allowed: allowed}
	open := map[string]bool{} // contracts with targets that no call executed, and functions whose calls did, and all failed
	for i := range d.result.Targets {
		t := &d.result.Targets[i]
		if t.Unreachable {
			continue
		}
		s.Targets++
		switch target := &d.change.Mapping.Targets[i]; {
		case t.Done(target):
		case !t.Entered || len(t.Sequence) == 0:
			open[target.Contract] = true
		default: // another function that burns gas does not hide it
			open[target.Contract+"."+t.Sequence[len(t.Sequence)-1].Function.Name] = true
		}
	}
	if s.Targets == 0 || d.result.Stopped == fuzzer.Canceled {
		return
	}
	s.Needed = needed(s.Targets, d.report.Limits, d.result)
	for _, f := range d.head.Setup.Failures {
		if f.LeftOut && slices.ContainsFunc(d.change.Mapping.Targets, func(t bytecode.Target) bool { return t.Contract == f.Contract.QualifiedName() }) {
			s.LeftOut++
		}
	}
	for _, b := range d.result.Burners {
		if b.Share < notableShare && b.Calls < nearlyAll*b.Ended {
			continue // it was called as often as others, and showed what it does
		}
		if (open[b.Contract] || open[b.Contract+"."+b.Function]) && !d.isTest(b.Contract) && b.Ended < max(1, s.Needed/uint64(s.Targets)) {
			s.Burning = append(s.Burning, b.Contract+"."+b.Function)
		}
	}
	if s.Executions >= s.Needed && s.Unconfirmed+s.LeftOut+len(s.Burning) == 0 {
		return
	}
	d.report.Starved = s
	if allowed {
		d.log.Warn("%s; --allow-starved lets the run pass all the same", d.report.DescribeStarved())
	}
}

// needed is the number of executions that a campaign needed for so many targets: one that was told to end
// once every target is reached needs no more than that took.
func needed(targets int, limits report.Limits, result *fuzzer.Result) uint64 {
	n := report.Needed(targets, limits)
	if result.Stopped == fuzzer.EveryTargetReached {
		n = min(n, result.Useful)
	}
	return n
}
