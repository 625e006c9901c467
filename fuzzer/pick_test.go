package fuzzer

import "testing"

// TestEnergyCountsWork: a seed whose executions take so many times as long as the mean has that much less energy, and never none.
func TestEnergyCountsWork(t *testing.T) {
	var c Campaign
	c.ration.lastWork, c.result.Stats.Executions = 100*(overheadWork+1000), 100
	for _, test := range []struct {
		lastWork uint64
		energy   Energy
		want     Energy
	}{
		{0, 64, 64},
		{1000, 64, 64},
		{overheadWork + 2000, 64, 32},
		{7*overheadWork + 8000, 64, 8},
		{7*overheadWork + 8000, 2, 1},
		{1 << 40, 1024, 1},
	} {
		if got := c.affordableEnergy(&Seed{lastWork: test.lastWork}, test.energy); got != test.want {
			t.Errorf("work %d: energy %d of %d, want %d", test.lastWork, got, test.energy, test.want)
		}
	}
}
