package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// Permission is who can write a state variable, as calls on both sides show it: who was not seen to may be able
// to nevertheless.
type Permission struct {
	Contract string `json:"contract"` // qualified, whose variable it is
	Variable string `json:"variable"` // its name; of a mapping or an array, any element
	// Before and Now are who can write it on the base and on the head: "the owner", [Anyone], [Unseen];
	// empty: that side lacks the variable.
	Before string `json:"before,omitempty"`
	Now    string `json:"now,omitempty"`
	// Changed is set where both sides have the variable, and others can write it.
	Changed bool `json:"changed"`
}

// Who can write a variable, other than accounts by their roles.
const (
	Anyone = "anyone"         // also an account that was given nothing but ether
	Unseen = "no sender seen" // to write it
)

// differs is what Changed has to be.
func (row *Permission) differs() bool {
	return row.Before != "" && row.Now != "" && row.Before != row.Now
}

func (row *Permission) name() string {
	return row.Contract[strings.LastIndexByte(row.Contract, ':')+1:] + "." + row.Variable
}

// Describe is a row that changed, for people: "Vault.limit: the owner → anyone".
func (row *Permission) Describe() string { return row.name() + ": " + row.Before + " → " + row.Now }

// validate returns what is wrong with an effect.
func (e *Effect) validate() (errs []error) {
	for i := range e.Permissions {
		row := &e.Permissions[i]
		switch where := fmt.Sprintf("effect.permissions[%d]", i); {
		case row.Before == "" && row.Now == "":
			errs = append(errs, fmt.Errorf("%s: a variable of neither side", where))
		case row.Changed != row.differs():
			errs = append(errs, fmt.Errorf("%s: changed is %t, before %q, now %q", where, row.Changed, row.Before, row.Now))
		}
	}
	return errs
}

// SortPermissions puts those first that changed, and of these what anyone can write now.
func SortPermissions(all []Permission) {
	rank := func(row Permission) int {
		switch {
		case row.Changed && row.Now == Anyone:
			return 0
		case row.Changed:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(all, func(a, b Permission) int { return rank(a) - rank(b) })
}

// changedPermissions are the rows to speak of.
func (e *Effect) changedPermissions() []Permission {
	return slices.DeleteFunc(slices.Clone(e.Permissions), func(row Permission) bool { return !row.Changed })
}

// shownPermissions is how many of them a sentence has. Arbitrary: it is read in a line.
const shownPermissions = 3

// whoCanWrite is a sentence without its end: "Vault.owner: the owner → anyone".
func whoCanWrite(rows []Permission, prose, code func(string, int) string) string {
	var parts []string
	for i := range rows[:min(len(rows), shownPermissions)] {
		row := &rows[i]
		parts = append(parts, fmt.Sprintf("%s: %s → %s", code(row.name(), maxPath), prose(row.Before, maxReason), prose(row.Now, maxReason)))
	}
	text := strings.Join(parts, "; ")
	if n := len(rows) - shownPermissions; n > 0 {
		text += human.More(n)
	}
	return text
}

// permissions writes who can write which variable: in the comment where that changed, in the summary
// all of it.
func (p *page) permissions(e *Effect) {
	if rows := e.changedPermissions(); len(rows) > 0 {
		p.line("**Who can write**: %s\n", sentence(whoCanWrite(rows, prose, code)))
	}
	if !p.summary || len(e.Permissions) == 0 || p.detail >= noUnreached {
		return
	}
	p.folded("Who can write the variables of changed contracts", func() {
		p.line("| Variable | On the base | Now |\n|---|---|---|")
		shown := e.Permissions[:min(len(e.Permissions), p.rows)]
		for i := range shown {
			row := &shown[i]
			now := prose(row.Now, maxReason)
			if row.Changed {
				now = "**" + now + "**"
			}
			p.line("| %s | %s | %s |", code(row.name(), maxPath), prose(row.Before, maxReason), now)
		}
		p.more(len(e.Permissions)-len(shown), "variable")
	})
}
