package oracle

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// maxOffers bounds the numbers of zero that are looked at. Arbitrary: an order has a price, a fee and a time or two.
const maxOffers = 16

// isOffered reports whether the attackers have so much of an asset behind a call only since another account, in a call before the attack by which it
// gives some of it away, gave a number of zero: with one in its place that call succeeds as well, and they have less. Who offers something for nothing
// may have it taken.
func (l *lossAlone) isOffered(asset int, has []uint256.Int, call int) bool {
	tried := 0
	failed := func(i int) bool { return l.Exec.Calls[i].Outcome != evm.Success }
	for i := range l.from {
		if !l.givesAway(i, asset) {
			continue
		}
		for _, at := range l.zerosOf(i) {
			if tried++; tried > maxOffers {
				return false
			}
			calls := slices.Clone(l.Calls()[:call+1])
			calls[i].Data = slices.Clone(calls[i].Data)
			calls[i].Data[at+wordBytes-1] = 1
			if _, ok := l.inOrder(calls[:l.from:l.from], failed); !ok {
				continue
			}
			if w, ok := l.inOrder(calls, func(i int) bool { return i >= l.from || failed(i) }); ok && l.ownedBy(l.attackers(), calls, w, l.tokens)[asset].Lt(&has[asset]) {
				return true
			}
		}
	}
	return false
}

// givesAway reports whether a call moves an asset that its sender has.
func (l *lossAlone) givesAway(call, asset int) bool {
	c := &l.Calls()[call]
	if asset == 0 {
		return !c.Value.IsZero()
	}
	frames := l.Exec.Calls[call].Frames
	return slices.ContainsFunc(l.Exec.Frames[frames[0]:frames[1]], func(f evm.Frame) bool {
		return f.Self == l.tokens[asset-1] && slices.ContainsFunc(f.Storage, func(a evm.StorageAccess) bool { return a.Write }) && bytes.Contains(f.Input, c.From[:])
	})
}

// zerosOf lists where the calldata of a call of another account has arguments that are numbers, and zero.
func (l *lossAlone) zerosOf(call int) []int {
	c := &l.Calls()[call]
	if l.isTheirs(c.From) {
		return nil
	}
	return slices.DeleteFunc(l.numbersOf(c), func(at int) bool { return [wordBytes]byte(c.Data[at:]) != [wordBytes]byte{} })
}

// numbersOf lists where the calldata of a call has arguments that are numbers.
func (l *lossAlone) numbersOf(c *evm.Call) (places []int) {
	contract := l.contractAt(c.To)
	if c.Create || contract == nil || len(c.Data) < 4 {
		return nil
	}
	method, err := contract.ABI.MethodById(c.Data[:4])
	if err != nil {
		return nil
	}
	for i, at := 0, 4; i < len(method.Inputs) && at+wordBytes <= len(c.Data); i, at = i+1, at+wordBytes {
		switch method.Inputs[i].Type.T {
		case abi.TupleTy, abi.ArrayTy: // may take several words
			return places
		case abi.UintTy, abi.IntTy:
			places = append(places, at)
		}
	}
	return places
}
