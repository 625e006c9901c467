package cheatcode

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
)

// memory is a host that is a few maps.
type memory struct {
	accounts    map[common.Address]Account
	words       map[common.Hash]uint256.Int
	environment Environment
	marks       map[int]bool
}

func newMemory() *memory {
	return &memory{
		accounts: map[common.Address]Account{}, words: map[common.Hash]uint256.Int{}, marks: map[int]bool{},
		environment: Environment{ChainID: 31337, Number: 100, Time: 1000},
	}
}

func (m *memory) Account(a common.Address) Account        { return m.accounts[a] }
func (m *memory) SetAccount(a common.Address, to Account) { m.accounts[a] = to }

func place(a common.Address, slot *uint256.Int) common.Hash {
	word := slot.Bytes32()
	return crypto.Keccak256Hash(a[:], word[:])
}

func (m *memory) Load(a common.Address, slot *uint256.Int) uint256.Int {
	return m.words[place(a, slot)]
}
func (m *memory) Store(a common.Address, slot, word *uint256.Int) { m.words[place(a, slot)] = *word }
func (m *memory) Environment() Environment                        { return m.environment }
func (m *memory) SetEnvironment(e Environment)                    { m.environment = e }
func (m *memory) Mark(n int)                                      { m.marks[n] = true }
func (m *memory) Restore(n int) bool                              { return m.marks[n] }

// seeds adds an encoding of zeros, or of what is dynamic and empty, for every cheatcode.
func seeds(f *testing.F) {
	for selector, c := range index() {
		f.Add(append(selector[:len(selector):len(selector)], abi.Append(nil, c.arguments, abi.Zeros(c.arguments))...))
	}
}

// FuzzRun: whatever is sent to the cheatcodes' account, twice, they answer, with no more
// than what they were sent pays for.
func FuzzRun(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, input []byte) {
		h, s := newMemory(), new(State)
		for range 2 {
			output, ok := Run(h, s, nil, common.Address{1}, 0, input)
			if !ok && len(output) == 0 {
				t.Error("it failed without a reason")
			}
			if limit := maxText*2 + 32*len(input) + 1<<12; len(output) > limit {
				t.Errorf("%d bytes of output for %d of input", len(output), len(input))
			}
			s = s.Clone()
		}
		call := Call{By: common.Address{1}, To: common.Address{2}, Input: input}
		s.Begin(&call)
		s.Emitted(Event{Topics: []common.Hash{{1}}, Data: input})
		s.End(&call, Answer{Success: true})
		s.End(&Call{Depth: -1}, Answer{Success: true})
	})
}
