package fuzzer

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
)

// resends leads toward calls with a signature of another account: mutants mostly have it made anew, by the account that
// sends them or for the amount of zero, and once a signature is accepted, coverage tells nothing more of it.
type resends struct {
	*tools
	signing  *signing // pays for what is signed anew
	attacks  *attacks // signatures are sent where these are made
	accepted map[acceptance]bool
	again    map[*input.Function]int // how often its call was made once more
	pending  []input.Sequence
}

// acceptance is how a signature was accepted.
type acceptance struct {
	function *input.Function
	own      bool // the signer sent it
	changes  bool // something, by it
	usable   bool // by a sender that it names
	outsider bool // sent it: then the same call by him is nothing new
}

func newResends(t *tools, s *signing, a *attacks) resends {
	return resends{tools: t, signing: s, attacks: a, accepted: map[acceptance]bool{}, again: map[*input.Function]int{}}
}

// maxAgain bounds how often the calls of a function are made once more, behind what has undone them. Arbitrary.
const maxAgain = 32

// watch notes what a signature allowed, and has others send it.
func (r *resends) watch(seq input.Sequence, exec *evm.Execution) {
	last := len(seq) - 1
	if !r.attacks.begun || exec.Calls[last].Outcome != evm.Success {
		return
	}
	if signer, ok := signerOf(exec, last); ok {
		root := &exec.Frames[exec.Calls[last].Frames[0]]
		uses := r.space.Used(seq, signer)
		how := acceptance{seq[last].Function, root.Caller == signer, len(changedPlaces(exec, last)) > 0, len(uses) > 0, r.space.IsOutsider(seq[last].Sender)}
		if !r.accepted[how] {
			r.accepted[how] = true
			resent := r.space.Resent(seq, signer)
			r.signing.budget += leadCost * len(resent) // most are to be signed anew
			r.pending = append(r.pending, resent...)
			if how.changes {
				r.pending = append(r.pending, uses...)
			}
		}
		return
	}
	// What a signature gave may be used up now, and there to be given again.
	for call := range last {
		if _, ok := signerOf(exec, call); !ok || r.space.IsOutsider(seq[call].Sender) || r.again[seq[call].Function] >= maxAgain || !overwrites(exec, call, last) {
			continue
		}
		if again, ok := r.space.Again(seq, call); ok {
			r.again[seq[call].Function]++
			r.pending = append(r.pending, again)
		}
	}
}

// signerOf is the account whose signature a call had checked; false: none, or the call failed.
func signerOf(exec *evm.Execution, call int) (signer common.Address, ok bool) {
	if exec.Calls[call].Outcome != evm.Success {
		return signer, false
	}
	frames := exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		if f := &exec.Frames[i]; f.CodeAddress == common.BytesToAddress([]byte{1}) && len(f.Output) > 0 {
			return common.BytesToAddress(f.Output), true
		}
	}
	return signer, false
}

// overwrites reports whether a call changes what another one has changed.
func overwrites(exec *evm.Execution, before, call int) bool {
	changed := changedPlaces(exec, before)
	for at := range changedPlaces(exec, call) {
		if changed[at] {
			return true
		}
	}
	return false
}

// changedPlaces are the words that a call writes, and leaves other than it found them, as far as it has read them.
func changedPlaces(exec *evm.Execution, call int) map[place]bool {
	found, changed := map[place]uint256.Int{}, map[place]bool{}
	frames := exec.Calls[call].Frames
	for i := frames[0]; i < frames[1]; i++ {
		for j := range exec.Frames[i].Storage {
			a := &exec.Frames[i].Storage[j]
			at := place{a.Address, a.Slot}
			was, known := found[at]
			switch {
			case !a.Write && !known && !changed[at]:
				found[at] = a.Value
			case a.Write && known && was == a.Value:
				delete(changed, at)
			case a.Write:
				changed[at] = true
			}
		}
	}
	return changed
}

// signersOfResent bounds how many signers are tried for a call that others send: mostly it is known who has to sign. Arbitrary.
const signersOfResent = 4

// take takes what it wants tried.
func (r *resends) take() []lead {
	leads := asLeads(r.pending)
	for i := range leads {
		leads[i].resent = true
	}
	r.pending = nil
	return leads
}
