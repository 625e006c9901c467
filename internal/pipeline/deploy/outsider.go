package deploy

import (
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
)

// WithOutsider is the deployment with another sender, the last one, that was given nothing
// but ether. Sequences mean the same in both.
func (d *Deployment) WithOutsider() (*Deployment, error) {
	out := *d
	out.World = world.WithOutsider(d.World)
	var err error
	out.Space, err = input.NewSpace(out.World, d.Space.Options)
	return &out, err
}
