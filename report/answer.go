package report

import (
	"fmt"

	"github.com/sightline-evm/sightline/internal/human"
)

// Answer is what is asked after a sequence, and answered on head and base.
type Answer struct {
	Of   string `json:"of"`   // "Token.balanceOf(user1)", "the ether of user1"
	Head string `json:"head"` // "5"
	Base string `json:"base"`
}

// callLines are a finding's calls as [sequenceLines] has them, and what is answered after them. All of it is clean.
func (f *Finding) callLines() []string {
	lines := sequenceLines(f.Sequence)
	if a := f.Answer; a != nil {
		lines = append(lines, fmt.Sprintf("afterwards, %s is %s; on the base %s", human.Clean(a.Of, maxCall), human.Clean(a.Head, maxCall), human.Clean(a.Base, maxCall)))
	}
	return lines
}
