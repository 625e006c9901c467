package pipeline

import (
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/pipeline/compare"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/report"
)

// permissions says in words who can write which variable: the head's words for both sides.
func permissions(head *deploy.Deployment, rows []*compare.Permission) ([]report.Permission, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	c, err := newConditions(head, nil) // only roles are asked for
	if err != nil {
		return nil, err
	}
	var all []report.Permission
	for _, row := range rows {
		said := report.Permission{Contract: row.Contract, Variable: row.Variable}
		if row.There {
			said.Before = c.whoOf(row, row.Before)
		}
		if row.Here {
			said.Now = c.whoOf(row, row.Now)
		}
		said.Changed = row.Here && row.There && said.Before != said.Now
		all = append(all, said)
	}
	report.SortPermissions(all)
	return all, nil
}

// whoOf are senders by their roles, each once: "the owner, the keeper".
func (c *conditions) whoOf(row *compare.Permission, senders []int) string {
	var words []string
	for _, i := range senders {
		sender := &c.head.Space.Senders[i]
		word := c.roleOf(sender.Address, row.Instances)
		switch {
		case c.head.Space.IsOutsider(i):
			return report.Anyone
		case word == "":
			word = "an account that the set-up knows"
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return report.Unseen
	}
	return strings.Join(words, ", ")
}
