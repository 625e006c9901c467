package oracle

import (
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// IsFunction reports whether what a change adds is a function of a contract that it does not add.
func IsFunction(added string) bool { return strings.HasSuffix(added, ")") }

// grows reports whether the change adds functions to a contract that it does not add.
func (s *Scene) grows(contract string) bool {
	return !isMock(contract) && slices.ContainsFunc(s.Added, func(added string) bool { return added != contract && bytecode.IsOf(added, contract) })
}

// isLookedAt reports whether a contract is looked at as it is, or a function that the change adds runs from a call on.
func (l *lossAlone) isLookedAt(contract string, from int) bool {
	return l.standsAlone(contract) || !isMock(contract) && slices.ContainsFunc(l.Exec.Frames[l.Exec.Calls[from].Frames[0]:], func(f evm.Frame) bool { return l.runsAdded(&f) })
}

// runsAdded reports whether a frame is a call of a function that the change adds to a contract that it does not add.
func (s *Scene) runsAdded(f *evm.Frame) bool {
	if f.Program == nil || f.Program.Contract == nil || len(f.Input) < 4 {
		return false
	}
	m, err := f.Program.Contract.ABI.MethodById(f.Input[:4])
	return err == nil && slices.Contains(s.Added, f.Program.Contract.FunctionName(m.Sig))
}

// gainsWithout reports whether the attackers gain up to a call as well if those calls are left out in which a function runs that the change adds: then they could before. The
// outsider makes what is left as well: it may be such a call that lets his contract take ether.
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
		if slices.ContainsFunc(l.Exec.Frames[frames[0]:frames[1]], func(f evm.Frame) bool { return l.runsAdded(&f) }) {
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
