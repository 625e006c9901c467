package world

import (
	"context"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// A test may execute a line in a way that no sequence does: in its set-up, through contracts
// that it deploys for itself, or after cheatcodes that change storage. Then the next set-up is
// used whose tests execute the line.

// maxFollowed bounds the set-ups that are used because those before could not be followed.
// Arbitrary; each costs a run of its tests.
const maxFollowed = 4

// follow adds set-ups for lines that the tests of those used execute, but which their calls,
// sent as a sequence, do not come to.
func (fo *foundry) follow(ctx context.Context) error {
	s := fo.setups
	for _, u := range s.used {
		if u.survey == nil {
			continue
		}
		for line := range u.survey.lines {
			if !s.unheld[line] { // else nothing can be followed there yet
				s.unfollowed[line] = true
			}
		}
	}
	followed := 0 // set-ups whose tests were
	for added := 0; added < maxFollowed && len(s.used) < maxSetups && s.gas/maxSetupGas < s.chain.Gas; added++ {
		for ; followed < len(s.used); followed++ {
			if !s.others() {
				return nil
			}
			if err := fo.followTests(ctx, &s.tried[s.used[followed].setUp]); err != nil {
				return err
			}
		}
		c := s.next(func(w worth) int { return w.follow })
		if c == nil {
			return nil
		}
		if err := fo.use(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// others reports whether a candidate's tests execute lines that could not be followed.
func (s *setups) others() bool {
	return slices.ContainsFunc(s.candidates, func(c *setupCandidate) bool { return c.survey.covers(s.unfollowed) > 0 })
}

// followTests sends the calls that the tests of a set-up make, and takes off the lines that they
// come to.
func (fo *foundry) followTests(ctx context.Context, up *TestSetup) error {
	s := fo.setups
	if err := fo.runner.as(up); err != nil {
		return err
	}
	w := *fo.machine.World()
	w.Instances = fo.instances
	var left uint64 = exampleGasTotal
	for _, m := range testFunctions(up.Contract.ABI) {
		if err := ctx.Err(); err != nil || left < exampleGas || len(s.unfollowed) == 0 {
			return err
		}
		seen := newSurvey()
		var calls evm.Sequence
		used, _, err := fo.runner.tryTest(up, &m, func(exec *evm.Execution) {
			if isFuzzTest(&m) { // campaigns call it as it is
				s.see(exec, m.Sig, seen, fo.table)
			}
			if last := len(exec.Calls) - 1; calls == nil || exec.Calls[last].Outcome == evm.Success {
				calls = fo.examples.callsOf(exec, last, &w)
			}
		})
		if err != nil {
			return err
		}
		if len(calls) > 0 {
			exec, err := fo.machine.Run(slices.Concat(fo.calls, calls))
			if err != nil {
				return err
			}
			s.see(exec, m.Sig, seen, fo.table)
			for i := range exec.Calls {
				used += exec.Calls[i].GasUsed
			}
		}
		for line := range seen.lines {
			delete(s.unfollowed, line)
		}
		left -= min(left, used)
	}
	return nil
}
