package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/report"
)

// findSizes reports contracts that have become too large for a chain. It is read off the builds: there are no calls to
// show it by.
func (r *run) findSizes(ctx context.Context) {
	if !r.oracles.Has(oracle.Size.ID) {
		return
	}
	for _, o := range r.change.Oversized(ctx) {
		f := sizeFinding(&o)
		f.Location.Text = r.change.LineText(o.At)
		for n := 0; f.ID == "" || slices.ContainsFunc(r.report.Findings, func(other report.Finding) bool { return other.ID == f.ID }); n++ {
			sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", f.Oracle, f.Location.Contract, n))
			f.ID, f.Fingerprint = "SL-"+hex.EncodeToString(sum[:2]), hex.EncodeToString(sum[:fingerprintBytes])
		}
		r.report.Findings = append(r.report.Findings, f)
	}
}

// sizeFinding is a contract that is too large, without its id. Where the base or the release may have another size, it
// informs.
func sizeFinding(o *change.Oversized) report.Finding {
	what := "its code has %d bytes, more than the %d that a chain accepts (EIP-170)"
	if o.Kind == bytecode.Creation {
		what = "the code that deploys it has %d bytes without arguments, more than the %d that a chain accepts (EIP-3860)"
	}
	f := report.Finding{
		Oracle: oracle.Size.ID, Severity: oracle.Size.Severity.String(), Title: oracle.Size.Title, Comparison: report.Introduced,
		Message:  fmt.Sprintf("%s cannot be deployed: "+what, o.Contract.Name, o.Size, o.Limit()),
		Location: report.Place{File: o.At.File, Line: o.At.Line, Contract: o.Contract.QualifiedName()},
		Sequence: []report.Step{}, Trace: []report.Message{}, Confirmed: "the compiler's output",
	}
	switch {
	case o.Was == bytecode.SizeUnknown:
		f.Comparison, f.ComparisonReason, f.Severity = report.Unknown, "how large it is there is not known", oracle.Medium.String()
	case o.Was == 0:
		f.ComparisonReason = "the base does not have the contract"
	default:
		f.ComparisonReason = fmt.Sprintf("it has %d bytes there", o.Was)
	}
	if o.OtherRelease != "" {
		f.Severity, f.Message = oracle.Medium.String(), f.Message+"; "+o.OtherRelease
	}
	return f
}
