package report

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// Audit says that a project was looked at as it is: there is no change, and no base.
type Audit struct {
	// Without are the oracles that did not watch, since they compare with a base, by id.
	Without []string `json:"without,omitempty"`
}

// audited is the key under which a tally notes that its rows are of an audit; it is not a status.
const audited = "audited"

// describeAudit says what an audit does not say; empty where there is a base.
func (r *Report) describeAudit(code func(s string, most int) string) string {
	if r.Audit == nil {
		return ""
	}
	said := "audit of contracts as they are: nothing was compared with a base"
	if n := len(r.Audit.Without); n > 0 {
		var names []string
		for _, id := range r.Audit.Without {
			names = append(names, code(id, maxName))
		}
		said += fmt.Sprintf(", so %s did not watch", strings.Join(names, ", "))
	}
	return said
}

// audit writes what an audit does not say.
func (p *page) audit() {
	if said := p.r.describeAudit(code); said != "" {
		p.line("%s.\n", upper(said))
	}
}

// subject is what a report is about.
func (r *Report) subject() string {
	if r.Audit != nil {
		return "the project"
	}
	return "the change"
}

// files is how a report calls n files that it is about.
func (r *Report) files(n int) string {
	if r.Audit != nil {
		return human.Plural(n, "file")
	}
	return human.Plural(n, "changed file")
}
