package report

import "fmt"

// throughHarness is the key under which a tally counts reached lines that only harnesses called,
// which are among those that were reached; it is not a status.
const throughHarness = "through harnesses"

// harnessed says how many lines were reached through harnesses alone, after how many were reached;
// empty where none was. What fails in a harness is not a finding, so such lines were seen to run,
// and no more.
func (t tally) harnessed() string {
	switch n := t[throughHarness]; {
	case n == 0:
		return ""
	case n == t[Reached]:
		return "all through generated harnesses"
	default:
		return fmt.Sprintf("%d of them only through generated harnesses", n)
	}
}
