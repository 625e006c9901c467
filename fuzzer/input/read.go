package input

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Read finds the Call that a machine's call is: its sender, instance and function
// with the arguments that its calldata holds. Advances beyond the bounds are cut. An error
// says what the Space has not.
func (s *Space) Read(call *evm.Call) (Call, error) {
	out := Call{
		Sender:       slices.IndexFunc(s.Senders, func(sender evm.Sender) bool { return sender.Address == call.From }),
		Instance:     slices.IndexFunc(s.Instances, func(in Instance) bool { return !in.Fresh && in.Address == call.To }),
		Value:        call.Value,
		TimeAdvance:  min(call.TimeAdvance, MaxTimeAdvance),
		BlockAdvance: min(call.BlockAdvance, MaxBlockAdvance),
	}
	switch {
	case out.Sender < 0:
		return Call{}, fmt.Errorf("%s is not a sender of the World", call.From)
	case out.Instance < 0 || call.Create:
		return Call{}, fmt.Errorf("no instance is at %s", call.To)
	}
	in := &s.Instances[out.Instance]
	i := slices.IndexFunc(in.Functions, func(f *Function) bool { return f.takes(call.Data) })
	if i < 0 {
		return Call{}, fmt.Errorf("%s has no function for such calldata", in.Name)
	}
	out.Function = in.Functions[i]
	if out.Function.Test {
		out.Sender = s.tester
	}
	if out.Function.Kind == Method {
		var err error
		if out.Args, err = Decode(out.Function.Inputs, call.Data[len(out.Function.Selector):]); err != nil {
			return Call{}, err
		}
	}
	return out, nil
}

// takes reports whether calldata leads to the function: to a method by its selector,
// to receive when there is none. What else a fallback function takes is not read.
func (f *Function) takes(data []byte) bool {
	return f.Kind == Method && bytes.HasPrefix(data, f.Selector[:]) || f.Kind == Receive && len(data) == 0
}
