package oracle

import (
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// examineLoss is [ThirdPartyLoss] where there is no base: after an attack, in which no time passes, the outsider and his contract
// have more of something than before, and less of nothing. What a token mints does not count.
func examineLoss(s *Scene, report func(Observation)) {
	if !s.Audit || s.Exec.Calls[len(s.Exec.Calls)-1].Outcome != evm.Success {
		return
	}
	from, ok := s.attack()
	if !ok {
		return
	}
	at, contract := s.paysOutsider()
	if contract == "" || !s.Attempt(at, [4]byte{}) {
		return
	}
	calls := s.Calls()
	if slices.ContainsFunc(calls[from:], func(c evm.Call) bool { return c.TimeAdvance > 0 || c.BlockAdvance > 0 || c.Create }) {
		return
	}
	tokens := s.tokens()
	before, ok := s.inOrder(calls[:from:from], func(int) bool { return true })
	if before == nil || !ok {
		return
	}
	after, ok := s.inOrder(calls, func(int) bool { return true })
	if after == nil || !ok {
		return
	}
	had, has := s.owned(calls[:from:from], before, tokens), s.owned(calls, after, tokens)
	if !gained(had, has) || !s.endsIn(calls, has, tokens) {
		return
	}
	what := "ether"
	for i := 1; i < len(has) && !has[0].Gt(&had[0]); i++ {
		if !has[i].Gt(&had[i]) || s.minted(calls, from, i-1, tokens) {
			continue
		}
		what = s.instanceName(tokens[i-1])
	}
	if what == "ether" && !has[0].Gt(&had[0]) {
		return
	}
	report(Observation{Call: len(calls) - 1, Location: at, Contract: contract, Message: fmt.Sprintf("anyone can take %s that others own", what)})
}

// endsIn reports whether the outsiders have less of something before the last call of an attack.
func (s *Scene) endsIn(calls evm.Sequence, has []uint256.Int, tokens []common.Address) bool {
	before := calls[: len(calls)-1 : len(calls)-1]
	w, ok := s.inOrder(before, func(int) bool { return true })
	if !ok {
		return false
	}
	had := s.owned(before, w, tokens)
	for i := range has {
		if had[i].Lt(&has[i]) {
			return true
		}
	}
	return false
}

// minted reports whether a token's supply grew in the attack.
func (s *Scene) minted(calls evm.Sequence, from, token int, tokens []common.Address) bool {
	was, ok := s.ask(calls[:from:from], tokens[token], totalSupply[:])
	now, still := s.ask(calls, tokens[token], totalSupply[:])
	return !ok || !still || now.Gt(&was)
}

// paysOutsider is where the last call pays an outsider: where a contract of the project sends it ether, or a token changes what
// it keeps for it.
func (s *Scene) paysOutsider() (at bytecode.Location, contract string) {
	last := s.Exec.Calls[len(s.Exec.Calls)-1].Frames
	for i := last[0]; i < last[1]; i++ {
		f := &s.Exec.Frames[i]
		if !lasts(s.Exec, i) {
			continue
		}
		if !f.Value.IsZero() && f.Parent >= 0 && s.isOutsider(f.Self) && f.Kind == evm.KindCall {
			if by, place := caller(s.Exec, i); by >= 0 && s.isProjects(&s.Exec.Frames[by]) {
				return place, contractOf(&s.Exec.Frames[by])
			}
		}
		if f.Program == nil || f.Program.Contract == nil {
			continue
		}
		if vm.OpCode(opAt(f)) == vm.SELFDESTRUCT && s.isProjects(f) {
			return bytecode.Location{Code: f.Program.ID, PC: f.LastPC}, contractOf(f)
		}
		if access := s.keptForOutsider(f); access != nil {
			at, contract = bytecode.Location{Code: f.Program.ID, PC: access.PC}, contractOf(f)
			if by, place := caller(s.Exec, i); by >= 0 && s.isProjects(&s.Exec.Frames[by]) {
				at, contract = place, contractOf(&s.Exec.Frames[by])
			}
		}
	}
	return at, contract
}

// keptForOutsider is the last write of a frame to what is kept for an outsider; nil: there is none.
func (s *Scene) keptForOutsider(f *evm.Frame) (last *evm.StorageAccess) {
	for j := range f.Storage {
		access := &f.Storage[j]
		for k := range access.Keys.Count {
			if access.Write && s.isOutsider(access.Keys.Words[k].Bytes20()) {
				last = access
			}
		}
	}
	return last
}
