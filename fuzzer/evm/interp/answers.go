package interp

import (
	"bytes"
	"hash/maphash"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/internal/signature"
)

// answers remembers what precompiled contracts answered. Recovering the signer of a permit takes as long as ten calls of a token, in pure
// Go as forty, and sequences that begin alike ask for the same again: in a campaign on Uniswap v2, 19 of 20 times.
type answers struct {
	seed    maphash.Seed
	entries []answer // nil before the first
}

const (
	// answerEntries is how many are remembered: 1 MB, of the recoveries of signatures. Arbitrary.
	answerEntries = 1 << 12
	// maxAnswered is the length of the inputs that are: those of ECRECOVER are 128 bytes long. Arbitrary.
	maxAnswered = 1 << 9
	// minAnswered is what answers cost that are worth remembering, gas: ECRECOVER's 3000, and not hashes and copies.
	minAnswered = 1 << 11
)

type answer struct {
	of     vm.PrecompiledContract // nil: nothing yet
	input  []byte
	output []byte
	err    error
}

func newAnswers() *answers { return &answers{seed: maphash.MakeSeed()} }

// remember makes contracts remember what they answered.
func (a *answers) remember(contracts vm.PrecompiledContracts) {
	for address, c := range contracts {
		contracts[address] = remembering{c, a, address == signature.Ecrecover}
	}
}

// remembering is a contract that remembers. What it answers must not be written to.
type remembering struct {
	vm.PrecompiledContract
	answers  *answers
	recovers bool
}

// byKey is ecrecover for signatures whose key is known, which is the input that its answers are remembered for: an account signs over and over.
type byKey struct{ vm.PrecompiledContract }

func (r remembering) Run(input []byte) ([]byte, error) {
	if len(input) > maxAnswered || r.RequiredGas(input) < minAnswered {
		return r.PrecompiledContract.Run(input)
	}
	if r.answers.entries == nil {
		r.answers.entries = make([]answer, answerEntries)
	}
	of, asked := r.PrecompiledContract, input
	if r.recovers {
		if key, ok := keyOf(input); ok {
			of, asked = byKey{r.PrecompiledContract}, key[:]
		}
	}
	e := &r.answers.entries[maphash.Bytes(r.answers.seed, asked)%answerEntries]
	if e.of != of || !bytes.Equal(e.input, asked) {
		output, err := r.PrecompiledContract.Run(input)
		*e = answer{of, append(e.input[:0], asked...), output, err}
	}
	return e.output, e.err
}

// keyOf is the key of the signature in an input of ecrecover, if that can be told.
func keyOf(input []byte) (key [32]byte, ok bool) {
	const v = 63 // where its lowest byte is
	if len(input) < signature.RecoveryInput || len(bytes.TrimLeft(input[32:v], "\x00")) > 0 || input[v] < 27 {
		return key, false
	}
	return signature.Key((*[32]byte)(input), (*[32]byte)(input[64:]), (*[32]byte)(input[96:]), input[v]-27)
}
