package report

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-evm/sightline/internal/human"
)

// Waiver accepts a finding, or that anyone can call a function, until a day.
type Waiver struct {
	ID      string `json:"id,omitempty"` // of the finding
	Reason  string `json:"reason"`
	Owner   string `json:"owner"`
	Expires string `json:"expires"` // the last day on which it holds, "2026-12-31", UTC
	// Contract, if given, is the contract that the finding must be in, with its
	// source ("src/Vault.sol:Vault"): ids are short, and code can be written whose
	// finding has the same id.
	Contract string `json:"contract,omitempty"`
	// Fingerprint, if given, is the one that the finding must have.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Allow, in place of all of these, is who may call a function: "Vault.harvest by anyone".
	Allow   string `json:"allow,omitempty"`
	Expired bool   `json:"expired"` // on the day of the run
}

// dayFormat is that of [Waiver.Expires] (ISO 8601).
const dayFormat = "2006-01-02"

// Check returns an error if a waiver lacks a field.
func (w *Waiver) Check() error {
	if w.ID+w.Allow == "" {
		return errors.New("id is missing; or allow, such as Vault.harvest by anyone")
	}
	for _, field := range []struct{ name, value string }{{"reason", w.Reason}, {"owner", w.Owner}, {"expires", w.Expires}} {
		if field.value == "" {
			return fmt.Errorf("%s is missing", field.name)
		}
	}
	if _, err := time.Parse(dayFormat, w.Expires); err != nil {
		return fmt.Errorf("expires is %q; want a day such as 2026-12-31", human.Clean(w.Expires, maxName))
	}
	if w.Allow != "" {
		return w.checkPermission()
	}
	return nil
}

// Waive marks the findings that are waived on a day. An expired waiver waives nothing, and
// fails the gate until it is renewed or removed. Where strangers write the code, a waiver without
// a fingerprint waives nothing either, and a warning has the one that it lacks: an id has 16 bits,
// and a comment on the failing line is enough to make it another finding's.
func Waive(r *Report, waivers []Waiver, today time.Time, strangers bool) {
	day := today.UTC().Format(dayFormat)
	r.Waivers = nil
	for _, w := range waivers {
		w.Expired = w.Expires < day
		r.Waivers = append(r.Waivers, w)
		if w.Expired {
			continue
		}
		for i := range r.Findings {
			f := &r.Findings[i]
			if w.Allow != "" && w.allows(r, f, strangers) || (w.Contract == "" || w.Contract == f.Location.Contract) && w.names(r, f.ID, f.Fingerprint, strangers) {
				f.Waived = &w
			}
		}
		for i := range r.Clashes {
			c := &r.Clashes[i]
			if (w.Contract == "" || slices.Contains(c.Contracts, w.Contract)) && w.names(r, c.ID, c.Fingerprint, strangers) {
				c.Waived = &w
			}
		}
	}
}

// names reports whether a waiver names what has an id and a fingerprint.
func (w *Waiver) names(r *Report, id, fingerprint string, strangers bool) bool {
	switch {
	case w.ID != id || w.Allow != "":
		return false
	case w.Fingerprint == "" && strangers:
		r.Warnings = append(r.Warnings, fmt.Sprintf("the waiver of %s has no fingerprint, and code can be written to have its id, so it is not applied; if it is meant, add to it: fingerprint: %s", id, fingerprint))
		return false
	}
	return w.Fingerprint == "" || w.Fingerprint == fingerprint
}

// expired lists the waivers that have expired.
func (r *Report) expired() []Waiver {
	var expired []Waiver
	for _, w := range r.Waivers {
		if w.Expired {
			expired = append(expired, w)
		}
	}
	return expired
}

// waived says by whom and until when a finding is waived; empty if it is not.
func (f *Finding) waived(clean func(s string, most int) string) string {
	if f.Waived == nil {
		return ""
	}
	return fmt.Sprintf("waived by %s until %s: %s", clean(f.Waived.Owner, maxName), clean(f.Waived.Expires, maxName), clean(f.Waived.Reason, maxReason))
}
