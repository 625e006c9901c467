// Package laws holds what the standards of tokens say of every call, so that it can be asked of
// an execution: one file per standard.
//
//	laws.go          a law, and what it says of a call
//	family.go        where a token keeps what its views answer, learned by asking it
//	books.go         what a call changes there
//	erc20.go …       the standards
//
// A contract is a token where it answers as one: what its views read is found by running them, and
// a view that answers anything but a part of one word is not understood. Laws speak of single
// executions; what they mean for a change is for package compare to say.
package laws

import (
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// Verdict is what a law says of a call.
type Verdict uint8

// The verdicts.
const (
	Untested Verdict = iota // the law does not speak of such a call
	Kept
	Broken
)

// Law is one sentence of a standard.
type Law struct {
	Standard string // "ERC-20"
	Source   string // where the standard says it
	// Broken is what is said of a call that breaks it: a clause in which the first verb
	// names the contract, and the second the function.
	Broken string
	// Refusing keeps it: a call that fails changes nothing, and the law speaks of changes that no
	// call may make. Other laws say what a call does that succeeds.
	Refusing bool
	// Informs: breaking it takes nothing from an account by itself.
	Informs bool
	// Views are asked before and after a call where the law speaks of their answers; nil: it does not.
	// judge is then given these answers.
	Views func(c *Call) *Views

	judge func(c *Call) Verdict
}

// Views are questions to a token right before a call and right after it, as calldata.
type Views struct {
	Before, After [][]byte
	// Judge is given the answers, of which each is a word.
	Judge func(before, after []uint256.Int) Verdict
}

// Judge asks the law, which has no [Law.Views].
func (l *Law) Judge(c *Call) Verdict {
	if c.unclear || l.judge == nil {
		return Untested
	}
	return l.judge(c)
}

// standards are the laws by what they are laws of, the most important first.
var standards = []struct {
	is   func(t *Token) bool
	laws []*Law
}{
	{isWrappedEther, wrappedEther},
	{isERC721, erc721},
	{isERC1155, erc1155},
	{isERC20, erc20},
	{isERC4626, erc4626},
}

// selector is a function's, by its signature.
func selector(signature string) [4]byte { return [4]byte(crypto.Keccak256([]byte(signature))) }

// sum is of changes, as integers: what wraps around does not cancel.
type sum struct {
	plus, minus       uint256.Int
	carried, borrowed int
}

// change adds the way from one value to another.
func (s *sum) change(before, after *uint256.Int) {
	var by uint256.Int
	if after.Lt(before) {
		s.sub(by.Sub(before, after))
	} else {
		s.add(by.Sub(after, before))
	}
}

func (s *sum) add(by *uint256.Int) {
	if _, carry := s.plus.AddOverflow(&s.plus, by); carry {
		s.carried++
	}
}

func (s *sum) sub(by *uint256.Int) {
	if _, carry := s.minus.AddOverflow(&s.minus, by); carry {
		s.borrowed++
	}
}

// sign is 1 where the sum is more than zero, −1 where it is less.
func (s *sum) sign() int {
	if s.carried != s.borrowed {
		return min(1, max(-1, s.carried-s.borrowed))
	}
	return s.plus.Cmp(&s.minus)
}

// keptIf is the verdict of a law that speaks of the call.
func keptIf(ok bool) Verdict {
	if ok {
		return Kept
	}
	return Broken
}

// succeededTrue reports whether a call returned nothing, or true: old tokens say by false that they
// did nothing.
func succeededTrue(c *evm.CallResult) bool {
	return len(c.Output) == 0 || len(c.Output) == wordBytes && new(uint256.Int).SetBytes(c.Output).IsUint64() && c.Output[wordBytes-1] == 1
}
