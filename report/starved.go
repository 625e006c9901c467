package report

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
)

// Starved says that a campaign ran too few executions to say anything about its targets.
type Starved struct {
	Executions uint64 `json:"executions"` // without those in which a heavy call failed
	Needed     uint64 `json:"needed"`     // see [Needed]
	Targets    int    `json:"targets"`
	// Unconfirmed counts what oracles saw in calls so heavy that it could not be confirmed.
	Unconfirmed int `json:"unconfirmed,omitempty"`
	// LeftOut counts contracts with targets that were not deployed, since so many others were.
	LeftOut int `json:"leftOut,omitempty"`
	// Burning are functions that burnt their gas in nearly all calls, in contracts with targets
	// that were not reached.
	Burning []string `json:"burning,omitempty"`
	Allowed bool     `json:"allowed"` // the run may pass all the same
}

// Burner is a function whose calls took much of a campaign's work.
type Burner struct {
	Contract string  `json:"contract"`
	Function string  `json:"function"`
	Calls    uint64  `json:"calls"` // heavy ones
	Share    float64 `json:"share"` // of the campaign's work, from 0 to 1
}

// The executions that a campaign needs. Arbitrary: campaigns of projects as they are run ten
// thousand to two hundred thousand a second; those that were starved on purpose ran ten.
const (
	neededAtLeast   = 1000
	neededPerTarget = 100
	neededAtMost    = 200_000
	// A limit that was asked for is the user's word: no more is needed than it allows a
	// campaign of slow calls, or of sequences of 64 calls. But it was not asked for
	// with a change of so many targets in mind, of which each takes a look at least.
	neededPerSecond = 500
	callsPerNeeded  = 128
	manyTargets     = 100
	neededPerMany   = 10
)

// Needed is the number of executions that a campaign needs for so many targets, given what
// it was asked to stop after.
func Needed(targets int, limits Limits) uint64 {
	needed := min(neededAtLeast+neededPerTarget*uint64(targets), neededAtMost)
	if limits.Calls > 0 {
		needed = min(needed, limits.Calls/callsPerNeeded)
	}
	if limits.Seconds > 0 {
		needed = min(needed, uint64(neededPerSecond*limits.Seconds))
	}
	return max(needed, neededPerMany*uint64(max(targets-manyTargets, 0)))
}

// DescribeStarved says in what way the campaign was starved.
func (r *Report) DescribeStarved() string {
	s := r.Starved
	reason := fmt.Sprintf("starved: %s for %s, where at least %s are needed", human.Plural(int(s.Executions), "execution"), human.Plural(s.Targets, "target"), human.Count(s.Needed))
	switch {
	case s.Executions < s.Needed:
	case len(s.Burning) > 0:
		named := s.Burning[0]
		if n := len(s.Burning) - 1; n > 0 {
			named += " and " + human.Plural(n, "more function")
		}
		return fmt.Sprintf("starved: calls of %s burn gas and fail, so that they show nothing of what was not reached", human.Clean(named, maxName))
	case s.LeftOut > 0:
		return fmt.Sprintf("starved: %s with targets left out, since so many contracts changed; change less at once", human.Plural(s.LeftOut, "contract"))
	default:
		reason = fmt.Sprintf("starved: %s seen in calls that take too long to be confirmed", human.Plural(s.Unconfirmed, "finding"))
	}
	var named []string
	others := 0
	for _, b := range r.Stats.Burners {
		if len(named) == 3 { // what a sentence holds
			others++
		} else {
			named = append(named, fmt.Sprintf("%s.%s (%.0f%%)", human.Clean(b.Contract, maxName), human.Clean(b.Function, maxName), 100*b.Share))
		}
	}
	if len(named) == 0 {
		return reason + "; give the campaign more time, or change less at once"
	}
	if others > 0 {
		named = append(named, human.Plural(others, "more function"))
	}
	return reason + "; calls that burn gas used up its work: " + strings.Join(named, ", ")
}
