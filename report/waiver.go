package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/sightline-evm/sightline/internal/human"
)

// Waiver accepts a finding until a day.
type Waiver struct {
	ID      string `json:"id"` // of the finding
	Reason  string `json:"reason"`
	Owner   string `json:"owner"`
	Expires string `json:"expires"` // the last day on which it holds, "2026-12-31", UTC
	// Contract, if given, is the contract that the finding must be in, with its
	// source ("src/Vault.sol:Vault"): ids are short, and code can be written whose
	// finding has the same id.
	Contract string `json:"contract,omitempty"`
	Expired  bool   `json:"expired"` // on the day of the run
}

// dayFormat is that of [Waiver.Expires] (ISO 8601).
const dayFormat = "2006-01-02"

// Check returns an error if a waiver lacks a field.
func (w *Waiver) Check() error {
	for _, field := range []struct{ name, value string }{{"id", w.ID}, {"reason", w.Reason}, {"owner", w.Owner}, {"expires", w.Expires}} {
		if field.value == "" {
			return fmt.Errorf("%s is missing", field.name)
		}
	}
	if _, err := time.Parse(dayFormat, w.Expires); err != nil {
		return fmt.Errorf("expires is %q; want a day such as 2026-12-31", human.Clean(w.Expires, maxName))
	}
	return nil
}

// Waive marks the findings that are waived on a day. An expired waiver waives nothing, and
// fails the gate until it is renewed or removed.
func Waive(r *Report, waivers []Waiver, today time.Time) {
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
			if f.ID == w.ID && (w.Contract == "" || w.Contract == f.Location.Contract) {
				f.Waived = &w
			}
		}
		for i := range r.Clashes {
			c := &r.Clashes[i]
			if c.ID == w.ID && (w.Contract == "" || slices.Contains(c.Contracts, w.Contract)) {
				c.Waived = &w
			}
		}
	}
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
