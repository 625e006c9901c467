package fuzzer

import (
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Energy is how many inputs are made from a seed before the next is picked.
type Energy int

// maxEnergy is the bound K of the power schedules (lookahead paper §4.2, Def. 6).
const maxEnergy = 1024

// Schedule decides which seed is fuzzed next and with how much energy.
type Schedule struct {
	Name string
	// pick chooses an entry of a non-empty suite and says how much energy it gets,
	// at least 1.
	pick func(*Suite, input.Rand) (*Seed, Energy)
}

// Cutoff is configuration A of the lookahead paper (§6.3): entries uniformly,
// with AFLFast's cut-off exponential energy (CCS'16 §4.3): nothing for a seed
// whose path has been exercised more often than the mean over all paths, else
// min(2^selected, 1024).
//
// Half of the picks go to the inputs that came closest to a branch side nothing
// has taken yet (design §6 "Suite"), with the exponential alone. The half is
// arbitrary: it keeps both sources alive whatever their sizes.
var Cutoff = &Schedule{Name: "cutoff", pick: pickCutoff}

// ScheduleNamed finds a schedule by its name.
func ScheduleNamed(name string) (*Schedule, error) {
	if name == Cutoff.Name {
		return Cutoff, nil
	}
	return nil, fmt.Errorf("unknown schedule %q: want %s", name, Cutoff.Name)
}

func pickCutoff(s *Suite, r input.Rand) (*Seed, Energy) {
	if len(s.closest) > 0 && r.Uint64()&1 == 0 {
		seed := s.closest[r.IntN(len(s.closest))]
		return seed, exponential(seed)
	}
	// A path above the mean is skipped. The least exercised path is never above
	// it, so trying every seed once would end; picking with replacement ends
	// soon too, and the bound is twice the expected number of tries even if only
	// one seed in a suite of its size is below the mean.
	var seed *Seed
	for range 2*len(s.Seeds) + 1 {
		seed = s.Seeds[r.IntN(len(s.Seeds))]
		if s.fuzz(seed.PID)*uint64(s.paths()) <= s.total {
			break
		}
	}
	return seed, exponential(seed)
}

// exponential is min(2^selected, K).
func exponential(seed *Seed) Energy {
	if seed.Selected >= 10 { // 2^10 = maxEnergy
		return maxEnergy
	}
	return 1 << seed.Selected
}
