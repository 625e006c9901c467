package oracle

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// isAltered reports whether the change alters a contract.
func (s *Scene) isAltered(contract string) bool {
	return slices.Contains(s.Altered, contract)
}

// isLookedAt reports whether a contract is looked at as it is, or what the change has made of one runs from a call on.
func (l *lossAlone) isLookedAt(contract string, from int) bool {
	return l.standsAlone(contract) || (l.isAltered(contract) || !isMock(contract)) && l.runsAltered(l.Exec.Frames[l.Exec.Calls[from].Frames[0]:])
}

// runsAltered reports whether what the change has made of a contract runs in some frames.
func (s *Scene) runsAltered(frames []evm.Frame) bool {
	return slices.ContainsFunc(frames, func(f evm.Frame) bool {
		return f.Program != nil && f.Program.Contract != nil && s.isAltered(contractOf(&f)) && (s.RunsTarget == nil || s.RunsTarget(&f))
	})
}

// gainsWithout reports whether the attackers gain up to a call as well if those calls are left out in which something runs that the change has altered: then they could before.
// The outsider makes what is left as well: it may be such a call that lets his contract take ether.
func (l *lossAlone) gainsWithout(call int) bool {
	before := l.Calls()[:l.from:l.from]
	all := func(int) bool { return true }
	first, ok := l.inOrder(before, all)
	if !ok {
		return false
	}
	had := l.ownedBy(l.attackers(), before, first, l.tokens)
	own, his := slices.Clip(before), slices.Clip(before)
	for i := l.from; i <= call; i++ {
		frames := l.Exec.Calls[i].Frames
		if l.runsAltered(l.Exec.Frames[frames[0]:frames[1]]) {
			continue
		}
		c := l.Calls()[i]
		own = append(own, c)
		c.From = l.outsider()
		his = append(his, c)
	}
	return slices.ContainsFunc([]evm.Sequence{own, his}, func(calls evm.Sequence) bool {
		after, ok := l.inOrder(calls, all)
		return ok && gained(had, l.ownedBy(l.attackers(), calls, after, l.tokens))
	})
}
