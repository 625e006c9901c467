package interp

import (
	"bytes"
	"hash/maphash"

	"github.com/ethereum/go-ethereum/core/vm"
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
		contracts[address] = remembering{c, a}
	}
}

// remembering is a contract that remembers. What it answers must not be written to.
type remembering struct {
	vm.PrecompiledContract
	answers *answers
}

func (r remembering) Run(input []byte) ([]byte, error) {
	if len(input) > maxAnswered || r.RequiredGas(input) < minAnswered {
		return r.PrecompiledContract.Run(input)
	}
	if r.answers.entries == nil {
		r.answers.entries = make([]answer, answerEntries)
	}
	e := &r.answers.entries[maphash.Bytes(r.answers.seed, input)%answerEntries]
	if e.of != r.PrecompiledContract || !bytes.Equal(e.input, input) {
		output, err := r.PrecompiledContract.Run(input)
		*e = answer{r.PrecompiledContract, append(e.input[:0], input...), output, err}
	}
	return e.output, e.err
}
