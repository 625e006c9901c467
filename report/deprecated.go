package report

// This file has what goes away with version 0.2 of Sightline: fields of report.json under the names that they had in
// version 1 of the format, written for programs of users that still read them.

// DeprecatedFinding are fields of a [Finding] under earlier names.
type DeprecatedFinding struct {
	Novelty       string `json:"novelty,omitempty"`       // now "comparison"
	NoveltyReason string `json:"noveltyReason,omitempty"` // now "comparisonReason"
	Shipped       string `json:"shipped,omitempty"`       // now "release"
	ShippedReason string `json:"shippedReason,omitempty"` // now "releaseReason"
	StorageLeft   int    `json:"storageLeft,omitempty"`   // now "storageOmitted"
}

// DeprecatedTarget are fields of a [Target] under earlier names.
type DeprecatedTarget struct {
	Shipped       string `json:"shipped,omitempty"`       // now "release"
	ShippedReason string `json:"shippedReason,omitempty"` // now "releaseReason"
	SetUp         string `json:"setUp,omitempty"`         // now "setup"
}

// addDeprecated fills the fields with earlier names. r must not share its findings and targets.
func (r *Report) addDeprecated() {
	for i := range r.Findings {
		f := &r.Findings[i]
		f.DeprecatedFinding = &DeprecatedFinding{f.Comparison, f.ComparisonReason, f.Release, f.ReleaseReason, f.StorageOmitted}
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		t.DeprecatedTarget = &DeprecatedTarget{t.Release, t.ReleaseReason, t.Setup}
	}
}

// dropDeprecated empties the fields with earlier names: nothing here reads them.
func (r *Report) dropDeprecated() {
	for i := range r.Findings {
		r.Findings[i].DeprecatedFinding = nil
	}
	for i := range r.Targets {
		r.Targets[i].DeprecatedTarget = nil
	}
}
