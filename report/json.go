package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxSize is the largest report that Read takes, in bytes. A report has a few
// hundred bytes per changed line and some kilobytes per finding: 64 MiB is two
// orders of magnitude above the largest diff that GitHub shows (20,000 lines).
const MaxSize = 64 << 20

// WriteJSON writes r as report.json: indented, in the order of the model, lists
// never null. Characters that could deceive a reader of the raw file (control
// and invisible ones, those that change the direction of text) are written as
// \uXXXX; "<", ">" and "&" are not, since the file is not HTML.
//
// With omitTimes, what a clock measured is left out: the seconds and
// callsPerSecond of targets, findings, stats and samples. Two runs of the same input with
// the same seed, one worker and a limit in calls then give the same bytes.
func WriteJSON(w io.Writer, r *Report, omitTimes bool) error {
	out := normalize(r)
	out.addDeprecated()
	if omitTimes {
		dropTimes(out)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("report.json: %w", err)
	}
	_, err := w.Write(escapeInvisible(buf.Bytes()))
	return err
}

// Read reads a report.json of version 1 or [FormatVersion]. It refuses other versions, unknown
// fields (the program that wrote a report reads it, or a newer one; to ignore a field would be
// to misread the report), unknown statuses, verdicts, severities and comparisons, and
// anything after the report.
func Read(data []byte) (*Report, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("report.json has %d bytes; at most %d are read", len(data), MaxSize)
	}
	var head struct {
		Version int  `json:"version"`
		Tool    Tool `json:"tool"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("not a report.json: %s", jsonError(data, err))
	}
	switch head.Version {
	case FormatVersion:
		return decode(data)
	case 1:
		newer, err := fromVersion1(data)
		if err != nil {
			return nil, fmt.Errorf("report.json of version 1: %w", err)
		}
		r, err := decode(newer)
		if err != nil {
			return nil, fmt.Errorf("version 1, read as version %d: %w", FormatVersion, err)
		}
		r.Version = FormatVersion // whatever a key says that only looks like "version"
		return r, nil
	}
	return nil, fmt.Errorf("report.json has format version %d, this program reads versions 1 to %d: use the version of Sightline that wrote it (%q)",
		head.Version, FormatVersion, head.Tool.Version)
}

// decode reads a report of [FormatVersion].
func decode(data []byte) (*Report, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	r := new(Report)
	if err := dec.Decode(r); err != nil {
		return nil, fmt.Errorf("report.json: %s", jsonError(data, err))
	}
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("report.json: %w", err)
	}
	r.dropDeprecated()
	return normalize(r), nil
}

// jsonError adds the line to an error of encoding/json.
func jsonError(data []byte, err error) string {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &mismatch):
		offset = mismatch.Offset
	}
	if offset < 0 || offset > int64(len(data)) {
		return err.Error()
	}
	return fmt.Sprintf("line %d: %v", 1+bytes.Count(data[:offset], []byte("\n")), err)
}

// statuses are all statuses of lines and targets, the best first: if a place has several,
// the first counts.
var statuses = []string{Reached, OnlyReverts, Unreached, Unreachable, Undeployable, Unmapped, NoBytecode}

// testsReach are all values of what a report says of the project's own tests.
var testsReach = []string{TestsReach, TestsMiss, TestsUnknown, ""}

// Validate returns an error unless every value of an enumeration is known and every line
// number is positive. An empty verdict is allowed: it is not decided yet.
func (r *Report) Validate() error {
	var errs []error
	check := func(where, what, value string, known ...string) {
		if !slices.Contains(known, value) {
			errs = append(errs, fmt.Errorf("%s: unknown %s %q", where, what, value))
		}
	}
	check("verdict", "verdict", r.Verdict, "", Pass, Fail, Skipped, Error)
	if _, ok := gateRank(r.FailOn); !ok {
		check("failOn", "severity", r.FailOn)
	}
	for i, l := range r.Lines {
		where := fmt.Sprintf("lines[%d]", i)
		check(where, "status", l.Status, statuses...)
		check(where, "reach of tests", l.Tests, testsReach...)
		if l.Line < 1 {
			errs = append(errs, fmt.Errorf("%s: line number %d", where, l.Line))
		}
	}
	for i, t := range r.Targets {
		check(fmt.Sprintf("targets[%d]", i), "status", t.Status, statuses...)
		check(fmt.Sprintf("targets[%d]", i), "reach of tests", t.Tests, testsReach...)
	}
	for i, c := range r.Clashes {
		check(fmt.Sprintf("clashes[%d]", i), "severity", c.Severity, severities...)
	}
	for i, u := range r.Upgrades {
		check(fmt.Sprintf("upgrades[%d]", i), "result", u.Result, LayoutCompatible, LayoutClash, LayoutUnknown)
	}
	if r.SelfCheck != nil {
		for i, m := range r.SelfCheck.Mutants {
			check(fmt.Sprintf("selfCheck.mutants[%d]", i), "result", m.Result, Caught, Noted, Missed, Equivalent, Invalid, Untried)
		}
	}
	if r.Effect != nil {
		errs = append(errs, r.Effect.validate()...)
	}
	for i, f := range r.Findings {
		where := fmt.Sprintf("findings[%d]", i)
		check(where, "severity", f.Severity, severities...)
		check(where, "comparison", f.Comparison, Introduced, PreExisting, Unknown, NoBase)
		check(where, "release", f.Release, ReleaseSame, ReleaseConfirmed, ReleaseAbsent, ReleaseUnknown, "")
	}
	return errors.Join(errs[:min(len(errs), 10)]...) // ten are enough to diagnose the rest
}

// normalize returns a copy of r in which no list is nil. Strings, and lists that are not nil,
// are shared.
func normalize(r *Report) *Report {
	c := *r
	c.Diff.Explicit = list(c.Diff.Explicit)
	c.Builds = list(c.Builds)
	c.World.Instances = list(c.World.Instances)
	c.World.Undeployed = list(c.World.Undeployed)
	c.World.Setups = list(c.World.Setups)
	c.World.Senders = list(c.World.Senders)
	c.World.Calls = list(c.World.Calls)
	c.Oracles = list(c.Oracles)
	c.Lines = list(slices.Clone(c.Lines))
	for i := range c.Lines {
		c.Lines[i].Contracts = list(c.Lines[i].Contracts)
	}
	c.Targets = list(slices.Clone(c.Targets))
	c.Findings = list(slices.Clone(c.Findings))
	for i := range c.Findings {
		c.Findings[i].Sequence = list(c.Findings[i].Sequence)
		c.Findings[i].Trace = list(c.Findings[i].Trace)
	}
	c.Clashes = slices.Clone(c.Clashes)
	for i := range c.Clashes {
		c.Clashes[i].Contracts = list(c.Clashes[i].Contracts)
		c.Clashes[i].Places = list(c.Clashes[i].Places)
	}
	if c.Effect != nil {
		effect := *c.Effect
		effect.Permissions = list(effect.Permissions)
		effect.Behaviors = list(slices.Clone(effect.Behaviors))
		for i := range effect.Behaviors {
			effect.Behaviors[i].Sequence = list(effect.Behaviors[i].Sequence)
		}
		c.Effect = &effect
	}
	if c.SelfCheck != nil {
		check := *c.SelfCheck
		check.Mutants = list(slices.Clone(check.Mutants))
		c.SelfCheck = &check
	}
	c.Stats.Timeline = slices.Clone(c.Stats.Timeline)
	c.Faults = list(c.Faults)
	c.Warnings = list(c.Warnings)
	return &c
}

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// dropTimes zeroes everything that a clock measured. r must not share its slices.
func dropTimes(r *Report) {
	r.Stats.Seconds, r.Stats.CallsPerSecond = 0, 0
	for i := range r.Stats.Timeline {
		r.Stats.Timeline[i].Seconds = 0
	}
	for i := range r.Targets {
		r.Targets[i].Seconds = 0
	}
	if r.SelfCheck != nil {
		for i := range r.SelfCheck.Mutants {
			r.SelfCheck.Mutants[i].Seconds = 0
		}
	}
	for i := range r.Findings {
		r.Findings[i].Seconds = 0
	}
}

// escapeInvisible replaces the invisible characters of encoded JSON by \u escapes. Outside
// of strings, JSON has only visible ASCII and line breaks.
func escapeInvisible(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == '\n' || strconv.IsPrint(r):
			out = append(out, data[i:i+size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
	}
	return out
}
