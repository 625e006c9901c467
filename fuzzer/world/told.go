package world

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// MadeCall is a transaction that made a World.
type MadeCall struct {
	evm.Call
	// Changes are the accounts that it may have changed: what it came to, otherwise than by
	// STATICCALL. nil: it did too much to tell.
	Changes []common.Address
	Reads   []common.Address // other accounts that it came to
}

// tell notes the transactions that made the World, where nothing else did.
func (d *deployer) tell(plan *Plan) error {
	if d.untold || plan != nil && (plan.Origin != nil || len(plan.Accounts) > 0) {
		return nil
	}
	d.report.Told = true
	exec, err := d.machine.Run(d.calls)
	if err != nil {
		return err
	}
	for i := range d.calls {
		made := MadeCall{Call: d.calls[i]}
		if !exec.Truncated {
			made.come(exec.Frames[exec.Calls[i].Frames[0]:exec.Calls[i].Frames[1]])
		}
		d.report.Made = append(d.report.Made, made)
	}
	return nil
}

// come notes the accounts that frames came to.
func (c *MadeCall) come(frames []evm.Frame) {
	add := func(list *[]common.Address, a common.Address) {
		if !slices.Contains(*list, a) {
			*list = append(*list, a)
		}
	}
	for i := range frames {
		f := &frames[i]
		if f.Kind == evm.KindStaticCall {
			add(&c.Reads, f.Self)
		} else {
			add(&c.Changes, f.Self)
		}
		add(&c.Reads, f.CodeAddress)
	}
}
