package replay

import (
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/report"
)

// holds reports whether the execution shows what the reproducer claims.
func (l *loaded) holds(exec *evm.Execution, observed []fuzzer.Observed) bool {
	c := &l.reproducer.Claim
	if c.Kind == LineClaim {
		entered, kept := fuzzer.Enters(l.table, &l.target, exec)
		return entered && (kept || !c.Kept)
	}
	if c.compared() {
		return slices.ContainsFunc(l.target.Entries, func(at bytecode.Location) bool { return oracle.WritesAt(exec, at) })
	}
	return slices.ContainsFunc(observed, func(o fuzzer.Observed) bool {
		return o.Oracle == c.Oracle && slices.Contains(l.target.Entries, o.Location)
	})
}

// compared reports whether the claim is of an oracle that compares with the base: what is wrong
// is that the last call succeeds, and writes where the oracle saw it.
func (c *Claim) compared() bool {
	return c.Kind == FindingClaim && slices.ContainsFunc(oracle.Compared(), func(o *oracle.Oracle) bool { return o.ID == c.Oracle })
}

// describe says for people what the reproducer claims; path is its file.
func (c *Claim) describe(path string) string {
	at := c.Contract
	if c.File != "" {
		at = fmt.Sprintf("%s:%d in %s", c.File, c.Line, bytecode.ShortName(c.Contract))
	}
	if c.Kind == LineClaim {
		how := "reaches"
		if !c.Kept {
			how = "reaches, in a call that reverts,"
		}
		return fmt.Sprintf("%s: %s %s", path, how, at)
	}
	return fmt.Sprintf("%s %s: %s at %s", c.ID, c.Oracle, c.Message, at)
}

// is reports whether the claim is what a report says of a finding.
func (c *Claim) is(f *report.Finding) bool {
	return c.Kind == FindingClaim && c.ID == f.ID && c.Oracle == f.Oracle && c.Contract == f.Location.Contract && c.File == f.Location.File && c.Line == f.Location.Line
}

// reaches reports whether the claim is what a report says of a target.
func (c *Claim) reaches(t *report.Target) bool {
	return c.Kind == LineClaim && c.Contract == t.Contract && c.File == t.File && c.Line == t.Line && c.Kept == (t.Status == report.Reached)
}
