package oracle

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// This file tells, of an attack's execution alone, which tokens the attackers pay and make, so that few attacks are looked at closely for what they do not gain.

// makeTokens reports whether the attackers call a token by a function that gives them some, other than transfers: it may be free.
func (l *lossAlone) makeTokens() bool {
	for i := l.Exec.Calls[l.from].Frames[0]; i < len(l.Exec.Frames); i++ {
		f := &l.Exec.Frames[i]
		if !l.isTheirs(f.Caller) || !lasts(l.Exec, i) || !slices.Contains(l.tokens, f.Self) {
			continue
		}
		if _, _, _, ok := transferred(f); ok {
			continue
		}
		if _, ok := l.keepsMore(f); ok {
			return true
		}
	}
	return false
}

// paysTokens reports whether the attackers pay more of some token than they are paid by transfers, and get none of it in another way. A transfer that
// writes nothing that is kept for them is not paid by them.
func (l *lossAlone) paysTokens() bool {
	in, out, made := make([]uint256.Int, len(l.tokens)), make([]uint256.Int, len(l.tokens)), make([]bool, len(l.tokens))
	for i := l.Exec.Calls[l.from].Frames[0]; i < len(l.Exec.Frames); i++ {
		f := &l.Exec.Frames[i]
		token := slices.Index(l.tokens, f.Self)
		if token < 0 || !lasts(l.Exec, i) {
			continue
		}
		from, to, amount, ok := transferred(f)
		if !ok {
			_, more := l.keepsMore(f)
			made[token] = made[token] || more
			continue
		}
		if l.isTheirs(from) && slices.ContainsFunc(f.Storage, l.isBalance) {
			out[token].Add(&out[token], &amount)
		}
		if l.isTheirs(to) {
			in[token].Add(&in[token], &amount)
		}
	}
	for i := range l.tokens {
		if out[i].Gt(&in[i]) && !made[i] {
			return true
		}
	}
	return false
}

// isBalance reports whether an access writes what is kept for the attackers under their address alone.
func (l *lossAlone) isBalance(access evm.StorageAccess) bool {
	return access.Write && access.Keys.Count == 1 && l.isTheirs(access.Keys.Words[0].Bytes20())
}

// transferred is what a call of a token transfers; false: it calls another function.
func transferred(f *evm.Frame) (from, to common.Address, amount uint256.Int, ok bool) {
	if f.Kind != evm.KindCall && f.Kind != evm.KindTransaction || len(f.Input) < 4+2*wordBytes {
		return from, to, amount, false
	}
	words := f.Input[4:]
	switch [4]byte(f.Input[:4]) {
	case transfer:
		from = f.Caller
	case transferFrom:
		if len(words) < 3*wordBytes {
			return from, to, amount, false
		}
		from, words = common.BytesToAddress(words[:wordBytes]), words[wordBytes:]
	default:
		return from, to, amount, false
	}
	amount.SetBytes(words[wordBytes:][:wordBytes])
	return from, common.BytesToAddress(words[:wordBytes]), amount, true
}
