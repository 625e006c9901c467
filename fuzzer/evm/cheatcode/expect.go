package cheatcode

import (
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// expectTable: expectations of what follows.
var expectTable = []function{
	{Signature: "expectRevert()", run: expectRevert("")},
	{Signature: "expectRevert(bytes4)", run: expectRevert("d")},
	{Signature: "expectRevert(bytes)", run: expectRevert("d")},
	{Signature: "expectRevert(address)", run: expectRevert("a")},
	{Signature: "expectRevert(bytes4,address)", run: expectRevert("da")},
	{Signature: "expectRevert(bytes,address)", run: expectRevert("da")},
	{Signature: "expectRevert(uint64)", run: expectRevert("n")},
	{Signature: "expectRevert(bytes4,uint64)", run: expectRevert("dn")},
	{Signature: "expectRevert(bytes,uint64)", run: expectRevert("dn")},
	{Signature: "expectRevert(address,uint64)", run: expectRevert("an")},
	{Signature: "expectRevert(bytes4,address,uint64)", run: expectRevert("dan")},
	{Signature: "expectRevert(bytes,address,uint64)", run: expectRevert("dan")},
	{Signature: "expectPartialRevert(bytes4)", run: expectRevert("p")},
	{Signature: "expectPartialRevert(bytes4,address)", run: expectRevert("pa")},
	{Signature: "_expectCheatcodeRevert()", run: expectRevert("c")},
	{Signature: "_expectCheatcodeRevert(bytes4)", run: expectRevert("cd")},
	{Signature: "_expectCheatcodeRevert(bytes)", run: expectRevert("cd")},
	{Signature: "expectEmit()", run: expectEmit("")},
	{Signature: "expectEmit(address)", run: expectEmit("a")},
	{Signature: "expectEmit(uint64)", run: expectEmit("n")},
	{Signature: "expectEmit(address,uint64)", run: expectEmit("an")},
	{Signature: "expectEmit(bool,bool,bool,bool)", run: expectEmit("123d")},
	{Signature: "expectEmit(bool,bool,bool,bool,address)", run: expectEmit("123da")},
	{Signature: "expectEmit(bool,bool,bool,bool,uint64)", run: expectEmit("123dn")},
	{Signature: "expectEmit(bool,bool,bool,bool,address,uint64)", run: expectEmit("123dan")},
	{Signature: "expectEmitAnonymous()", run: expectEmit("x")},
	{Signature: "expectEmitAnonymous(address)", run: expectEmit("xa")},
	{Signature: "expectEmitAnonymous(bool,bool,bool,bool,bool)", run: expectEmit("x0123d")},
	{Signature: "expectEmitAnonymous(bool,bool,bool,bool,bool,address)", run: expectEmit("x0123da")},
	{Signature: "expectCall(address,bytes)", run: expectCall("d")},
	{Signature: "expectCall(address,bytes,uint64)", run: expectCall("dn")},
	{Signature: "expectCall(address,uint256,bytes)", run: expectCall("vd")},
	{Signature: "expectCall(address,uint256,bytes,uint64)", run: expectCall("vdn")},
	{Signature: "expectCall(address,uint256,uint64,bytes)", run: expectCall("vgd")},
	{Signature: "expectCall(address,uint256,uint64,bytes,uint64)", run: expectCall("vgdn")},
	{Signature: "expectCallMinGas(address,uint256,uint64,bytes)", run: expectCall("vld")},
	{Signature: "expectCallMinGas(address,uint256,uint64,bytes,uint64)", run: expectCall("vldn")},
	{Signature: "expectCreate(bytes,address)", run: expectCreate(false)},
	{Signature: "expectCreate2(bytes,address)", run: expectCreate(true)},
	{Signature: "expectSafeMemory(uint64,uint64)", Status: accepted, Note: "which memory is written is not watched"},
	{Signature: "expectSafeMemoryCall(uint64,uint64)", Status: accepted, Note: "which memory is written is not watched"},
	{Signature: "stopExpectSafeMemory()", Status: accepted},
}

// expectRevert makes a cheatcode from a list of its arguments: d data, p a selector,
// without the data after it, a the reverting account, n how often; c: calls of
// cheatcodes are meant (without an argument of its own).
func expectRevert(form string) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, a []abi.Value) ([]abi.Value, error) {
		kinds := c.fn.arguments
		if c.Revert != nil {
			return nil, errors.New("you must call another function prior to expecting a second revert")
		}
		r := &ExpectedRevert{Depth: c.depth, Any: true, Left: 1}
		for _, what := range form {
			if what == 'c' {
				r.Cheat = true
				continue
			}
			v, kind := &a[0], kinds[0].Kind
			a, kinds = a[1:], kinds[1:]
			switch what {
			case 'd', 'p':
				r.Any, r.Partial = false, what == 'p'
				r.Reason = append([]byte(nil), v.Bytes...)
				if kind == abi.FixedBytes {
					word := v.Word.Bytes32()
					r.Reason = append([]byte(nil), word[:4]...)
				}
			case 'a':
				by := common.Address(v.Word.Bytes20())
				r.Reverter = &by
			case 'n':
				r.Left = int(v.Word.Uint64())
				r.Never = r.Left == 0
			}
		}
		c.Revert = r
		return nil, nil
	}
}

var errTooMany = errors.New("too much is expected at a time")

// expectEmit makes a cheatcode from a list of its arguments: 0 to 3 whether that topic
// counts, d whether the data does, a the emitting account, n how often; x: the event has no
// name (without an argument of its own).
func expectEmit(form string) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, a []abi.Value) ([]abi.Value, error) {
		x := ExpectedEmit{Depth: c.depth, Checked: [5]bool{true, true, true, true, true}, Times: 1}
		for _, what := range form {
			if what == 'x' {
				x.Nameless = true
				continue
			}
			v := &a[0]
			a = a[1:]
			switch what {
			case '0', '1', '2', '3':
				x.Checked[what-'0'] = v.Bool()
			case 'd':
				x.Checked[4] = v.Bool()
			case 'a':
				emitter := v.Address()
				x.Emitter = &emitter
			case 'n':
				x.Times = v.Word.Uint64()
			}
		}
		if len(c.Emits) == maxExpected {
			return nil, errTooMany
		}
		c.Emits = append(c.Emits, x)
		return nil, nil
	}
}

// expectCall makes a cheatcode from a list of its arguments after the callee: v the
// value, g the gas, l the least gas, d the data, n how often exactly.
func expectCall(form string) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, a []abi.Value) ([]abi.Value, error) {
		x := ExpectedCall{To: a[0].Address(), Times: 1}
		for i, what := range form {
			v := &a[1+i]
			n := v.Word.Uint64()
			switch what {
			case 'v':
				x.Value = new(uint256.Int).Set(&v.Word)
			case 'g':
				x.Gas = &n
			case 'l':
				x.LeastGas = &n
			case 'd':
				x.Data = slices.Clone(v.Bytes)
			case 'n':
				x.Counted, x.Times = true, n
			}
		}
		if x.Value != nil && !x.Value.IsZero() {
			x.stipend()
		}
		return nil, c.expectCall(x)
	}
}

// stipend adds the gas that a call with a value gets for free.
func (x *ExpectedCall) stipend() {
	for _, gas := range []*uint64{x.Gas, x.LeastGas} {
		if gas != nil {
			*gas += params.CallStipend
		}
	}
}

// expectCall adds an expectation. Expecting a call again means expecting it twice.
func (c *context) expectCall(x ExpectedCall) error {
	for i := range c.Calls {
		o := &c.Calls[i]
		if o.To != x.To || string(o.Data) != string(x.Data) {
			continue
		}
		switch {
		case x.Counted:
			return errors.New("counted expected calls can only bet set once")
		case o.Counted:
			return errors.New("cannot overwrite a counted expectCall with a non-counted expectCall")
		}
		o.Times++
		return nil
	}
	if len(c.Calls) == maxExpected {
		return errTooMany
	}
	if !c.keep(x.Data) {
		return errFull
	}
	c.Calls = append(c.Calls, x)
	return nil
}

func expectCreate(create2 bool) func(*context, []abi.Value) ([]abi.Value, error) {
	return func(c *context, a []abi.Value) ([]abi.Value, error) {
		if len(c.Creates) == maxExpected {
			return nil, errTooMany
		}
		if !c.keep(a[0].Bytes) {
			return nil, errFull
		}
		c.Creates = append(c.Creates, ExpectedCreate{By: a[1].Address(), Code: slices.Clone(a[0].Bytes), Create2: create2})
		return nil, nil
	}
}
