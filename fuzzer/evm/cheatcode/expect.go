package cheatcode

import (
	"errors"

	"github.com/ethereum/go-ethereum/common"
)

// expectTable: what has to happen next.
var expectTable = []Function{
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
}

// expectRevert makes a cheatcode of what its arguments are: d data, p a selector that
// is all that counts, a who reverts, n how often; c: cheatcodes are meant, and takes
// no argument.
func expectRevert(form string) func(*context, []value) ([]value, error) {
	return func(c *context, a []value) ([]value, error) {
		if c.Revert != nil {
			return nil, errors.New("you must call another function prior to expecting a second revert")
		}
		r := &ExpectedRevert{Depth: c.depth, Any: true, Left: 1}
		for _, what := range form {
			if what == 'c' {
				r.Cheat = true
				continue
			}
			v := &a[0]
			a = a[1:]
			switch what {
			case 'd', 'p':
				r.Any, r.Partial = false, what == 'p'
				r.Reason = append([]byte(nil), v.bytes...)
				if v.bytes == nil {
					word := v.word.Bytes32()
					r.Reason = append([]byte(nil), word[:4]...)
				}
			case 'a':
				by := common.Address(v.word.Bytes20())
				r.Reverter = &by
			case 'n':
				r.Left = int(v.word.Uint64())
				r.Never = r.Left == 0
			}
		}
		c.Revert = r
		return nil, nil
	}
}
