package cheatcode

import "github.com/ethereum/go-ethereum/common"

// assumeTable: what ends a run without failing the test.
var assumeTable = []Function{
	{Signature: "assume(bool)", run: assume},
	{Signature: "assumeNoRevert()", run: assumeNoRevert},
	{Signature: "assumeNoRevert((address,bool,bytes))", run: assumeNoRevert},
	{Signature: "assumeNoRevert((address,bool,bytes)[])", run: assumeNoRevert},
	{Signature: "skip(bool)", run: skip},
	{Signature: "skip(bool,string)", run: skip},
}

func assume(_ *context, a []value) ([]value, error) {
	if !a[0].truth() {
		return nil, raw(Assume)
	}
	return nil, nil
}

func skip(_ *context, a []value) ([]value, error) {
	if !a[0].truth() {
		return nil, nil
	}
	reason := Skip
	if len(a) > 1 {
		reason = append(Skip[:len(Skip):len(Skip)], a[1].bytes...)
	}
	return nil, raw(reason)
}

func assumeNoRevert(c *context, a []value) ([]value, error) {
	c.Excused = nil
	if len(a) == 0 {
		c.Excused = append(c.Excused, Excuse{Depth: c.depth, Any: true})
		return nil, nil
	}
	excuses := a
	if c.fn.arguments[0].kind == kindSlice {
		excuses = a[0].list
	}
	for i := range excuses {
		v := excuses[i].list
		c.Excused = append(c.Excused, Excuse{
			Depth: c.depth, Reverter: v[0].address(), Partial: v[1].truth(), Reason: append([]byte(nil), v[2].bytes...),
			Any: len(v[2].bytes) == 0 && v[0].address() == common.Address{},
		})
	}
	return nil, nil
}
