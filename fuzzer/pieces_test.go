package fuzzer

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// outer is a call that enters blocks, pays the attacker's contract at pc 40, and ends.
func outer(blocks ...bytecode.BlockID) []evm.Frame {
	return []evm.Frame{
		{Parent: -1, Self: common.Address{19: 1}, Path: blocks},
		{Parent: 0, Self: attacker.Address, CodeAddress: attacker.Address, CallPC: 40},
	}
}

// inner is a call that the contract makes in the latest of the frames that are its own.
func inner(frames []evm.Frame, to byte, blocks ...bytecode.BlockID) []evm.Frame {
	by := len(frames) - 1
	for frames[by].CodeAddress != attacker.Address {
		by--
	}
	return append(frames, evm.Frame{Parent: by, Self: common.Address{19: to}, Path: blocks})
}

// writing makes the latest frame write to storage.
func writing(frames []evm.Frame) []evm.Frame {
	frames[len(frames)-1].Storage = []evm.StorageAccess{{Write: true, PC: 7, Value: *uint256.NewInt(1)}}
	return frames
}

func changed(frames []evm.Frame, change func(*evm.Frame)) []evm.Frame {
	change(&frames[len(frames)-1])
	return frames
}

// pathsOfFrames are the pieces of a call with these frames, behind another call.
func pathsOfFrames(frames []evm.Frame) []bytecode.PathID {
	exec := &evm.Execution{Frames: []evm.Frame{{Parent: -1}}}
	for _, f := range frames {
		if f.Parent >= 0 {
			f.Parent++
		}
		exec.Frames = append(exec.Frames, f)
	}
	exec.Calls = []evm.CallResult{{Frames: [2]int{0, 1}}, {Frames: [2]int{1, len(exec.Frames)}}}
	return new(pieces).append(nil, exec)
}

// TestPieces: known pieces are known again wherever the attacker's contract puts them, but not in the middle of another path, nor behind
// another change of state.
func TestPieces(t *testing.T) {
	known := map[bytecode.PathID]bool{}
	for _, frames := range [][]evm.Frame{
		inner(outer(1, 2), 1, 5),
		inner(outer(1, 2), 2, 6),
		inner(writing(inner(outer(1, 2), 1, 9)), 2, 6),
	} {
		for _, id := range pathsOfFrames(frames) {
			known[id] = true
		}
	}
	for name, test := range map[string]struct {
		frames []evm.Frame
		pieces int
		isNew  bool
	}{
		"without a call of the contract": {outer(1, 2), 0, false},
		"one call":                       {inner(outer(1, 2), 1, 5), 2, false},
		"both":                           {inner(inner(outer(1, 2), 1, 5), 2, 6), 3, false},
		"in another order":               {inner(inner(outer(1, 2), 2, 6), 1, 5), 3, false},
		"one of them twice":              {inner(inner(inner(outer(1, 2), 2, 6), 2, 6), 1, 5), 4, false},
		"behind a known change":          {inner(writing(inner(outer(1, 2), 1, 9)), 2, 6), 3, false},
		"behind the change and more":     {inner(inner(writing(inner(outer(1, 2), 1, 9)), 2, 6), 2, 6), 4, false},
		"another behind the change":      {inner(writing(inner(outer(1, 2), 1, 9)), 1, 5), 3, true},
		"in another path":                {inner(outer(1, 3), 1, 5), 2, true},
		"another path":                   {inner(outer(1, 2), 1, 5, 5), 2, true},
		"of another account":             {inner(outer(1, 2), 2, 5), 2, true},
		"it fails":                       {changed(inner(outer(1, 2), 1, 5), func(f *evm.Frame) { f.Outcome = evm.Reverted }), 2, true},
		"it is paid":                     {changed(inner(outer(1, 2), 1, 5), func(f *evm.Frame) { f.Value.SetOne() }), 2, true},
		"it writes":                      {writing(inner(outer(1, 2), 1, 5)), 2, true},
		"from elsewhere":                 {inner(changed(outer(1, 2), func(f *evm.Frame) { f.CallPC = 41 }), 1, 5), 2, true},
		"not all was kept":               {changed(inner(outer(1, 2), 1, 5), func(f *evm.Frame) { f.PathTruncated = true }), 0, false},
	} {
		ids := pathsOfFrames(test.frames)
		isNew := slices.ContainsFunc(ids, func(id bytecode.PathID) bool { return !known[id] })
		if len(ids) != test.pieces || isNew != test.isNew {
			t.Errorf("%s: %d pieces, new: %v; want %d, %v", name, len(ids), isNew, test.pieces, test.isNew)
		}
	}
}
