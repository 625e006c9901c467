package deploy

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// DeploymentSeeds are the World's own deployments as calls: they reach changed lines of
// constructors.
func (d *Deployment) DeploymentSeeds() []input.Sequence {
	var seeds []input.Sequence
	for _, made := range d.Setup.Deployments {
		for i := range d.Space.Instances {
			in := &d.Space.Instances[i]
			if !in.Fresh || in.Contract != made.Contract {
				continue
			}
			constructor := in.Functions[len(in.Functions)-1] // see input.Instance
			args, err := input.Decode(constructor.Inputs, made.Call.Data[len(made.Code):])
			if err != nil {
				continue // larger than what sequences hold
			}
			seeds = append(seeds, input.Sequence{{Instance: i, Function: constructor, Args: args, Value: made.Call.Value}})
		}
	}
	return seeds
}

// maxExampleSeeds bounds the sequences that are taken from tests. Arbitrary: a few seconds
// of a campaign at most.
const maxExampleSeeds = 4096

// ExampleSeeds are the calls that the project's tests make, up to each of them: a
// campaign goes on from the last call of a sequence.
func (d *Deployment) ExampleSeeds() []input.Sequence {
	var seeds []input.Sequence
	for _, calls := range d.Setup.Examples {
		var seq input.Sequence
		for i := range calls {
			call, err := d.Space.Read(&calls[i])
			if err != nil {
				continue // sequences cannot do what the test does there
			}
			seq = append(seq, call)
			if len(seeds) == maxExampleSeeds || d.Space.Validate(seq) != nil {
				break
			}
			seeds = append(seeds, slices.Clone(seq))
		}
	}
	return seeds
}
