package mine

import (
	"encoding/binary"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Selectors of transfer(address,uint256) and transferFrom(address,address,uint256) (ERC-20).
const (
	transferSelector     = 0xa9059cbb
	transferFromSelector = 0x23b872dd
)

// payer is who pays, and the token; zero: ether.
type payer struct{ account, token common.Address }

// payment is the quantity that a frame pays from, and the amount; −1: it pays nothing of an instance.
func (m *Miner) payment(f *evm.Frame) (quantity int, amount uint256.Int) {
	if f.Kind != evm.KindCall || f.Caller == f.Self {
		return -1, amount
	}
	if !f.Value.IsZero() {
		if i, ok := m.payers[payer{account: f.Caller}]; ok {
			return i, f.Value
		}
		return -1, amount
	}
	selector, words := selectorOf(f.Input)
	i, ok := m.payers[payer{f.Caller, f.Self}]
	if !ok || selector != transferSelector || len(words) != 2*wordBytes {
		return -1, amount
	}
	amount.SetBytes(words[wordBytes:])
	return i, amount
}

// isShort reports whether a payment fails since its contract has less than the amount.
func (m *Miner) isShort(exec *evm.Execution, at, quantity int, amount *uint256.Int) bool {
	f := &exec.Frames[at]
	if f.Outcome == evm.Success {
		return false
	}
	q := m.quantities[quantity]
	if q.Kind == Ether {
		return f.Outcome == evm.InsufficientBalance
	}
	for i := at; i < len(exec.Frames) && (i == at || exec.Frames[i].Depth > f.Depth); i++ {
		for j := range exec.Frames[i].Storage {
			access := &exec.Frames[i].Storage[j]
			if access.Address == q.Account && access.Slot == q.Slot && access.Value.Lt(amount) {
				return true
			}
		}
	}
	return false
}

// FailsToPay reports whether a call makes a payment that fails for that.
func (m *Miner) FailsToPay(exec *evm.Execution, call int) bool {
	frames := exec.Calls[call].Frames
	for i := frames[0] + 1; i < frames[1]; i++ {
		if exec.Frames[i].Outcome == evm.Success {
			continue
		}
		if q, amount := m.payment(&exec.Frames[i]); q >= 0 && m.isShort(exec, i, q, &amount) {
			return true
		}
	}
	return false
}

// HasPaid reports whether a call makes a payment that succeeds.
func (m *Miner) HasPaid(exec *evm.Execution, call int) bool {
	frames := exec.Calls[call].Frames
	for i := frames[0] + 1; i < frames[1]; i++ {
		if exec.Frames[i].Outcome == evm.Success {
			if q, _ := m.payment(&exec.Frames[i]); q >= 0 {
				return true
			}
		}
	}
	return false
}

// ShortAt is where a call makes a payment that fails for that.
func (m *Miner) ShortAt(exec *evm.Execution, call int) (at bytecode.Location) {
	frames := exec.Calls[call].Frames
	for i := frames[0] + 1; i < frames[1]; i++ {
		f := &exec.Frames[i]
		q, amount := m.payment(f)
		if p := exec.Frames[f.Parent].Program; q >= 0 && p != nil && m.isShort(exec, i, q, &amount) {
			return bytecode.Location{Code: p.ID, PC: f.CallPC}
		}
	}
	return at
}

// Gains reports whether an account was paid more out of a holding by an execution than it had paid in, some of it by a call that may lend, so that
// what is owed may be lent out.
func (m *Miner) Gains(l *Law, exec *evm.Execution, mayLend func(call int) bool) bool {
	lent := map[common.Address]bool{}
	in, out := map[common.Address]*uint256.Int{}, map[common.Address]*uint256.Int{}
	add := func(to map[common.Address]*uint256.Int, account common.Address, amount *uint256.Int) {
		if to[account] == nil {
			to[account] = new(uint256.Int)
		}
		to[account].Add(to[account], amount)
	}
	lasts := exec.Lasting()
	for call := range exec.Calls {
		frames := exec.Calls[call].Frames
		for i := frames[0]; i < frames[1]; i++ {
			if !lasts[i] {
				continue
			}
			from, to, amount := m.moved(l.A, &exec.Frames[i])
			switch l.A.Instance.Address {
			case from:
				add(out, to, &amount)
				lent[to] = lent[to] || mayLend(call)
			case to:
				add(in, from, &amount)
			}
		}
	}
	for account, paid := range out {
		if lent[account] && (in[account] == nil || in[account].Lt(paid)) {
			return true
		}
	}
	return false
}

// moved is what a frame moves of what a holding is of: ether, or a token.
func (m *Miner) moved(q *Quantity, f *evm.Frame) (from, to common.Address, amount uint256.Int) {
	switch {
	case q.Kind == Ether && f.Kind != evm.KindDelegateCall && f.Kind != evm.KindCallCode:
		return f.Caller, f.Self, f.Value
	case q.Kind == Ether || f.Self != q.Token.Address || f.Kind == evm.KindStaticCall:
		return from, to, amount
	}
	switch selector, words := selectorOf(f.Input); {
	case selector == transferSelector && len(words) == 2*wordBytes:
		amount.SetBytes(words[wordBytes:])
		return f.Caller, common.Address(words[wordBytes-common.AddressLength : wordBytes]), amount
	case selector == transferFromSelector && len(words) == 3*wordBytes:
		amount.SetBytes(words[2*wordBytes:])
		return common.Address(words[wordBytes-common.AddressLength : wordBytes]), common.Address(words[2*wordBytes-common.AddressLength : 2*wordBytes]), amount
	}
	return from, to, amount
}

// selectorOf cuts calldata; zero where it has no selector.
func selectorOf(data []byte) (selector uint32, arguments []byte) {
	if len(data) < 4 {
		return 0, nil
	}
	return binary.BigEndian.Uint32(data), data[4:]
}

// judgePayments asks the laws of what a call pays.
func (m *Miner) judgePayments(fn *input.Function, exec *evm.Execution, call int, counts bool, broken func(l *Law, call int)) {
	frames := exec.Calls[call].Frames
	for i := frames[0] + 1; i < frames[1]; i++ {
		q, amount := m.payment(&exec.Frames[i])
		if q < 0 {
			continue
		}
		l := m.pays[q]
		if l == nil || l.Broken && m.only == nil || m.only != nil && m.only != l {
			continue
		}
		switch {
		case m.isShort(exec, i, q, &amount):
			broken(l, call)
		case counts && exec.Frames[i].Outcome == evm.Success:
			l.at(fn)
		}
	}
}
