package fuzzer

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/oracle"
)

// BenchmarkCampaign measures whole campaigns of one worker on the reference
// machine; an operation is a call.
//
//	go test ./fuzzer/ -run '^$' -bench Campaign -cpuprofile cpu.out
func BenchmarkCampaign(b *testing.B) {
	for _, name := range []string{"crowdsale", "vault"} {
		b.Run(name, func(b *testing.B) {
			p := openExample(b, name)
			config := p.config(1, uint64(b.N))
			b.ReportAllocs()
			b.ResetTimer()
			r := mustRun(b, config)
			b.ReportMetric(float64(r.Stats.Calls)/b.Elapsed().Seconds(), "calls/s")
			b.ReportMetric(float64(r.Stats.Executions)/b.Elapsed().Seconds(), "executions/s")
		})
	}
}

// TestHotLoopAllocates: what the campaign does with an execution that shows
// nothing new takes no memory. Almost all executions are like that.
func TestHotLoopAllocates(t *testing.T) {
	p := openExample(t, "crowdsale")
	machine, err := p.newMachine()
	if err != nil {
		t.Fatal(err)
	}
	seq := parse(t, p.space, "user1 Crowdsale.invest() value 1000000000000000000; user1 Crowdsale.refund()")
	exec, err := machine.Run(p.space.Encode(seq, nil))
	if err != nil {
		t.Fatal(err)
	}
	w := &worker{tools: tools{tracker: newTracker(nil, 0)}, sightings: newSightings(newObserver(&Config{Oracles: oracle.All(), Space: p.space}), 0)}
	look := func() {
		if n := w.tracker.track(exec, false, nil); n.any() || len(w.observe(seq, exec)) > 0 || changedState(exec) {
			t.Fatal("the same execution shows something new")
		}
	}
	w.tracker.track(exec, false, nil)
	if n := testing.AllocsPerRun(100, look); n > 0 {
		t.Errorf("%v allocations per execution", n)
	}
	suite := newSuite()
	if n := testing.AllocsPerRun(100, func() { suite.count(exec.PathID()) }); n > 0 {
		t.Errorf("%v allocations to count a path", n)
	}
}
