package compare

import (
	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
)

// Judging is with what sequences are run again on a deployment, to see what all oracles see.
func Judging(d *deploy.Deployment) *fuzzer.Config {
	oracles := oracle.Known()
	if d.Audit || len(d.Added)+len(d.Altered) > 0 {
		oracles = append(oracles, oracle.ThirdPartyLoss)
	}
	return &fuzzer.Config{World: d.World, Space: d.Space, Oracles: oracles, Audit: d.Audit, Added: d.Added, Altered: d.Altered, NewJudge: d.NewJudge, NewTracer: d.NewTracer}
}
