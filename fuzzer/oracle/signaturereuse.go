package oracle

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/signature"
)

// SignatureReuse sees that what a signature allowed happens again (SWC-117, SWC-121): a call that succeeds has a signature
// of an account that did not send it checked (ecrecover), and changes what is stored or owned. Then an outsider sends
//
//   - the same call again;
//   - the same with the other signature that everyone can make of it (n − s, and the other v); or
//   - the same to another instance of the contract;
//
// and it succeeds, has the signature of the same account checked, changes the state once more, and costs the outsider nothing. Or the same call was made
// earlier in the sequence, with others between that make it count again, such as the use of an allowance. Or who sent the call sends it again, and has more than before by that: a
// signature for him alone is still one for once if it pays.
//
// Known false positives: signatures that are meant to be used more than once, such as those of a key for a session, or an attestation. What is asked for in parts, and counted until a number that the call
// names, is not used again. Where each use is paid for, as that of an offer is, nothing is reported, nor where the entry
// point of ERC-4337 has an account check an operation again, whose nonces it counts. Where only another account
// that the code names can use it again, the finding is medium.
var SignatureReuse = &Oracle{
	ID:       "signature-reuse",
	Title:    "A signature can be used again",
	SWC:      "121",
	CWE:      "347",
	Severity: High,
	Doc: "A call with a signature of another account succeeds, and does so again for an account that was given nothing but ether: with the same bytes, with the other form of the signature (n − s), or sent to another instance of the contract. " +
		"Each time it changes what is stored or owned, and the second time it costs nothing. Or only who sent it first can send it again, and he has more by that.",
	Remedy:  "Sign a nonce, and keep that it was used; sign the contract's address and the chain's id (EIP-712); refuse signatures whose s is in the upper half, or keep the digest and not the signature as what was used.",
	Examine: examineSignatureReuse,
}

// curveOrder is that of secp256k1 (SEC 2, §2.4.1).
var curveOrder = uint256.MustFromHex("0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")

func examineSignatureReuse(s *Scene, report func(Observation)) {
	last := len(s.Exec.Calls) - 1
	if s.Exec.Calls[last].Outcome != evm.Success {
		return
	}
	root := &s.Exec.Frames[s.Exec.Calls[last].Frames[0]]
	for i := s.Exec.Calls[last].Frames[0]; i < s.Exec.Calls[last].Frames[1]; i++ {
		f := &s.Exec.Frames[i]
		if f.CodeAddress != signature.Ecrecover || len(f.Input) != signature.RecoveryInput || len(f.Output) != wordBytes || !lasts(s.Exec, i) {
			continue
		}
		by, at := caller(s.Exec, i)
		signer := common.BytesToAddress(f.Output)
		// What nothing in the call says was not signed for it.
		if by < 0 || !s.existed(root.Self) || signer == root.Caller || !bytes.Contains(root.Input, f.Input[3*wordBytes:]) || !changesWords(s.Exec, last) || !s.Attempt(at, s.howChecked(root, f.Input, signer)) {
			continue
		}
		c := &s.Exec.Frames[by]
		if c.Program.Contract == nil || c.Program.Contract.Generated {
			continue
		}
		if how := s.reuse(root, signer, bytes.Clone(f.Input)); how != "" && !s.isUsedUp(last) {
			report(Observation{Call: f.Call, Location: at, Contract: contractOf(c), Message: fmt.Sprintf("a signature that %s checks can be used again %s", functionOf(root), how)})
			return
		}
	}
}

// howChecked tells suspicions apart: a signature that was checked before as well is one that was used, and rarer than new ones.
func (s *Scene) howChecked(root *evm.Frame, input []byte, signer common.Address) [4]byte {
	how := selectorOf(root)
	if s.wasChecked(root, input, signer) {
		how[0] = ^how[0]
	}
	return how
}

// reuse tries what a call's signature allows once more, and says how; empty: it does not happen.
func (s *Scene) reuse(root *evm.Frame, signer common.Address, input []byte) string {
	calls := s.Calls()
	if len(calls) > maxSceneCalls || root.Program == nil || root.Program.Contract == nil {
		return ""
	}
	again := calls[len(calls)-1]
	again.From, again.Origin, again.TimeAdvance, again.BlockAdvance, again.Instructions = s.outsider(), common.Address{}, 0, 0, nil
	if again.Create || !s.changes(calls[:len(calls)-1:len(calls)-1], calls[len(calls)-1], signer) {
		return ""
	}
	if s.isFree(calls, again, signer) {
		return "with the same call"
	}
	if s.isOutsider(root.Caller) && s.wasChecked(root, input, signer) && s.turnsOut(s.outsiders(), calls[:len(calls)-1:len(calls)-1], calls[len(calls)-1], lostNothing) {
		return "with the same call, after others"
	}
	if other, ok := malleated(again.Data, input); ok {
		again := again
		again.Data = other
		if s.isFree(calls, again, signer) {
			return "in its other form (n − s)"
		}
	}
	for i := range s.World.Instances {
		in := &s.World.Instances[i]
		if in.Address == root.Self || in.Contract == nil || in.Contract != s.contractAt(root.Self) {
			continue
		}
		again := again
		again.To = in.Address
		if s.isFree(calls, again, signer) {
			return "with another instance of the contract"
		}
	}
	same := calls[len(calls)-1]
	same.TimeAdvance, same.BlockAdvance = 0, 0
	if countsElsewhere[functionOf(root)] {
		return ""
	}
	if s.changes(calls, same, signer) && s.turnsOut([]common.Address{root.Caller}, calls, same, gained) {
		return "by who sent it, who gains each time"
	}
	return ""
}

// isUsedUp reports whether a call is counted in a word, which is more by it, and once more when it is made again, and is refused where that is a number that the call names: what was signed is that number, and
// may be asked for in parts.
func (s *Scene) isUsedUp(call int) bool {
	calls := s.Calls()
	again := calls[call]
	again.TimeAdvance, again.BlockAdvance = 0, 0
	both := append(calls[:call+1:call+1], again)
	exec, err := s.Run(both)
	if err != nil || exec.Calls[call+1].Outcome != evm.Success {
		return false
	}
	tried := 0
	for _, count := range s.counts(exec, call) {
		for at := 4; at+wordBytes <= len(again.Data) && tried < maxUsedUp; at += wordBytes {
			number := new(uint256.Int).SetBytes(again.Data[at:][:wordBytes])
			if number.Lt(&count.Value) {
				continue
			}
			tried++
			both[call+1].Overwrites = []evm.Overwrite{{Address: count.Address, Slot: count.Slot, Value: *number}}
			if exec, err := s.Run(both); err == nil && exec.Calls[call+1].Outcome != evm.Success {
				return true
			}
		}
	}
	return false
}

// counts are the words of mappings elsewhere than in tokens, behind a call, that are more by it, and once more by the next one.
func (s *Scene) counts(exec *evm.Execution, call int) (list []evm.Overwrite) {
	value := map[evm.Overwrite]uint256.Int{} // of the place
	rises := func(call int, found func(at evm.Overwrite, is uint256.Int)) {
		frames := exec.Calls[call].Frames
		for _, w := range exec.AppendWrites(nil, frames[0], frames[1], exec.Lasting()) {
			at := evm.Overwrite{Address: w.Address, Slot: w.Slot}
			if was, is := value[at], w.Value; w.Keys.Count > 0 && !slices.Contains(s.tokens(), w.Address) && is.Gt(&was) {
				found(at, is)
			}
			value[at] = w.Value
		}
	}
	for i := range call {
		rises(i, func(evm.Overwrite, uint256.Int) {})
	}
	first := map[evm.Overwrite]uint256.Int{}
	rises(call, func(at evm.Overwrite, is uint256.Int) { first[at] = is })
	rises(call+1, func(at evm.Overwrite, _ uint256.Int) {
		if is, ok := first[at]; ok {
			list = append(list, evm.Overwrite{Address: at.Address, Slot: at.Slot, Value: is})
		}
	})
	return list
}

// maxUsedUp numbers are tried in the place of what may count a call. Arbitrary.
const maxUsedUp = 64

// countsElsewhere are the functions that a standard has an entry point call, which counts the nonces of operations itself and is paid in
// each call (ERC-4337, "Account Contract Interface" and "Extension: paymasters"): that it could do so again is how they are meant.
var countsElsewhere = map[string]bool{"validateUserOp": true, "validatePaymasterUserOp": true}

// isFree reports whether a call after others changes something by the signature of an account, and costs outsiders nothing.
func (s *Scene) isFree(calls evm.Sequence, call evm.Call, signer common.Address) bool {
	return s.changes(calls, call, signer) && s.turnsOut(s.outsiders(), calls, call, lostNothing)
}

// lostNothing reports whether who has now has less of nothing than before.
func lostNothing(before, now []uint256.Int) bool { return !lost(before, now) }

// turnsOut compares what accounts have before a call and after it; false where the machine fails.
func (s *Scene) turnsOut(accounts []common.Address, calls evm.Sequence, call evm.Call, how func(before, now []uint256.Int) bool) bool {
	may := func(int) bool { return true }
	tokens := s.tokens()
	before, ok := s.state(calls, may)
	if !ok {
		return false
	}
	had := s.ownedBy(accounts, calls, before, tokens)
	whole := append(slices.Clip(calls), call)
	after, ok := s.state(whole, may)
	return ok && how(had, s.ownedBy(accounts, whole, after, tokens))
}

// wasChecked reports whether another account, not an outsider, made the same call before the last one, and changed something by a
// signature of the same digest by the same signer.
func (s *Scene) wasChecked(root *evm.Frame, input []byte, signer common.Address) bool {
	last := len(s.Exec.Calls) - 1
	return slices.ContainsFunc(s.Exec.Frames[:s.Exec.Calls[last].Frames[0]], func(f evm.Frame) bool {
		if f.CodeAddress != signature.Ecrecover || len(f.Input) != signature.RecoveryInput || !bytes.Equal(f.Input[:wordBytes], input[:wordBytes]) || common.BytesToAddress(f.Output) != signer {
			return false
		}
		before := &s.Exec.Frames[s.Exec.Calls[f.Call].Frames[0]]
		return s.Exec.Calls[f.Call].Outcome == evm.Success && before.Self == root.Self && !s.isOutsider(before.Caller) && bytes.Equal(before.Input, root.Input) && changesWords(s.Exec, f.Call)
	})
}

// changesWords reports whether a call writes other words than were there, or moves ether: what it allows might be allowed again.
func changesWords(exec *evm.Execution, call int) bool {
	type place struct {
		account common.Address
		slot    uint256.Int
	}
	was := map[place]uint256.Int{}
	for i := exec.Calls[call].Frames[0]; i < exec.Calls[call].Frames[1]; i++ {
		f := &exec.Frames[i]
		if !f.Value.IsZero() {
			return true
		}
		for j := range f.Storage {
			a := &f.Storage[j]
			at := place{a.Address, a.Slot}
			if before, known := was[at]; a.Write && (!known || before != a.Value) {
				return true
			}
			was[at] = a.Value
		}
	}
	return false
}

// changes reports whether a call after others succeeds, has a signature of an account checked, and changes what is
// stored or owned.
func (s *Scene) changes(calls evm.Sequence, call evm.Call, signer common.Address) bool {
	before, ok := s.inOrder(calls, func(int) bool { return true })
	if !ok {
		return false
	}
	exec, err := s.Run(append(calls[:len(calls):len(calls)], call))
	if err != nil || exec.Calls[len(calls)].Outcome != evm.Success || s.sameState(before, s.State()) {
		return false
	}
	for i := exec.Calls[len(calls)].Frames[0]; i < exec.Calls[len(calls)].Frames[1]; i++ {
		f := &exec.Frames[i]
		if f.CodeAddress == signature.Ecrecover && common.BytesToAddress(f.Output) == signer && lasts(exec, i) {
			return true
		}
	}
	return false
}

// malleated is calldata with the other form of the signature that ecrecover was given.
func malleated(data, input []byte) ([]byte, bool) {
	r, sOld := input[2*wordBytes:3*wordBytes], input[3*wordBytes:]
	at := bytes.Index(data, append(bytes.Clone(r), sOld...))
	var sNew uint256.Int
	sNew.Sub(curveOrder, new(uint256.Int).SetBytes(sOld))
	word := sNew.Bytes32()
	out := bytes.Clone(data)
	v := input[2*wordBytes-1]
	if at >= 0 && at+2*wordBytes < len(data) && data[at+2*wordBytes] == v { // 65 bytes in a row
		copy(out[at+wordBytes:], word[:])
		out[at+2*wordBytes] = 27 + 28 - v
		return out, true
	}
	at = bytes.Index(data, sOld)
	vAt := bytes.Index(data, append(make([]byte, wordBytes-1), v))
	if at < 0 || vAt < 0 {
		return nil, false
	}
	copy(out[at:], word[:])
	out[vAt+wordBytes-1] = 27 + 28 - v
	return out, true
}
