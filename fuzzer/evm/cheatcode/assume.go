package cheatcode

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/abi"
)

// assumeTable: what ends a run without failing the test.
var assumeTable = []function{
	{Signature: "assume(bool)", run: assume},
	{Signature: "assumeNoRevert()", run: assumeNoRevert},
	{Signature: "assumeNoRevert((address,bool,bytes))", run: assumeNoRevert},
	{Signature: "assumeNoRevert((address,bool,bytes)[])", run: assumeNoRevert},
	{Signature: "skip(bool)", run: skip},
	{Signature: "skip(bool,string)", run: skip},
}

func assume(_ *context, a []abi.Value) ([]abi.Value, error) {
	if !a[0].Bool() {
		return nil, raw(Assume)
	}
	return nil, nil
}

func skip(_ *context, a []abi.Value) ([]abi.Value, error) {
	if !a[0].Bool() {
		return nil, nil
	}
	reason := Skip
	if len(a) > 1 {
		reason = append(Skip[:len(Skip):len(Skip)], a[1].Bytes...)
	}
	return nil, raw(reason)
}

func assumeNoRevert(c *context, a []abi.Value) ([]abi.Value, error) {
	c.Excused = nil
	if len(a) == 0 {
		c.Excused = append(c.Excused, Excuse{Depth: c.depth, Any: true})
		return nil, nil
	}
	excuses := a
	if c.fn.arguments[0].Kind == abi.Slice {
		excuses = a[0].Elems
	}
	for i := range excuses {
		v := excuses[i].Elems
		c.Excused = append(c.Excused, Excuse{
			Depth: c.depth, Reverter: v[0].Address(), Partial: v[1].Bool(), Reason: append([]byte(nil), v[2].Bytes...),
			Any: len(v[2].Bytes) == 0 && v[0].Address() == common.Address{},
		})
	}
	return nil, nil
}
