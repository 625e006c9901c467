package compare

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// deciding are the state variables of the head that decide about permissions and assets, by the slot
// of the variable: what they decide about.
type deciding map[word]string

// What variables decide about, as the end of a sentence.
const (
	aPermission = "a permission"
	aBalance    = "a balance"
	aSupply     = "a supply"
	aPause      = "a pause"
	anUpgrade   = "which code runs"
	anOwnership = "who owns a token"
	anApproval  = "who may move a token"
)

// proxySlots decide which code runs, in whichever contract.
var proxySlots = []common.Hash{world.ImplementationSlot, world.AdminSlot, world.BeaconSlot}

// telling are functions that read such variables, by signature.
var telling = map[string]string{
	"balanceOf(address)":         aBalance,
	"balanceOf(address,uint256)": aBalance,
	"ownerOf(uint256)":           anOwnership,
	"getApproved(uint256)":       anApproval,
	"totalSupply()":              aSupply,
	"paused()":                   aPause,
}

// findDeciding asks the World's contracts.
func (s *Sides) findDeciding(machine evm.Machine) deciding {
	found := deciding{}
	for _, in := range s.Head.World.Instances {
		for _, slot := range proxySlots {
			found[word{in.Address, *new(uint256.Int).SetBytes32(slot[:])}] = anUpgrade
		}
		if in.Contract == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(in.Contract.ABI.Methods)) {
			m := in.Contract.ABI.Methods[name]
			if about := tells(&m); about != "" {
				data := append(slices.Clone(m.ID), make([]byte, wordBytes*len(m.Inputs))...)
				exec, err := machine.Run(evm.Sequence{{From: s.Head.Space.Senders[0].Address, To: in.Address, Data: data}})
				if err == nil {
					found.add(exec, about)
				}
			}
		}
	}
	return found
}

// tells is what a function's answer is about that decides; empty: nothing.
func tells(m *abi.Method) string {
	if !m.IsConstant() {
		return ""
	}
	if len(m.Inputs) == 0 && len(m.Outputs) == 1 && m.Outputs[0].Type.T == abi.AddressTy && world.AccountRole(m.RawName) != "" {
		return aPermission
	}
	return telling[m.Sig]
}

// add adds what an execution reads.
func (d deciding) add(exec *evm.Execution, about string) {
	for i := range exec.Frames {
		for _, access := range exec.Frames[i].Storage {
			if at := (word{access.Address, access.Base}); !access.Write && d[at] == "" && !slices.Contains(proxySlots, common.Hash(access.Slot.Bytes32())) {
				d[at] = about
			}
		}
	}
}

// note adds the variables that an execution compares msg.sender with, and the mappings whose element for
// msg.sender decides a branch.
func (d deciding) note(exec *evm.Execution) {
	for i := range exec.Frames {
		f := &exec.Frames[i]
		caller := new(uint256.Int).SetBytes20(f.Caller[:])
		for j := range f.Storage {
			access := &f.Storage[j]
			at := word{access.Address, access.Base}
			if access.Write || d[at] != "" {
				continue
			}
			keys := access.Keys.Words[:access.Keys.Count]
			if slices.Contains(keys, *caller) && fuzzer.Decides(f.Comparisons, &access.Value) || len(keys) == 0 && comparedWith(f, caller, &access.Value) {
				d[at] = aPermission
			}
		}
	}
}

// comparedWith reports whether a frame compares its caller with an account in a word that it
// has read.
func comparedWith(f *evm.Frame, caller, value *uint256.Int) bool {
	return slices.ContainsFunc(f.Comparisons, func(c evm.Comparison) bool {
		return c.Left == *caller && isHeld(value, &c.Right) || c.Right == *caller && isHeld(value, &c.Left)
	})
}

func isHeld(value, account *uint256.Int) bool {
	return !account.IsZero() && account.BitLen() <= 8*common.AddressLength && fuzzer.Shows(value, account)
}

// widened judges a behavior: whether anyone can do on the head what took a permission on the
// base. about is what the call changes, and by who could make it; empty: it is not so.
func (p *pair) widened(b *Behavior) (about, by string) {
	if b.Kind != Succeeds || !b.Anyone {
		return "", ""
	}
	head, base, _, ok := p.run(b.Sequence)
	if !ok || !refuses(&base.Calls[b.Call]) {
		return "", ""
	}
	mine := p.decidedWrites(head, b.Call)
	if len(mine) == 0 || p.newcomerMay(b.Sequence) {
		return "", ""
	}
	last := b.Sequence[b.Call].Sender
	for i := range p.Head.Space.Senders {
		if i == last || p.senders[i] < 0 || p.Head.Space.Senders[i].TestsOnly {
			continue
		}
		other := b.Sequence.Clone()
		other[b.Call].Sender = i
		carried := p.carry(other, nil)
		if len(carried) != len(other) {
			return "", ""
		}
		exec, err := p.base.Run(p.Base.Space.Encode(carried, nil))
		if err != nil || exec.Calls[b.Call].Outcome != evm.Success {
			continue
		}
		for _, at := range p.writtenOnBase(exec, b.Call) {
			if about := mine[at]; about != "" {
				return about, p.Head.Space.Senders[i].Name
			}
		}
	}
	return "", ""
}

// newcomer stands for accounts that have made no call yet.
var newcomer = ordinary("newcomer")

// newcomerMay reports whether the base lets an account that has made no call make the last one of a sequence: it takes no
// permission then, and what refuses the sender is what that one did before.
func (p *pair) newcomerMay(seq input.Sequence) bool {
	carried := p.carry(seq, nil)
	if len(carried) != len(seq) {
		return false
	}
	calls := p.Base.Space.Encode(carried, nil)
	last := &calls[len(calls)-1]
	last.From = newcomer
	last.Value.Clear() // it has no ether
	exec, err := p.base.Run(calls)
	return err == nil && exec.Calls[len(calls)-1].Outcome == evm.Success
}

// refuses reports whether a call fails for a reason that is in the source: not for want of gas or of a
// function, and not in a check of the compiler's.
func refuses(c *evm.CallResult) bool {
	return c.Outcome == evm.Reverted && len(c.Output) >= len(evm.PanicSelector) && !bytes.HasPrefix(c.Output, evm.PanicSelector[:])
}

// decidedWrites are the deciding variables that a call changes.
func (s *Sides) decidedWrites(exec *evm.Execution, call int) map[word]string {
	side := onSide(s.Head, exec, call)
	all := map[word]string{}
	for _, write := range side.writes(call).list {
		at := word{write.address, write.access.Base}
		if about := s.deciding[at]; about != "" && write.before != write.after {
			all[at] = about
		}
	}
	return all
}

// writtenOnBase are the variables that a call writes on the base, by the slots of the head's.
func (s *Sides) writtenOnBase(exec *evm.Execution, call int) []word {
	var all []word
	side := onSide(s.Base, exec, call)
	for _, w := range side.writes(call).list {
		if w.before == w.after {
			continue
		}
		s.each(&w, s.storage[s.moved.of(w.address)], false, s.moved, func(at place, _ word, _, _ bits) {
			all = append(all, word{at.address, at.base})
		})
	}
	return all
}

// findings are the behaviors that are more than notes.
func (s *Sides) findings(all []*Behavior, judges *pair) []*fuzzer.Finding {
	var list []*fuzzer.Finding
	for _, b := range all {
		about, by := judges.widened(b)
		if about == "" {
			continue
		}
		head, _, _, ok := judges.run(b.Sequence)
		if !ok {
			continue
		}
		at := s.placeOf(head, b.Call)
		if slices.ContainsFunc(list, func(f *fuzzer.Finding) bool {
			return f.Location == at && f.Sequence[len(f.Sequence)-1].Function == b.Function
		}) {
			continue // it fails on the base in another way
		}
		list = append(list, &fuzzer.Finding{
			Oracle: oracle.PermissionWidened, First: b.First, Contract: b.Contract, Sequence: b.Sequence, Refused: true,
			Message:  fmt.Sprintf("anyone can change %s with %s; on the base this takes %s (otherwise it %s)", about, shortSignature(bytecode.ShortName(b.Contract), b.Function.Signature), by, b.Before),
			Location: at,
			Path:     fuzzer.Entered(s.Head.Table, head),
		})
	}
	return list
}

// placeOf is where a call writes a deciding variable.
func (s *Sides) placeOf(exec *evm.Execution, call int) bytecode.Location {
	lasts := exec.Lasting()
	frames := exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		for _, access := range f.Storage {
			if access.Write && lasts[i] && f.Program != nil && s.deciding[word{access.Address, access.Base}] != "" {
				return bytecode.Location{Code: f.Program.ID, PC: access.PC}
			}
		}
	}
	return bytecode.Location{}
}
