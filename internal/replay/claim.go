package replay

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/report"
)

// holds reports whether the execution shows what the reproducer claims. answer is what was answered after it, if that
// is part of the claim.
func (l *loaded) holds(exec *evm.Execution, observed []fuzzer.Observed, answer []byte) bool {
	c := &l.reproducer.Claim
	if c.Kind == LineClaim {
		entered, kept := fuzzer.Enters(l.table, &l.target, exec)
		return entered && (kept || !c.Kept)
	}
	if c.compared() {
		return l.holdsCompared(exec, answer)
	}
	return slices.ContainsFunc(observed, func(o fuzzer.Observed) bool {
		return o.Oracle == c.Oracle && slices.Contains(l.target.Entries, o.Location)
	})
}

// holdsCompared judges a claim of an oracle that compares with the base.
func (l *loaded) holdsCompared(exec *evm.Execution, answer []byte) bool {
	c := &l.reproducer.Claim
	last := &exec.Calls[len(exec.Calls)-1]
	switch {
	case c.Answer != nil:
		return last.Outcome == evm.Success && bytes.Equal(answer, c.Answer.Head)
	case c.Fails == nil != (last.Outcome == evm.Success), c.Fails != nil && *c.Fails != *failureOf(last):
		return false
	}
	return slices.ContainsFunc(l.target.Entries, func(at bytecode.Location) bool {
		if oracle.IsWrite(l.table.Program(at.Code), at.PC) && c.Fails == nil {
			return oracle.WritesAt(exec, at)
		}
		return oracle.Executes(l.table, exec, at)
	})
}

// failureOf is how a call failed.
func failureOf(c *evm.CallResult) *Failure {
	return &Failure{c.Outcome.String(), crypto.Keccak256Hash(c.Output)}
}

// FailureOf is how the last call of an execution fails that shows a finding of an oracle that compares with the
// base; nil: it succeeds, or the oracle looks at the execution alone.
func FailureOf(o *oracle.Oracle, exec *evm.Execution) *Failure {
	if last := &exec.Calls[len(exec.Calls)-1]; last.Outcome != evm.Success && slices.Contains(oracle.Compared(), o) {
		return failureOf(last)
	}
	return nil
}

// compared reports whether the claim is of an oracle that compares with the base: what is wrong
// is how the last call ends, or what it writes, or what is answered after it.
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
	if c.Differs != "" {
		return c.Message
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
