package shard

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// Unite makes one result of the shards' results, as if one campaign had found it all. Nothing is
// believed before go-ethereum has seen it: a finding or a target that it does not see becomes a fault. The
// only shard of a campaign gives the very result that the campaign had.
//
// A target has the claim that took the fewest executions of its shard; of equal findings, the first
// counts, or the most severe. Executions and calls are summed, and so are paths, which shards count each
// for itself; of the time, the longest counts. config is the campaign's, with the World, the table and the
// targets that the shards had; each is asked for by done, which is told of progress.
func Unite(ctx context.Context, config *fuzzer.Config, set *Set, progress func(done, of int)) (*fuzzer.Result, error) {
	judge, err := config.NewJudge()
	if err != nil {
		return nil, err
	}
	u := &uniter{config: config, judge: judge, of: set.Of}
	quota := quotaOf(set)
	for i, s := range set.Shards {
		progress(i, len(set.Shards))
		c, err := s.read(config)
		if err != nil {
			return nil, exit.BadInput("%s cannot be read as a shard: %w", s.dir, err)
		}
		if set.Of > 1 {
			c.bound(quota, set.Of)
		}
		u.confirmFindings(ctx, c)
		u.shards = append(u.shards, c)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	u.confirmTargets(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return u.unite(), nil
}

// uniter unites shards.
type uniter struct {
	config  *fuzzer.Config
	judge   evm.Machine
	of      int
	shards  []*claims
	targets []fuzzer.TargetResult
	faults  []fuzzer.Fault // claims that were not confirmed
}

// maxUnited bounds the bytes of the calls of a united suite; arbitrary, four times what a campaign keeps.
const maxUnited = 256 << 20

// quotaOf is how many inputs of each shard's suite a united one has at most, so that it has no more than
// a campaign's.
func quotaOf(set *Set) int {
	var sizes []int
	for _, s := range set.Shards {
		n := 0
		for _, run := range s.file.Suite {
			n += max(0, run[1]) // what is wrong is found when it is read
		}
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	left := maxSuite
	for i, n := range sizes {
		if share := left / (len(sizes) - i); n > share {
			return share
		}
		left -= n
	}
	return maxSuite
}

// bound drops what a suite has beyond the quota of one of so many shards.
func (c *claims) bound(quota, of int) {
	size := 0
	for n, calls := range c.result.Suite {
		if size += calls.Size(nil); n == quota || size > maxUnited/of {
			c.result.Suite, c.suite = slices.Clone(c.result.Suite[:n]), c.suite[:n]
			return
		}
	}
}

// unconfirmed is the fault of a claim that go-ethereum does not see.
func (u *uniter) unconfirmed(what string, c *claims, seq input.Sequence) {
	if u.of > 1 {
		what += fmt.Sprintf(", of shard %d,", c.index)
	}
	u.faults = append(u.faults, fuzzer.Fault{Message: what + " was not confirmed by go-ethereum: not reported", Sequence: seq})
}

// confirmFindings drops the findings of a shard that go-ethereum does not see.
func (u *uniter) confirmFindings(ctx context.Context, c *claims) {
	c.result.Findings = slices.DeleteFunc(c.result.Findings, func(f *fuzzer.Finding) bool {
		if ctx.Err() != nil {
			return true
		}
		path, ok := fuzzer.Confirm(u.judge, u.config, f)
		if !ok {
			u.unconfirmed("finding of oracle "+f.Oracle.ID, c, f.Sequence)
		}
		f.Path = path
		return !ok
	})
}

// confirmTargets decides which targets were reached, or entered, by the first claims that go-ethereum
// confirms.
func (u *uniter) confirmTargets(ctx context.Context) {
	u.targets = make([]fuzzer.TargetResult, len(u.config.Targets))
	for _, i := range fuzzer.Unreachable(u.config.Table, u.config.Targets) {
		u.targets[i].Unreachable = true
	}
	for i := range u.targets {
		t := &u.targets[i]
		for _, c := range u.order(i) {
			claim := &c.result.Targets[i]
			if ctx.Err() != nil || t.Reached || t.Entered && !claim.Reached {
				break
			}
			u.confirmTarget(i, c, claim)
		}
		if t.Done(&u.config.Targets[i]) || t.Unreachable && !t.Entered {
			continue
		}
		var all []*fuzzer.TargetResult
		for _, c := range u.shards {
			all = append(all, &c.result.Targets[i])
		}
		if u.of == 1 {
			t.Stops, t.Strangers = all[0].Stops, all[0].Strangers
		} else {
			t.Stops, t.Strangers = fuzzer.UniteStops(all)
		}
	}
}

// order are the shards that claim to have entered a target: those that reached it first, then by
// executions.
func (u *uniter) order(target int) []*claims {
	var list []*claims
	for _, c := range u.shards {
		if c.result.Targets[target].Entered {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b *claims) int { // by index otherwise
		x, y := &a.result.Targets[target], &b.result.Targets[target]
		if x.Reached != y.Reached {
			if x.Reached {
				return -1
			}
			return 1
		}
		return cmp.Compare(x.First.Executions, y.First.Executions)
	})
	return list
}

// confirmTarget takes a shard's claim to have entered a target, as far as go-ethereum confirms it.
func (u *uniter) confirmTarget(i int, c *claims, claim *fuzzer.TargetResult) {
	t, target := &u.targets[i], &u.config.Targets[i]
	entered, kept := false, false
	if len(claim.Sequence) > 0 {
		if exec, err := u.judge.Run(u.config.Space.Encode(claim.Sequence, nil)); err == nil {
			entered, kept = fuzzer.Enters(u.config.Table, target, exec)
		}
	}
	if !entered || claim.Reached && !kept {
		u.unconfirmed(fmt.Sprintf("target %s in %s", target.Position, target.Contract), c, claim.Sequence)
		return
	}
	t.Unreachable, t.Entered, t.Reached = false, true, claim.Reached
	t.First, t.Sequence = claim.First, claim.Sequence
}

// unite makes the result of what was confirmed.
func (u *uniter) unite() *fuzzer.Result {
	out := new(fuzzer.Result)
	if u.of == 1 {
		*out = *u.shards[0].result
	} else {
		u.sum(out)
	}
	out.Targets = u.targets
	out.Faults = append(slices.Clip(out.Faults), u.faults...)
	out.Findings = u.findings()
	out.Stats.Reached, out.Stats.Findings = 0, len(out.Findings)
	for i := range out.Targets {
		if out.Targets[i].Done(&u.config.Targets[i]) {
			out.Stats.Reached++
		}
	}
	if u.of > 1 {
		out.Timeline = u.timeline(out)
	}
	return out
}

// sum adds up all but targets, findings and the timeline.
func (u *uniter) sum(out *fuzzer.Result) {
	entered := map[bytecode.Location]bool{}
	faults := map[string]bool{}
	for _, c := range u.shards {
		r := c.result
		out.Stats.Executions += r.Stats.Executions
		out.Stats.Calls += r.Stats.Calls
		out.Stats.Paths += r.Stats.Paths
		out.Stats.Seconds = max(out.Stats.Seconds, r.Stats.Seconds)
		out.Stats.Blocks = max(out.Stats.Blocks, r.Stats.Blocks)
		out.Stats.Analysis.Add(r.Stats.Analysis)
		out.Stats.AnalysisSeconds += r.Stats.AnalysisSeconds
		out.Useful += r.Useful
		out.Unconfirmed += r.Unconfirmed
		for _, l := range r.Entered {
			entered[l] = true
		}
		for _, test := range r.Passed {
			if !slices.Contains(out.Passed, test) {
				out.Passed = append(out.Passed, test)
			}
		}
		for _, note := range r.Notes {
			if !slices.Contains(out.Notes, note) {
				out.Notes = append(out.Notes, note)
			}
		}
		for _, f := range r.Faults {
			key := f.Message + "\n" + input.Format(u.config.Space, f.Sequence)
			if !faults[key] && len(out.Faults) < maxList {
				faults[key] = true
				out.Faults = append(out.Faults, f)
			}
		}
	}
	for l := range entered { // sorted below
		out.Entered = append(out.Entered, l)
	}
	slices.SortFunc(out.Entered, bytecode.Location.Compare)
	out.Stats.Blocks = max(out.Stats.Blocks, len(out.Entered))
	out.Suite = u.suite()
	out.Stats.Seeds = len(out.Suite)
	out.Burners = u.burners()
	out.Stopped = u.stopped()
}

// suite has each shard's inputs in turn, each once: the first of a suite are those that most come from.
func (u *uniter) suite() (suite []input.Packed) {
	seen := map[[32]byte]bool{}
	for n, more := 0, true; more; n++ {
		more = false
		for _, c := range u.shards {
			if n >= len(c.suite) {
				continue
			}
			more = true
			if !seen[c.suite[n]] {
				seen[c.suite[n]] = true
				suite = append(suite, c.result.Suite[n])
			}
		}
	}
	return suite
}

// findings are those of all shards as a campaign has them: in order of discovery, each once.
func (u *uniter) findings() []*fuzzer.Finding {
	type found struct {
		*fuzzer.Finding
		at uint64 // executions, not less than those of findings before it in the same shard
	}
	var all []found
	for _, c := range u.shards {
		from := len(all)
		for _, f := range c.result.Findings {
			all = append(all, found{f, f.First.Executions})
		}
		for i := len(all) - 2; i >= from; i-- { // one may have taken the place of an earlier, less severe one
			all[i].at = min(all[i].at, all[i+1].at)
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.at, b.at) })
	var list []*fuzzer.Finding
	for _, f := range all {
		i := slices.IndexFunc(list, f.SamePlace)
		if i < 0 {
			list = append(list, f.Finding)
			continue
		}
		first, second := list[i], f.Finding
		if second.Outdoes(first, u.config.Space) {
			first, second = second, first
		}
		first.NeverPassed = first.NeverPassed && second.NeverPassed
		for _, way := range append([]input.Sequence{second.Sequence}, second.Ways...) {
			if len(first.Ways) < u.config.Ways {
				first.Ways = append(first.Ways, way)
			}
		}
		list[i] = first
	}
	for _, f := range list {
		f.NeverPassed = f.NeverPassed && !u.passed(f.Sequence)
	}
	return slices.DeleteFunc(list, func(f *fuzzer.Finding) bool {
		return f.Chosen && slices.ContainsFunc(list, func(other *fuzzer.Finding) bool {
			return !other.Chosen && other.Oracle == f.Oracle && other.Location == f.Location && other.Severity == f.Severity
		})
	})
}

// passed reports whether the test that a sequence runs passed in any shard.
func (u *uniter) passed(seq input.Sequence) bool {
	last := &seq[len(seq)-1]
	return slices.ContainsFunc(u.shards, func(c *claims) bool {
		return slices.Contains(c.result.Passed, input.Callable{Instance: last.Instance, Function: last.Function})
	})
}

// burners are the functions with heavy calls of all shards. A share is the mean, as if the shards had
// done the same work.
func (u *uniter) burners() []fuzzer.Burner {
	type name struct{ contract, function string }
	var all []fuzzer.Burner
	at := map[name]int{}
	for _, c := range u.shards {
		for _, b := range c.result.Burners {
			key := name{b.Contract, b.Function}
			i, known := at[key]
			if !known {
				i = len(all)
				at[key] = i
				all = append(all, fuzzer.Burner{Contract: b.Contract, Function: b.Function})
			}
			all[i].Calls += b.Calls
			all[i].Ended += b.Ended
			all[i].Share += b.Share / float64(len(u.shards))
		}
	}
	slices.SortStableFunc(all, func(a, b fuzzer.Burner) int { return cmp.Compare(b.Share, a.Share) })
	return all
}

// stopped says why the shards ended: "call limit", or "call limit (7 shards), killed (1 shard)".
func (u *uniter) stopped() string {
	var reasons []string
	counts := map[string]int{}
	for _, c := range u.shards {
		if counts[c.result.Stopped]++; counts[c.result.Stopped] == 1 {
			reasons = append(reasons, c.result.Stopped)
		}
	}
	if len(reasons) == 1 {
		return reasons[0]
	}
	for i, reason := range reasons {
		reasons[i] = fmt.Sprintf("%s (%s)", reason, human.Plural(counts[reason], "shard"))
	}
	return strings.Join(reasons, ", ")
}

// sampleAt is the last sample of a shard up to so many executions.
func (c *claims) sampleAt(executions uint64) (last fuzzer.Sample) {
	for _, s := range c.result.Timeline {
		if s.Executions <= executions {
			last = s
		}
	}
	return last
}

// timeline has a sample for each of the shard with the most, in which the others' are those of the same
// moment: after as many executions each. Executions, calls and paths are summed; what was reached and found by then
// is what the result has of it.
func (u *uniter) timeline(out *fuzzer.Result) []fuzzer.Sample {
	var longest *claims
	for _, c := range u.shards {
		if longest == nil || c.result.Stats.Executions > longest.result.Stats.Executions {
			longest = c
		}
	}
	var all []fuzzer.Sample
	for n, at := range longest.result.Timeline {
		var sum fuzzer.Sample
		for _, c := range u.shards {
			s := c.sampleAt(at.Executions)
			sum.Executions += s.Executions
			sum.Calls += s.Calls
			sum.Paths += s.Paths
			sum.Seconds = max(sum.Seconds, s.Seconds)
			sum.Blocks = max(sum.Blocks, s.Blocks)
		}
		for i := range out.Targets {
			if t := &out.Targets[i]; t.Done(&u.config.Targets[i]) && t.First.Executions <= at.Executions {
				sum.Reached++
			}
		}
		for _, f := range out.Findings {
			if f.First.Executions <= at.Executions {
				sum.Findings++
			}
		}
		if n == len(longest.result.Timeline)-1 {
			sum.Blocks, sum.Reached, sum.Findings = out.Stats.Blocks, out.Stats.Reached, out.Stats.Findings
		}
		all = append(all, sum)
	}
	return all
}
