package deploy

import (
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
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

// usesIn are the calls that the makers of a World and the project's tests make.
func usesIn(setup *world.Report) []evm.Call {
	uses := slices.Clone(setup.Uses)
	for _, calls := range setup.Examples {
		uses = append(uses, calls...)
	}
	return uses
}

// constructedIn are the constructor arguments that the makers of a World chose.
func constructedIn(setup *world.Report) []input.Constructed {
	var list []input.Constructed
	for _, made := range setup.Deployments[:setup.Given] {
		if made.Code != nil && len(made.Call.Data) > len(made.Code) {
			list = append(list, input.Constructed{Contract: made.Contract, Arguments: made.Call.Data[len(made.Code):]})
		}
	}
	return list
}

// likelyIn are the accounts that functions take as a rule.
func likelyIn(setup *world.Report) []input.Likely {
	var list []input.Likely
	for _, l := range setup.Likely {
		list = append(list, input.Likely(l))
	}
	return list
}

// ExampleSeeds are the calls that the project's tests make, up to each of them: a
// campaign goes on from the last call of a sequence. Those that the World's makers made follow,
// each by itself.
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
	for i := range d.Setup.Uses {
		use := d.Setup.Uses[i]
		if !slices.ContainsFunc(d.Space.Senders, func(s evm.Sender) bool { return s.Address == use.From }) {
			use.From = d.Space.Senders[0].Address
		}
		if call, err := d.Space.Read(&use); err == nil && len(seeds) < maxExampleSeeds && d.Space.Validate(input.Sequence{call}) == nil {
			seeds = append(seeds, input.Sequence{call})
		}
	}
	return seeds
}
