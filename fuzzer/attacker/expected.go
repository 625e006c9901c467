package attacker

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
	"strings"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Function is one that contracts call on others, and so on the attacker's.
type Function struct {
	Signature string
	Selector  [4]byte
	Outputs   []abi.Type
	Answer    []uint256.Int // what the caller expects
}

// maxExpected bounds the words of an expected answer. Arbitrary: a feed's round has five.
const maxExpected = 32

// Functions lists the functions of some contracts that code of theirs may call: those whose
// selector is in it. The order is that of the selectors.
func Functions(contracts []*bytecode.Contract) []Function {
	found := map[[4]byte]Function{}
	named := selectorsIn(contracts)
	for _, c := range contracts {
		for _, m := range c.ABI.Methods {
			id := [4]byte(m.ID)
			if before, known := found[id]; !named.has(id) || known && !precedes(m, &before) {
				continue
			}
			if f, ok := functionOf(&m); ok {
				found[id] = f
			}
		}
	}
	list := slices.Collect(maps.Values(found))
	slices.SortFunc(list, func(f, g Function) int { return slices.Compare(f.Selector[:], g.Selector[:]) })
	return list
}

// precedes reports whether of two functions with a selector the one with more outputs is this, or the
// one that comes first by its text.
func precedes(m gethabi.Method, f *Function) bool {
	return cmp.Or(cmp.Compare(len(f.Outputs), len(m.Outputs)), cmp.Compare(m.Sig, f.Signature)) < 0
}

// selectors are what contracts push as a selector. Optimizers leave zeros out and shift what is
// left by more.
type selectors struct {
	exact map[[4]byte]bool
	// shifted are words without the zero bits at their end, and how many of these a selector has at least.
	shifted map[uint32]int
}

func selectorsIn(contracts []*bytecode.Contract) selectors {
	named := selectors{map[[4]byte]bool{}, map[uint32]int{}}
	for _, c := range contracts {
		if c.Runtime == nil {
			continue
		}
		code := c.Runtime.Bytes
		for pc := 0; pc < len(code); {
			op, next := vm.OpCode(code[pc]), pc+1+int(bytecode.PushSize(code[pc]))
			switch {
			case next > len(code):
			case op == vm.PUSH32:
				named.exact[[4]byte(code[pc+1:])] = true
			case vm.PUSH1 <= op && op <= vm.PUSH4:
				var word [4]byte
				copy(word[4-(next-pc-1):], code[pc+1:next])
				named.addShifted(binary.BigEndian.Uint32(word[:]))
			}
			pc = next
		}
	}
	return named
}

func (s *selectors) addShifted(word uint32) {
	if word == 0 {
		return
	}
	zeros := bits.TrailingZeros32(word)
	if least, known := s.shifted[word>>zeros]; !known || zeros < least {
		s.shifted[word>>zeros] = zeros
	}
}

func (s *selectors) has(selector [4]byte) bool {
	if s.exact[selector] {
		return true
	}
	word := binary.BigEndian.Uint32(selector[:])
	zeros := bits.TrailingZeros32(word)
	least, known := s.shifted[word>>zeros]
	return known && zeros >= least
}

func functionOf(m *gethabi.Method) (Function, bool) {
	outputs, err := abi.OfArguments(m.Outputs)
	if err != nil {
		return Function{}, false
	}
	names := make([]string, len(outputs))
	for i := range names {
		names[i] = m.Outputs[i].Name
	}
	f := newFunction(m.Sig, outputs, names)
	return f, len(f.Answer) <= maxExpected
}

// NewFunction is a function whose outputs have no names.
func NewFunction(signature string, outputs []abi.Type) Function {
	return newFunction(signature, outputs, make([]string, len(outputs)))
}

func newFunction(signature string, outputs []abi.Type, names []string) Function {
	f := Function{Signature: signature, Selector: Selector(signature), Outputs: outputs}
	values := abi.Zeros(outputs)
	for i := range values {
		f.expect(&values[i], &outputs[i], names[i])
	}
	for data := abi.Append(nil, outputs, values); len(data) > 0; data = data[32:] {
		f.Answer = append(f.Answer, *new(uint256.Int).SetBytes32(data))
	}
	return f
}

// Magic words that are neither a selector nor plain: EIP-3156 and EIP-1820.
var magic = map[[4]byte]uint256.Int{
	Selector("onFlashLoan(address,address,uint256,uint256,bytes)"): hashOf("ERC3156FlashBorrower.onFlashLoan"),
	Selector("canImplementInterfaceForAddress(bytes32,address)"):   hashOf("ERC1820_ACCEPT_MAGIC"),
	Selector("decimals()"): *uint256.NewInt(18),
}

// Selector is the selector of a signature.
func Selector(signature string) [4]byte { return [4]byte(crypto.Keccak256([]byte(signature))) }

func hashOf(text string) (x uint256.Int) {
	x.SetBytes(crypto.Keccak256([]byte(text)))
	return x
}

// unit is what numbers are without a better guess, where they fit: one token or ether.
const unit = 1e18

// expect fills in what a caller expects of an output.
func (f *Function) expect(v *abi.Value, t *abi.Type, name string) {
	for i := range v.Elems {
		f.expect(&v.Elems[i], t.Child(i), name)
	}
	if !t.Elementary() {
		return
	}
	if x, ok := magic[f.Selector]; ok && t.Fits(&x) {
		v.Word = x
		return
	}
	switch t.Kind {
	case abi.Bool:
		v.Word.SetOne()
	case abi.Address:
		v.Word.SetBytes20(Address[:])
	case abi.FixedBytes:
		if t.Bits == 32 {
			v.Word.Lsh(uint256.NewInt(uint64(binary.BigEndian.Uint32(f.Selector[:]))), 224)
		}
	default:
		name = strings.ToLower(name + " " + f.Signature)
		switch {
		case t.Bits == 256 && (strings.Contains(name, "updatedat") || strings.Contains(name, "startedat") || strings.Contains(name, "timestamp")):
			v.Word = Now
		case t.Bits > 64:
			v.Word.SetUint64(unit)
		default:
			v.Word.SetOne()
		}
	}
}

// Storage is what the contract has in storage without a script: what callers of these functions
// expect.
func Storage(functions []Function) map[common.Hash]common.Hash {
	storage := map[common.Hash]common.Hash{}
	for i := range functions {
		f := &functions[i]
		slot := expectedSlot(f.Selector)
		storage[slot.Bytes32()] = uint256.NewInt(uint64(len(f.Answer) + 1)).Bytes32()
		for j := range f.Answer {
			slot.AddUint64(&slot, 1)
			if !f.Answer[j].IsZero() {
				storage[slot.Bytes32()] = f.Answer[j].Bytes32()
			}
		}
	}
	return storage
}

// ReadExpected reads from the contract's storage what callers of a function expect; false where it is
// not known.
func ReadExpected(storage map[common.Hash]common.Hash, selector [4]byte) (words []uint256.Int, known bool) {
	slot := expectedSlot(selector)
	length := storage[slot.Bytes32()]
	n := new(uint256.Int).SetBytes32(length[:])
	if n.IsZero() || n.GtUint64(maxExpected+1) {
		return nil, false
	}
	words = make([]uint256.Int, n.Uint64()-1)
	for i := range words {
		slot.AddUint64(&slot, 1)
		word := storage[slot.Bytes32()]
		words[i].SetBytes32(word[:])
	}
	return words, true
}

// expectedSlot is where the storage has how many words callers of a function expect, plus one; they
// are behind it.
func expectedSlot(selector [4]byte) uint256.Int {
	return uint256.Int{uint64(binary.BigEndian.Uint32(selector[:])) << 8, 0, 0, 1 << 63}
}
