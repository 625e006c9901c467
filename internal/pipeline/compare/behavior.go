package compare

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// differentBehavior says how the same calls do something else in another build of the same
// sources, as the end of a sentence: how they end, what they return, which events are emitted,
// what is called with which ether, what is in storage afterwards. Empty where they do the same.
// Gas and code do not count, nor do words that are the size of code. instances are those of b that are elsewhere in a.
func differentBehavior(a, b *evm.Execution, worlds [2]*evm.World, instances movedAddresses) string {
	if a.Truncated || b.Truncated || len(a.Calls) != len(b.Calls) {
		return "they are too long to compare"
	}
	moved := movedCreations(a, b)
	maps.Copy(moved, instances)
	for i := range a.Calls {
		of := ""
		if len(a.Calls) > 1 {
			of = fmt.Sprintf("call %d ", i+1)
		}
		x, y := &a.Calls[i], &b.Calls[i]
		switch {
		case y.Outcome == evm.Success && x.Outcome != evm.Success:
			return of + "succeeds"
		case y.Outcome != x.Outcome && y.Outcome != evm.Success:
			return of + "reverts: " + y.Reason()
		case creates(a, x):
		case !moved.equal(x.Output, y.Output) && y.Outcome == evm.Success:
			return of + "returns something else"
		case !moved.equal(x.Output, y.Output):
			return of + "reverts: " + y.Reason()
		}
		switch m, n := messagesOf(a, x), messagesOf(b, y); {
		case !slices.EqualFunc(logsOf(a, x), logsOf(b, y), moved.equalLogs):
			return of + "emits other events"
		case !slices.EqualFunc(m, n, moved.equalMessages):
			return of + "makes other calls"
		}
	}
	x, y := storageAfter(a), storageAfter(b)
	for at, value := range x {
		if there, ok := y[at]; ok && there != value && areCodeSizes(a, b, value, there) {
			y[at] = value
		}
	}
	if len(moved) > 0 && !slices.Equal(movedAddresses(nil).values(x), moved.values(y)) ||
		len(moved) == 0 && !equalStorage(x, y, worlds) {
		return "they leave something else in storage"
	}
	return ""
}

// sameWrites reports whether two executions that do the same write to the same words, also
// where that changes nothing: what runs for such a write may run in one of them alone.
func sameWrites(a, b *evm.Execution, instances movedAddresses) bool {
	x, y := storageAfter(a), storageAfter(b)
	if len(x) != len(y) {
		return false
	}
	if len(instances)+len(movedCreations(a, b)) > 0 {
		return true // elements are elsewhere
	}
	for at := range x {
		if _, ok := y[at]; !ok {
			return false
		}
	}
	return true
}

// creates reports whether a call deploys a contract: its output is code.
func creates(e *evm.Execution, c *evm.CallResult) bool { return isCreation(&e.Frames[c.Frames[0]]) }

func isCreation(f *evm.Frame) bool {
	return f.Kind == evm.KindCreate || f.Kind == evm.KindCreate2 ||
		f.Kind == evm.KindTransaction && f.Program != nil && f.Program.Code != nil && f.Program.Code.Kind == bytecode.Creation
}

// logsOf are the events of a call by frame, undone ones among them: which code ran before a
// failure may show in nothing else.
func logsOf(e *evm.Execution, c *evm.CallResult) []evm.Log {
	var logs []evm.Log
	for i := c.Frames[0]; i < c.Frames[1]; i++ {
		logs = append(logs, e.Frames[i].Logs...)
	}
	return logs
}

// movedAddresses are the addresses of contracts that CREATE2 made elsewhere in a second
// execution, since their code differs, with those of the first one.
type movedAddresses map[common.Address]common.Address

// movedCreations pairs the creations of two executions, in order.
func movedCreations(a, b *evm.Execution) movedAddresses {
	created := func(e *evm.Execution) (list []common.Address) {
		for i := range e.Frames {
			if f := &e.Frames[i]; f.Kind == evm.KindCreate || f.Kind == evm.KindCreate2 {
				list = append(list, f.Self)
			}
		}
		return list
	}
	x, y := created(a), created(b)
	moved := movedAddresses{}
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			moved[y[i]] = x[i]
		}
	}
	return moved
}

// of is where the first execution has an address.
func (m movedAddresses) of(address common.Address) common.Address {
	if first, ok := m[address]; ok {
		return first
	}
	return address
}

// back is where the second execution has an address.
func (m movedAddresses) back(address common.Address) common.Address {
	for second, first := range m { // each first once
		if first == address {
			return second
		}
	}
	return address
}

// in is data with the first execution's addresses. Each place is looked at once: what one contract left,
// another may have come to.
func (m movedAddresses) in(data []byte) []byte {
	out, copied := data, false
	for i := 0; len(m) > 0 && i+common.AddressLength <= len(data); {
		first, moved := m[common.Address(data[i:i+common.AddressLength])]
		if !moved {
			i++
			continue
		}
		if !copied {
			out, copied = bytes.Clone(data), true
		}
		copy(out[i:], first[:])
		i += common.AddressLength
	}
	return out
}

func (m movedAddresses) equalLogs(a, b evm.Log) bool {
	return a.Address == m.of(b.Address) && m.equal(a.Data, b.Data) &&
		slices.EqualFunc(a.Topics, b.Topics, func(a, b common.Hash) bool { return m.equal(a[:], b[:]) })
}

// equal reports whether data of both executions says the same, with the addresses of the first one or as it is: an address that was
// told from outside, and which happens to be another contract's in the second execution, did not move.
func (m movedAddresses) equal(a, b []byte) bool { return bytes.Equal(a, b) || bytes.Equal(a, m.in(b)) }

// values are the values in storage with the contracts that hold them, sorted: under a hash of
// an address that moved, an element is elsewhere.
func (m movedAddresses) values(after map[word]uint256.Int) []string {
	var list []string
	for at, value := range after {
		of, bytes := m.of(at.address), value.Bytes32()
		list = append(list, string(of[:])+string(m.in(bytes[:])))
	}
	slices.Sort(list)
	return list
}

// messagesOf are the calls and creations within a call, undone ones among them. What a test
// tells its cheatcodes does not count: that may be code, or the gas that something used.
func messagesOf(e *evm.Execution, c *evm.CallResult) []*evm.Frame {
	var messages []*evm.Frame
	for i := c.Frames[0] + 1; i < c.Frames[1]; i++ {
		if at := e.Frames[i].CodeAddress; at != cheatcode.Address && at != cheatcode.Console {
			messages = append(messages, &e.Frames[i])
		}
	}
	return messages
}

func (m movedAddresses) equalMessages(a, b *evm.Frame) bool {
	return a.Kind == b.Kind && a.Self == m.of(b.Self) && a.CodeAddress == m.of(b.CodeAddress) && a.Value.Eq(&b.Value) &&
		(a.Outcome == evm.Success) == (b.Outcome == evm.Success) && (isCreation(a) || bytes.Equal(a.Input, m.in(b.Input)))
}

// word is a place in storage.
type word struct {
	address common.Address
	slot    uint256.Int
}

// storageAfter is what was written and lasts.
func storageAfter(e *evm.Execution) map[word]uint256.Int {
	after := map[word]uint256.Int{}
	for _, w := range e.AppendWrites(nil, 0, len(e.Frames), e.Lasting()) {
		after[word{w.Address, w.Slot}] = w.Value
	}
	return after
}

// isCodeSize reports whether a word is the size of code that ran in an execution. Contracts keep theirs since it is cheap and never
// zero, such as in a lock that is open.
func isCodeSize(e *evm.Execution, value uint256.Int) bool {
	return slices.ContainsFunc(e.Frames, func(f evm.Frame) bool {
		return f.Program != nil && f.Program.Code != nil && f.Program.Code.Kind == bytecode.Runtime && value.CmpUint64(uint64(len(f.Program.Bytes))) == 0
	})
}

// areCodeSizes reports whether words of both executions are.
func areCodeSizes(a, b *evm.Execution, x, y uint256.Int) bool {
	return isCodeSize(a, x) && isCodeSize(b, y)
}

// equalStorage reports whether storage is the same after writes in two Worlds: a word that
// only one writes has to be what it was.
func equalStorage(a, b map[word]uint256.Int, worlds [2]*evm.World) bool {
	within := func(a, b map[word]uint256.Int, other *evm.World) bool {
		for at, value := range a {
			there, ok := b[at]
			if !ok {
				there = initial(other, at)
			}
			if !there.Eq(&value) {
				return false
			}
		}
		return true
	}
	return within(a, b, worlds[1]) && within(b, a, worlds[0])
}

// initial is a word of storage in a World; zero where only a chain knows it.
func initial(w *evm.World, at word) (value uint256.Int) {
	if account := w.Accounts[at.address]; account != nil {
		stored := account.Storage[common.Hash(at.slot.Bytes32())]
		value.SetBytes32(stored[:])
	}
	return value
}
