package report

import (
	"fmt"

	"github.com/sightline-evm/sightline/internal/human"
)

// Exchange counts the inputs that a campaign exchanged with others while it ran. Its result depends on when they came.
type Exchange struct {
	Sent     uint64 `json:"sent"`               // that the hub has taken
	Withheld uint64 `json:"withheld"`           // that were not sent, since an oracle sees something in them
	Received uint64 `json:"received"`           // of others, that were run
	New      uint64 `json:"new"`                // executions of those that showed something new here
	Targets  int    `json:"targets"`            // that an input of others reached
	Losses   uint64 `json:"losses,omitempty"`   // of the connection
	Replayed bool   `json:"replayed,omitempty"` // what others sent came from the log of an earlier run
}

// Describe says what was exchanged; empty: nothing was.
func (e *Exchange) Describe() string {
	if e == nil {
		return ""
	}
	said := fmt.Sprintf("%s sent, %s of others run, %s new here", human.Plural(int(e.Sent), "input"), human.Count(e.Received), human.Count(e.New))
	if e.Replayed {
		said = fmt.Sprintf("%s of others run again as logged, %s new here", human.Plural(int(e.Received), "input"), human.Count(e.New))
	}
	if e.Losses > 0 {
		said += fmt.Sprintf("; the hub was lost %s", human.Plural(int(e.Losses), "time"))
	}
	return said
}
