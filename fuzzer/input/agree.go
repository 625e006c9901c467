package input

import (
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/internal/abi"
)

// Agree makes a call name what another one named: its parameters get the arguments of those that are called the same there and have the
// same type; what is left, in order, those of the same type, or for a bytes32 the hash of a text. False where nothing changes.
//
// Contracts keep things by the hash of all that they are, such as a market by its tokens and rates, or an operation by what it calls: who
// uses one has to name all of it again.
func Agree(call, other *Call) (Call, bool) {
	mine, theirs := call.Function, other.Function
	pairs := make([]int, len(mine.Inputs)) // of each parameter, one of the other call's; −1: none
	used := make([]bool, len(theirs.Inputs))
	for i := range pairs {
		pairs[i] = -1
	}
	match := func(fits func(i, j int) bool) {
		for i := range pairs {
			for j := range used {
				if pairs[i] < 0 && !used[j] && fits(i, j) {
					pairs[i], used[j] = j, true
				}
			}
		}
	}
	sameType := func(i, j int) bool { return mine.Inputs[i].String() == theirs.Inputs[j].String() }
	match(func(i, j int) bool {
		name := plainName(mine.InputNames[i])
		return name != "" && name == plainName(theirs.InputNames[j]) && sameType(i, j)
	})
	match(sameType)
	match(func(i, j int) bool { return mine.Inputs[i].String() == "bytes32" && isText(&theirs.Inputs[j]) })

	next := *call
	next.Args = slices.Clone(call.Args)
	changed := false
	for i, j := range pairs {
		if j < 0 {
			continue
		}
		v := other.Args[j]
		if !sameType(i, j) {
			v = Value{}
			v.Word.SetBytes(crypto.Keccak256(other.Args[j].Bytes))
		}
		changed = changed || !abi.Equal(&v, &next.Args[i])
		next.Args[i] = v
	}
	return next, changed
}

// plainName is a parameter's name without the underscores around it.
func plainName(name string) string { return strings.Trim(name, "_") }

func isText(t *Type) bool { return t.Kind == Bytes || t.Kind == String }
