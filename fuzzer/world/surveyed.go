package world

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// survey is what running the tests of a contract showed.
type survey struct {
	// lines are the targets' lines that were executed, each with the function that did first.
	lines map[bytecode.Position]string
	// entries are the beginnings of the targets' lines, spare ones included, that each function
	// came to, by signature.
	entries map[string]map[bytecode.Location]bool
	// spare are lines that were executed in contracts of tests, qualified, which have copies of
	// them: of a library, or of a contract that a test inherits from.
	spare map[bytecode.Position][]string
	// makes are the test functions that deploy contracts with targets themselves.
	makes []made
	// failure is why the set-up failed, alone on a chain; empty: it did not.
	failure string
	at      bytecode.Location
	located bool
	gas     uint64
}

func newSurvey() *survey {
	return &survey{lines: map[bytecode.Position]string{}, entries: map[string]map[bytecode.Location]bool{}, spare: map[bytecode.Position][]string{}}
}

// covers counts lines of a set that the tests execute.
func (s *survey) covers(open map[bytecode.Position]bool) int {
	if s == nil {
		return 0
	}
	return countOpen(s, s.lines, open)
}

// coversSpare counts lines of a set that the tests execute in contracts of tests.
func (s *survey) coversSpare(open map[bytecode.Position]bool) int {
	if s == nil {
		return 0
	}
	return countOpen(s, s.spare, open)
}

// countOpen counts those of a survey's lines that are in a set; none where the set-up failed.
func countOpen[V any](s *survey, lines map[bytecode.Position]V, open map[bytecode.Position]bool) int {
	n := 0
	for line := range lines {
		if s.failure == "" && open[line] {
			n++
		}
	}
	return n
}

// see notes the targets' lines that an execution came to.
func (s *setups) see(exec *evm.Execution, function string, result *survey, table *bytecode.Table) {
	for _, c := range exec.Covered {
		at, ok := blockStart(table, &c)
		if !ok {
			continue
		}
		lines, spare := s.Entries[at], s.Spare[at]
		if len(lines) == 0 && len(spare) == 0 {
			continue
		}
		if result.entries[function] == nil {
			result.entries[function] = map[bytecode.Location]bool{}
		}
		result.entries[function][at] = true
		for _, line := range spare {
			if !slices.Contains(result.spare[line.Position], line.Contract) {
				result.spare[line.Position] = append(result.spare[line.Position], line.Contract)
			}
		}
		for _, line := range lines {
			if _, known := result.lines[line]; !known {
				result.lines[line] = function
			}
		}
	}
}
