package fuzzer

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/abi"
)

// TestProducers: what an argument is to be is told by calls that answer it, or that are counted, if it was so nearly always; not by those that it has nothing to do with.
func TestProducers(t *testing.T) {
	number := abi.Type{Kind: input.Uint, Bits: 256}
	begin, pay := &input.Function{Name: "begin"}, &input.Function{Name: "pay"}
	end := &input.Function{Name: "end", Inputs: []input.Type{number}}
	call := func(f *input.Function, args ...uint64) (c input.Call) {
		c.Function = f
		for _, x := range args {
			c.Args = append(c.Args, input.Value{Word: *uint256.NewInt(x)})
		}
		return c
	}
	p := producers{}
	see := func(answered, ends uint64) {
		seq := input.Sequence{call(pay), call(pay), call(begin), call(end, ends)}
		exec := &evm.Execution{Calls: make([]evm.CallResult, len(seq))}
		for i := range exec.Calls {
			exec.Calls[i].Outcome = evm.Success
		}
		exec.Calls[2].Output = common.LeftPadBytes([]byte{byte(answered)}, wordBytes)
		p.learn(seq, exec)
	}
	ending := call(end, 0)
	tells := func(f *input.Function, how input.Says) bool { return p.tells(&ending, 0, &input.Said{By: f, How: how}) }
	for id := range uint64(leastSeen - 1) {
		see(5+id, 5+id)
	}
	if tells(begin, 0) {
		t.Error("believed too early")
	}
	see(9, 9)
	if !tells(begin, 0) {
		t.Error("what the call answers is not told")
	}
	if tells(begin, input.SaysCount) || tells(pay, input.SaysCount) {
		t.Error("told by a count that it never was")
	}
	for range 3 {
		see(7, 1)
	}
	if tells(begin, 0) {
		t.Error("still told by what it often is not")
	}
	for range 40 {
		see(0, 2)
	}
	if !tells(pay, input.SaysCount) || tells(pay, input.SaysCountBefore) {
		t.Error("not told by how many calls there were")
	}
}
