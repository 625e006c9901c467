package oracle

import (
	"bytes"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// SignatureReuse sees that what a signature allowed happens again (SWC-117, SWC-121): a call that succeeds has a signature
// of an account that did not send it checked (ecrecover), and changes what is stored or owned. Then an outsider sends
//
//   - the same call again;
//   - the same with the other signature that everyone can make of it (n − s, and the other v); or
//   - the same to another instance of the contract;
//
// and it succeeds, has the signature of the same account checked, and changes the state once more.
//
// Known false positives: signatures that are meant to be used more than once, such as those of a key for a session, an attestation, or
// an order that may be filled in parts.
var SignatureReuse = &Oracle{
	ID:       "signature-reuse",
	Title:    "A signature can be used again",
	SWC:      "121",
	CWE:      "347",
	Severity: High,
	Doc: "A call with a signature of another account succeeds, and does so again for an account that was given nothing but ether: with the same bytes, with the other form of the signature (n − s), or sent to another instance of the contract. " +
		"Each time it changes what is stored or owned.",
	Remedy:  "Sign a nonce, and keep that it was used; sign the contract's address and the chain's id (EIP-712); refuse signatures whose s is in the upper half, or keep the digest and not the signature as what was used.",
	Examine: examineSignatureReuse,
}

var (
	ecrecoverAddress = common.BytesToAddress([]byte{1})
	// curveOrder is that of secp256k1 (SEC 2, §2.4.1).
	curveOrder = uint256.MustFromHex("0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")
)

// recoverInput is ecrecover's: digest, v, r and s.
const recoverInput = 4 * wordBytes

func examineSignatureReuse(s *Scene, report func(Observation)) {
	last := len(s.Exec.Calls) - 1
	if s.Exec.Calls[last].Outcome != evm.Success {
		return
	}
	root := &s.Exec.Frames[s.Exec.Calls[last].Frames[0]]
	for i := s.Exec.Calls[last].Frames[0]; i < s.Exec.Calls[last].Frames[1]; i++ {
		f := &s.Exec.Frames[i]
		if f.CodeAddress != ecrecoverAddress || len(f.Input) != recoverInput || len(f.Output) != wordBytes || !lasts(s.Exec, i) {
			continue
		}
		by, at := caller(s.Exec, i)
		signer := common.BytesToAddress(f.Output)
		// What nothing in the call says was not signed for it.
		if by < 0 || !s.existed(root.Self) || signer == root.Caller || !bytes.Contains(root.Input, f.Input[3*wordBytes:]) || !s.Attempt(at, [4]byte{}) {
			continue
		}
		c := &s.Exec.Frames[by]
		if c.Program.Contract == nil || c.Program.Contract.Generated {
			continue
		}
		if how := s.reuse(root, signer, f.Input); how != "" {
			report(Observation{Call: f.Call, Location: at, Contract: contractOf(c), Message: fmt.Sprintf("a signature that %s checks can be used again %s", functionOf(root), how)})
			return
		}
	}
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
	if s.changes(calls, again, signer) {
		return "with the same call"
	}
	if other, ok := malleated(again.Data, input); ok {
		again := again
		again.Data = other
		if s.changes(calls, again, signer) {
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
		if s.changes(calls, again, signer) {
			return "with another instance of the contract"
		}
	}
	return ""
}

// changes reports whether a call after others succeeds, has a signature of an account checked, and changes what is
// stored or owned.
func (s *Scene) changes(calls evm.Sequence, call evm.Call, signer common.Address) bool {
	before, ok := s.inOrder(calls, func(int) bool { return true })
	if !ok {
		return false
	}
	exec, after, err := s.Run(append(calls[:len(calls):len(calls)], call))
	if err != nil || exec.Calls[len(calls)].Outcome != evm.Success || s.sameState(before, after) {
		return false
	}
	for i := exec.Calls[len(calls)].Frames[0]; i < exec.Calls[len(calls)].Frames[1]; i++ {
		f := &exec.Frames[i]
		if f.CodeAddress == ecrecoverAddress && common.BytesToAddress(f.Output) == signer && lasts(exec, i) {
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
