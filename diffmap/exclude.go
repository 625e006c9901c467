package diffmap

import (
	"slices"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Exclude takes targets away: those of which why answers a reason. A line that
// loses its last one gets the status, and the reason that was given last. An
// unmapped line, which might have targets, is asked about with none.
func (m *Mapping) Exclude(status Status, why func(l *Line, t *bytecode.Target) string) {
	var kept []bytecode.Target
	for i := range m.Lines {
		l := &m.Lines[i]
		var targets []int
		reason := ""
		for _, number := range l.Targets {
			if because := why(l, &m.Targets[number]); because != "" {
				reason = because
				continue
			}
			targets = append(targets, len(kept))
			kept = append(kept, m.Targets[number])
		}
		if l.Status == Unmapped {
			reason = why(l, nil)
		}
		if reason != "" && len(targets) == 0 {
			l.Status, l.Reason = status, reason
		}
		l.Targets = targets
	}
	m.Targets = kept
}

// Include adds a target to its line. It does nothing if that line is missing or has no targets.
func (m *Mapping) Include(t bytecode.Target) {
	for i := range m.Lines {
		if l := &m.Lines[i]; l.Position == t.Position && len(l.Targets) > 0 {
			l.Targets = append(slices.Clip(l.Targets), len(m.Targets))
			m.Targets = append(m.Targets, t)
			return
		}
	}
}
