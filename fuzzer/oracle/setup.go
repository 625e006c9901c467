package oracle

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// This file asks whether an attack is more than to be the first to set something up: a proxy or an instance that the deployment has left as it
// was made, and that mostly whoever deploys it sets up at once.

// setsUp is the frame in which an attack runs the initializer of what was there before, and writes over nothing: instances are left as they were made where
// that is what is looked at, and whoever sets one up owns it. −1: there is none.
func (s *Scene) setsUp(from int) (frame int) {
	for i := s.Exec.Calls[from].Frames[0]; i < len(s.Exec.Frames); i++ {
		f := &s.Exec.Frames[i]
		if f.Kind != evm.KindDelegateCall && !s.isOutsider(f.Caller) || !s.isProjects(f) || !lasts(s.Exec, i) {
			continue
		}
		if _, ok := initializer(f); !ok {
			continue
		}
		plain := func(a evm.StorageAccess) bool { return a.Write && a.Slot == a.Base }
		over := func(a evm.StorageAccess) bool { return plain(a) && s.wordAtFirst(&a) != [wordBytes]byte{} }
		if slices.ContainsFunc(f.Storage, plain) && !slices.ContainsFunc(f.Storage, over) {
			return i
		}
	}
	return -1
}

// setUpBefore are the calls, and before that of a frame one in which another account runs the same initializer, and names itself where the attackers
// name themselves.
func (s *Scene) setUpBefore(frame int, attackers []common.Address) (calls evm.Sequence, at int) {
	f, account := s.ofProxy(frame), s.insider()
	first := evm.Call{From: account, Origin: account, To: f.Self, Data: f.Input, Value: f.Value}
	for _, a := range attackers {
		first.Data = bytes.ReplaceAll(first.Data, a[:], account[:])
	}
	return slices.Insert(slices.Clone(s.Calls()), f.Call, first), f.Call
}

// runsAgain reports whether a contract runs the attacker's code as well where another account has run an initializer before. Where that fails, it is not
// known: it is not more than to be the first then.
func (s *Scene) runsAgain(setUp int) bool {
	calls, at := s.setUpBefore(setUp, s.outsiders())
	exec, err := s.Run(calls)
	if err != nil || at+1 >= len(exec.Calls) || exec.Calls[at].Outcome != evm.Success || s.isOutsider(s.insider()) {
		return false
	}
	for i := exec.Calls[at+1].Frames[0]; i < len(exec.Frames); i++ {
		f := &exec.Frames[i]
		if f.CodeAddress == attacker.Address && (f.Kind == evm.KindDelegateCall || f.Kind == evm.KindCallCode) && lasts(exec, i) {
			return true
		}
	}
	return false
}

// isUnset reports whether an account has nothing in its storage before all calls.
func (s *Scene) isUnset(address common.Address) bool {
	account := s.World.Accounts[address]
	if account == nil || account.Remote {
		return false
	}
	for _, word := range account.Storage {
		if word != (common.Hash{}) {
			return false
		}
	}
	return true
}

// isCalledByOutsider reports whether an outsider calls the account that a frame runs for, and no contract that he has taken over before.
func (s *Scene) isCalledByOutsider(frame int) bool {
	return s.isOutsider(s.ofProxy(frame).Caller)
}

// ofProxy is the frame that runs a frame's code by DELEGATECALL, in the name of the same account; the frame itself where none does.
func (s *Scene) ofProxy(frame int) *evm.Frame {
	f := &s.Exec.Frames[frame]
	for f.Kind == evm.KindDelegateCall && f.Parent >= 0 {
		f = &s.Exec.Frames[f.Parent]
	}
	return f
}

// namesAttacker is where an attack writes the address of the attacker's contract to an account's storage; nil: nowhere.
func (s *Scene) namesAttacker(from int, account common.Address) *evm.StorageAccess {
	for i := s.Exec.Calls[from].Frames[0]; i < len(s.Exec.Frames); i++ {
		for j := range s.Exec.Frames[i].Storage {
			if a := &s.Exec.Frames[i].Storage[j]; a.Write && a.Address == account && a.Value.Bytes20() == attacker.Address && lasts(s.Exec, i) {
				return a
			}
		}
	}
	return nil
}

// worksAgain reports whether an attack that writes a word does so once more when it is made again, and where another account has made the
// same calls before, naming a contract of the World instead, as they are and without byte strings, as far as that can be said.
func (s *Scene) worksAgain(from int, access *evm.StorageAccess) bool {
	calls := s.Calls()
	before, attack := calls[:from:from], calls[from:]
	if !s.writesFrom(len(calls), append(slices.Clip(calls), attack...), access) {
		return false
	}
	account, other := s.insider(), slices.IndexFunc(s.World.Instances, func(in evm.Instance) bool { return in.Address != access.Address })
	if s.isOutsider(account) || other < 0 {
		return true
	}
	open := s.inTheOpen(from, access.Address)
	for _, empty := range []bool{false, true} {
		first := open.Clone()
		for i := range first {
			first[i].From, first[i].Origin = account, account
			if empty {
				s.emptyBytes(&first[i])
			}
			for _, outsider := range s.outsiders() {
				first[i].Data = bytes.ReplaceAll(first[i].Data, outsider[:], s.World.Instances[other].Address[:])
			}
		}
		if !s.writesFrom(from+len(first), slices.Concat(before, first, attack), access) {
			return false
		}
	}
	return true
}

// inTheOpen are the calls of an attack, and in the place of one in whose middle the attackers call an account, what they call it with: another account
// is not called back.
func (s *Scene) inTheOpen(from int, account common.Address) (calls evm.Sequence) {
	for i, c := range s.Calls()[from:] {
		frames, inner := s.Exec.Calls[from+i].Frames, false
		for j := frames[0]; j < frames[1]; j++ {
			f := &s.Exec.Frames[j]
			if f.Parent >= 0 && f.Kind == evm.KindCall && f.Self == account && s.isOutsider(f.Caller) && lasts(s.Exec, j) {
				calls, inner = append(calls, evm.Call{To: account, Data: f.Input, Value: f.Value}), true
			}
		}
		if !inner {
			calls = append(calls, c)
		}
	}
	return calls
}

// emptyBytes has a call pass empty byte strings, where the ABI of what it calls says which they are.
func (s *Scene) emptyBytes(call *evm.Call) {
	c := s.contractAt(call.To)
	if c == nil || len(call.Data) < 4 {
		return
	}
	method, err := c.ABI.MethodById(call.Data[:4])
	if err != nil {
		return
	}
	values, err := method.Inputs.Unpack(call.Data[4:])
	if err != nil {
		return
	}
	for i := range values {
		if method.Inputs[i].Type.T == abi.BytesTy {
			values[i] = []byte{}
		}
	}
	if packed, err := method.Inputs.Pack(values...); err == nil {
		call.Data = append(slices.Clone(method.ID), packed...)
	}
}

// writesFrom reports whether calls, from one of them on, write a word, as far as that can be said.
func (s *Scene) writesFrom(from int, calls evm.Sequence, access *evm.StorageAccess) bool {
	exec, err := s.Run(calls)
	if err != nil || from >= len(exec.Calls) {
		return true
	}
	wrote := func(a evm.StorageAccess) bool { return a.Write && a.Address == access.Address && a.Slot == access.Slot }
	for i := exec.Calls[from].Frames[0]; i < len(exec.Frames); i++ {
		if lasts(exec, i) && slices.ContainsFunc(exec.Frames[i].Storage, wrote) {
			return true
		}
	}
	return false
}
