package fuzzer

import (
	"testing"
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
