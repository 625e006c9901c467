package world

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file makes contracts that stand in for interfaces of a project that nothing in the build implements: those of price feeds and
// other sources of numbers, which are contracts of other projects wherever this one is deployed.
//
//	function price(address asset) external view returns (uint256)
//
// is answered with what the deployer has set last, for each asset, by
//
//	function setPrice(address asset, uint256 value) external
//
// and before that with a number that fits the name: 18 decimals, the time of the block, else 10^18. Other interfaces have no stand-in. What
// functions that change state have to do is not in an interface; and what an account is allowed or owed is what a project's own code has to
// decide: if the answer were yes, what they take would look like a bug.

// Bounds of the interfaces that have a stand-in. Arbitrary: feeds have one to six functions.
const (
	maxAnswered  = 16 // functions
	maxAskedWith = 4  // parameters of one
	maxAnswers   = 8  // numbers that one returns
)

// feedWords are words of the names of contracts that report prices, and rateWords of the names of their functions.
var (
	feedWords = []string{"oracle", "feed", "price", "pricer", "rate", "aggregator", "quote", "quoter"}
	rateWords = []string{"price", "rate", "answer", "quote", "decimals"}
)

// standIn is the contract that stands in for the interfaces of a name; nil where there are none, or they are not about prices or ask for more
// than numbers. It is the same one each time.
func (b *build) standIn(name string) *bytecode.Contract {
	if c, known := b.standIns[name]; known {
		return c
	}
	var functions []abi.Method
	eligible := true
	for _, t := range b.contracts {
		if t.Name != name || t.Deployable() || t.Library {
			continue
		}
		for _, m := range sortedMethods(t) {
			eligible = eligible && canAnswer(&m)
			if !slices.ContainsFunc(functions, func(other abi.Method) bool { return other.Sig == m.Sig }) {
				functions = append(functions, m)
			}
		}
	}
	var c *bytecode.Contract
	other := func(m abi.Method) bool { return !nameHas(m.RawName, rateWords...) }
	eligible = eligible && (nameHas(name, feedWords...) || !slices.ContainsFunc(functions, other))
	if eligible && len(functions) > 0 && len(functions) <= maxAnswered && settersDiffer(functions) {
		c = newStandIn(name, functions)
	}
	if b.standIns == nil {
		b.standIns = map[string]*bytecode.Contract{}
	}
	b.standIns[name] = c
	return c
}

// feedNamed is the interface with a stand-in that a plain address means by its name, IPriceOracle for priceOracle: the one that shares the most
// words with it. Empty: there is none, or there are several.
func (b *build) feedNamed(p *parameter) (name string) {
	if baseType(p.typ).T != abi.AddressTy || p.contract != "" || !nameHas(p.name, feedWords...) {
		return ""
	}
	most, named := 0, meant(p.name)
	for _, t := range b.contracts {
		switch shared := sharedWords(t.Name, named); {
		case t.Deployable() || shared < max(1, most) || t.Name == name || isStandard(t.Name) || b.standIn(t.Name) == nil:
		case shared == most:
			name = ""
		default:
			most, name = shared, t.Name
		}
	}
	return name
}

// canAnswer reports whether a function only looks, takes words and returns numbers.
func canAnswer(m *abi.Method) bool {
	word := func(in abi.Argument) bool {
		return slices.Contains([]byte{abi.UintTy, abi.IntTy, abi.BoolTy, abi.AddressTy, abi.FixedBytesTy}, in.Type.T)
	}
	number := func(in abi.Argument) bool {
		return slices.Contains([]byte{abi.UintTy, abi.IntTy, abi.BoolTy}, in.Type.T)
	}
	all := func(list abi.Arguments, is func(abi.Argument) bool) bool {
		return !slices.ContainsFunc(list, func(in abi.Argument) bool { return !is(in) })
	}
	return m.IsConstant() && len(m.Inputs) <= maxAskedWith && len(m.Outputs) > 0 && len(m.Outputs) <= maxAnswers && all(m.Inputs, word) && all(m.Outputs, number)
}

// settersDiffer reports whether functions and what sets their answers all have signatures of their own.
func settersDiffer(functions []abi.Method) bool {
	seen := map[string]bool{}
	for i := range functions {
		for _, sig := range []string{functions[i].Sig, setterSig(&functions[i])} {
			if seen[sig] {
				return false
			}
			seen[sig] = true
		}
	}
	return true
}

// setterSig is the signature of the function that sets the answers of another one.
func setterSig(m *abi.Method) string {
	var types []string
	for _, in := range slices.Concat(m.Inputs, m.Outputs) {
		types = append(types, in.Type.String())
	}
	return setterName(m.RawName) + "(" + strings.Join(types, ",") + ")"
}

// setterName is what the function is called that sets the answers of another one: setPrice for price and for getPrice.
func setterName(name string) string {
	if rest, ok := strings.CutPrefix(name, "get"); ok {
		if first, _ := utf8.DecodeRuneInString(rest); unicode.IsUpper(first) {
			name = rest
		}
	}
	first, size := utf8.DecodeRuneInString(name)
	return "set" + string(unicode.ToUpper(first)) + name[size:]
}

// isStandIn reports whether a contract stands in for an interface of the project.
func isStandIn(c *bytecode.Contract) bool { return IsBuiltInMock(c) && namedMock(c.Name) != c }

// newStandIn makes the contract.
func newStandIn(name string, functions []abi.Method) *bytecode.Contract {
	type item struct {
		Type            string             `json:"type"`
		Name            string             `json:"name"`
		Inputs          []standInParameter `json:"inputs"`
		Outputs         []standInParameter `json:"outputs"`
		StateMutability string             `json:"stateMutability"`
	}
	var items []item
	for i := range functions {
		m := &functions[i]
		asked, answers := standInParameters(m.Inputs), standInParameters(m.Outputs)
		items = append(items,
			item{"function", m.RawName, asked, answers, "view"},
			item{"function", setterName(m.RawName), append(slices.Clip(asked), answers...), []standInParameter{}, "nonpayable"})
	}
	raw, err := json.Marshal(items)
	if err != nil {
		panic(err) // strings alone
	}
	key := name + string(raw)
	if c, known := standIns.Load(key); known {
		return c.(*bytecode.Contract) //nolint:errcheck,forcetypeassert // what is stored below
	}
	c := &bytecode.Contract{Name: name, Source: mockSource, ABI: mockABI(string(raw)), RawABI: raw, Implements: []string{name}}
	runtime := assembleStandIn(functions)
	c.Runtime = &bytecode.Code{Kind: bytecode.Runtime, Bytes: runtime}
	c.Creation = &bytecode.Code{Kind: bytecode.Creation, Bytes: append(standInCreation(len(runtime)), runtime...)}
	made, _ := standIns.LoadOrStore(key, c)
	return made.(*bytecode.Contract) //nolint:errcheck,forcetypeassert // likewise
}

// standIns are all that were made, by what they are made of: like other built-in mocks, one is the same contract in all Worlds.
var standIns sync.Map

type standInParameter struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

func standInParameters(list abi.Arguments) []standInParameter {
	out := make([]standInParameter, len(list))
	for i, in := range list {
		out[i] = standInParameter{in.Name, in.Type.String()}
	}
	return out
}

// assembler appends instructions. It uses none that the oldest EVM of a World lacks.
type assembler struct {
	code []byte
	// jumps are where the operands of jumps are, with the number of the label that each leads to.
	jumps  map[int]int
	labels map[int]int // where they are
}

func (a *assembler) op(ops ...vm.OpCode) {
	for _, op := range ops {
		a.code = append(a.code, byte(op))
	}
}

// push pushes a number with so many bytes as it needs.
func (a *assembler) push(n uint64) {
	bytes := binary.BigEndian.AppendUint64(nil, n)
	for len(bytes) > 1 && bytes[0] == 0 {
		bytes = bytes[1:]
	}
	a.op(vm.PUSH1 + vm.OpCode(len(bytes)-1))
	a.code = append(a.code, bytes...)
}

// jumpIf jumps to a label if the word on top of the stack is not zero.
func (a *assembler) jumpIf(label int) {
	a.op(vm.PUSH2)
	a.jumps[len(a.code)] = label
	a.code = append(a.code, 0, 0)
	a.op(vm.JUMPI)
}

func (a *assembler) label(label int) {
	a.labels[label] = len(a.code)
	a.op(vm.JUMPDEST)
}

// link fills in where jumps lead.
func (a *assembler) link() []byte {
	for at, label := range a.jumps { // each by itself
		binary.BigEndian.PutUint16(a.code[at:], uint16(a.labels[label]))
	}
	return a.code
}

const (
	standInFails   = 0 // label
	selectorBits   = 8 * 28
	selectorBytes  = 4
	wordBytes      = 32
	ownerSlot      = 0
	slotsPerAnswer = 16 // of a function without parameters; more than maxAnswers
)

// standInCreation is code that stores who deploys in ownerSlot and returns a runtime code of so many bytes, which follows it.
func standInCreation(size int) []byte {
	const length = 20 // of this code
	a := assembler{}
	a.op(vm.CALLER, vm.PUSH1, ownerSlot, vm.SSTORE)
	a.op(vm.PUSH2)
	a.code = binary.BigEndian.AppendUint16(a.code, uint16(size))
	a.op(vm.DUP1, vm.PUSH1, length, vm.PUSH1, 0, vm.CODECOPY)
	a.op(vm.PUSH1, 0, vm.RETURN, vm.STOP, vm.STOP)
	return a.code[:length]
}

// assembleStandIn is the runtime code: of each function and of what sets its answers.
func assembleStandIn(functions []abi.Method) []byte {
	a := assembler{jumps: map[int]int{}, labels: map[int]int{}}
	a.push(0)
	a.op(vm.CALLDATALOAD)
	a.push(selectorBits)
	a.op(vm.SHR)
	for i := range functions {
		setter := crypto.Keccak256([]byte(setterSig(&functions[i])))[:selectorBytes]
		for j, selector := range [][]byte{functions[i].ID, setter} {
			a.op(vm.DUP1, vm.PUSH4)
			a.code = append(a.code, selector...)
			a.op(vm.EQ)
			a.jumpIf(1 + 2*i + j)
		}
	}
	a.label(standInFails)
	a.push(0)
	a.op(vm.DUP1, vm.REVERT)
	for i := range functions {
		m := &functions[i]
		a.label(1 + 2*i)
		a.checkLength(len(m.Inputs))
		a.slot(i, len(m.Inputs))
		a.answer(m)
		a.label(2 + 2*i)
		a.checkLength(len(m.Inputs) + len(m.Outputs))
		a.op(vm.CALLER, vm.PUSH1, ownerSlot, vm.SLOAD, vm.EQ, vm.ISZERO)
		a.jumpIf(standInFails)
		a.slot(i, len(m.Inputs))
		a.set(m)
	}
	return a.link()
}

// checkLength fails where calldata has fewer than so many words.
func (a *assembler) checkLength(words int) {
	a.push(uint64(selectorBytes + wordBytes*words))
	a.op(vm.CALLDATASIZE, vm.LT)
	a.jumpIf(standInFails)
}

// slot pushes the slot of the first answer of the i-th function: that of a mapping by its parameters, as solc lays them out.
func (a *assembler) slot(i, parameters int) {
	a.push(uint64((i + 1) * slotsPerAnswer))
	for k := range parameters {
		a.push(wordBytes)
		a.op(vm.MSTORE) // the slot so far
		a.push(uint64(selectorBytes + wordBytes*k))
		a.op(vm.CALLDATALOAD)
		a.push(0)
		a.op(vm.MSTORE)
		a.push(2 * wordBytes)
		a.push(0)
		a.op(vm.KECCAK256)
	}
}

// answer returns the answers at the slot on top of the stack: what is stored, and the first answer added to it.
func (a *assembler) answer(m *abi.Method) {
	for k := range m.Outputs {
		a.op(vm.DUP1)
		a.push(uint64(k))
		a.op(vm.ADD, vm.SLOAD)
		a.first(m, k)
		a.op(vm.ADD)
		a.push(uint64(wordBytes * k))
		a.op(vm.MSTORE)
	}
	a.push(uint64(wordBytes * len(m.Outputs)))
	a.push(0)
	a.op(vm.RETURN)
}

// set stores the answers in calldata at the slot on top of the stack, less the first ones.
func (a *assembler) set(m *abi.Method) {
	for k := range m.Outputs {
		a.first(m, k)
		a.push(uint64(selectorBytes + wordBytes*(len(m.Inputs)+k)))
		a.op(vm.CALLDATALOAD, vm.SUB, vm.DUP2)
		a.push(uint64(k))
		a.op(vm.ADD, vm.SSTORE)
	}
	a.op(vm.STOP)
}

// Words of names of numbers that are not amounts.
var (
	timeWords    = []string{"time", "timestamp", "updated", "started"}
	refusalWords = []string{"paused", "stale", "frozen", "stopped", "blocked", "blacklisted", "denied", "expired", "down", "invalid", "broken"}
)

// first pushes what a function returns before anything is set.
func (a *assembler) first(m *abi.Method, k int) {
	const decimals, amount, amountBits = 18, 1e18, 64
	out := &m.Outputs[k]
	named := func(any ...string) bool {
		return nameHas(out.Name, any...) || len(m.Outputs) == 1 && nameHas(m.RawName, any...)
	}
	switch {
	case out.Type.T == abi.BoolTy && named(refusalWords...):
		a.push(0)
	case out.Type.T == abi.BoolTy:
		a.push(1)
	case named("decimals"):
		a.push(decimals)
	case named(timeWords...):
		a.op(vm.TIMESTAMP)
	case out.Type.Size < amountBits:
		a.push(1)
	default:
		a.push(amount)
	}
}
