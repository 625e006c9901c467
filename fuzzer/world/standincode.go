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

// This file is the code of contracts that stand in for others.

// isStandIn reports whether a contract stands in for an interface of the project.
func isStandIn(c *bytecode.Contract) bool { return IsBuiltInMock(c) && namedMock(c.Name) != c }

// answerer says how a function of an interface is stood in for.
type answerer int

const (
	byDeployer    answerer = iota // with what the deployer has set last
	byConstructor                 // with the address that the constructor was given
	byNothing                     // with zeros, see [assembler.nothing]
)

// standInFunction is a function of an interface that a stand-in has.
type standInFunction struct {
	abi.Method
	answerer answerer
}

// newStandIn makes the contract. What it does not have fails, with a reason if there is one.
func newStandIn(name string, functions []standInFunction, refusal string) *bytecode.Contract {
	type item struct {
		Type            string             `json:"type"`
		Name            string             `json:"name,omitempty"`
		Inputs          []standInParameter `json:"inputs"`
		Outputs         []standInParameter `json:"outputs"`
		StateMutability string             `json:"stateMutability"`
	}
	items, given := []item{}, []standInParameter{}
	for i := range functions {
		f := &functions[i]
		asked, answers := standInParameters(f.Inputs), standInParameters(f.Outputs)
		getter := item{"function", f.RawName, asked, answers, "view"}
		switch f.answerer {
		case byDeployer:
			items = append(items, getter, item{"function", setterName(f.RawName), append(slices.Clip(asked), answers...), []standInParameter{}, "nonpayable"})
		case byConstructor:
			items = append(items, getter)
			given = append(given, standInParameter{answerName(f.RawName), "address"})
		case byNothing: // it is not worth a call of its own
		}
	}
	if len(given) > 0 {
		items = append(items, item{"constructor", "", given, []standInParameter{}, "nonpayable"})
	}
	raw, err := json.Marshal(items)
	if err != nil {
		panic(err) // strings alone
	}
	runtime := assembleStandIn(functions, refusal)
	key := name + string(raw) + string(runtime)
	if c, known := standIns.Load(key); known {
		return c.(*bytecode.Contract) //nolint:errcheck,forcetypeassert // what is stored below
	}
	c := &bytecode.Contract{Name: name, Source: mockSource, ABI: mockABI(string(raw)), RawABI: raw, Implements: []string{name}}
	c.Runtime = &bytecode.Code{Kind: bytecode.Runtime, Bytes: runtime}
	c.Creation = &bytecode.Code{Kind: bytecode.Creation, Bytes: append(standInCreation(functions, len(runtime)), runtime...)}
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
	name = answerName(name)
	first, size := utf8.DecodeRuneInString(name)
	return "set" + string(unicode.ToUpper(first)) + name[size:]
}

// answerName is what a function that answers is called without "get".
func answerName(name string) string {
	if rest, ok := strings.CutPrefix(name, "get"); ok {
		if first, _ := utf8.DecodeRuneInString(rest); unicode.IsUpper(first) {
			return rest
		}
	}
	return name
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

// standInCreation is code that stores who deploys in ownerSlot, and the arguments at its end as what functions answer, and returns a runtime code of
// so many bytes, which follows it.
func standInCreation(functions []standInFunction, size int) []byte {
	a := assembler{}
	a.op(vm.CALLER, vm.PUSH1, ownerSlot, vm.SSTORE)
	var given []int
	for i := range functions {
		if functions[i].answerer == byConstructor {
			given = append(given, i)
		}
	}
	for k, i := range given {
		a.push(wordBytes)
		a.op(vm.DUP1)
		a.push(uint64(len(given) - k))
		a.op(vm.MUL, vm.CODESIZE, vm.SUB)
		a.push(0)
		a.op(vm.CODECOPY)
		a.push(0)
		a.op(vm.MLOAD)
		a.slot(i, 0)
		a.op(vm.SSTORE)
	}
	a.op(vm.PUSH2)
	a.code = binary.BigEndian.AppendUint16(a.code, uint16(size))
	a.op(vm.DUP1, vm.PUSH2)
	at := len(a.code)
	a.op(vm.STOP, vm.STOP) // where the runtime code begins
	a.push(0)
	a.op(vm.CODECOPY)
	a.push(0)
	a.op(vm.RETURN)
	binary.BigEndian.PutUint16(a.code[at:], uint16(len(a.code)))
	return a.code
}

// assembleStandIn is the runtime code: of each function and of what sets its answers.
func assembleStandIn(functions []standInFunction, refusal string) []byte {
	a := assembler{jumps: map[int]int{}, labels: map[int]int{}}
	a.push(0)
	a.op(vm.CALLDATALOAD)
	a.push(selectorBits)
	a.op(vm.SHR)
	for i := range functions {
		f := &functions[i]
		a.jumpIfCalled(f.ID, 1+2*i)
		if f.answerer == byDeployer {
			a.jumpIfCalled(crypto.Keccak256([]byte(setterSig(&f.Method)))[:selectorBytes], 2+2*i)
		}
	}
	a.label(standInFails)
	a.fail(refusal)
	for i := range functions {
		a.function(i, &functions[i])
	}
	return a.link()
}

// jumpIfCalled jumps to a label if the word on top of the stack is a selector, and leaves it there.
func (a *assembler) jumpIfCalled(selector []byte, label int) {
	a.op(vm.DUP1, vm.PUSH4)
	a.code = append(a.code, selector...)
	a.op(vm.EQ)
	a.jumpIf(label)
}

// function is the code of the i-th function and of what sets its answers.
func (a *assembler) function(i int, f *standInFunction) {
	a.label(1 + 2*i)
	a.checkLength(len(f.Inputs))
	switch f.answerer {
	case byNothing:
		a.nothing(&f.Method)
	case byConstructor:
		a.slot(i, 0)
		a.op(vm.SLOAD)
		a.push(0)
		a.op(vm.MSTORE)
		a.giveBack(1)
	case byDeployer:
		a.slot(i, len(f.Inputs))
		a.answer(&f.Method)
		a.label(2 + 2*i)
		a.checkLength(len(f.Inputs) + len(f.Outputs))
		a.op(vm.CALLER, vm.PUSH1, ownerSlot, vm.SLOAD, vm.EQ, vm.ISZERO)
		a.jumpIf(standInFails)
		a.slot(i, len(f.Inputs))
		a.set(&f.Method)
	}
}

// fail reverts, with a reason of at most a word unless it is empty.
func (a *assembler) fail(reason string) {
	if reason == "" {
		a.push(0)
		a.op(vm.DUP1, vm.REVERT)
		return
	}
	word := func(bytes []byte, at uint64) {
		a.op(vm.PUSH32)
		a.code = append(append(a.code, bytes...), make([]byte, wordBytes-len(bytes))...)
		a.push(at)
		a.op(vm.MSTORE)
	}
	word(crypto.Keccak256([]byte("Error(string)"))[:selectorBytes], 0)
	for i, n := range []int{wordBytes, len(reason)} { // where the text begins behind the selector, and its length
		a.push(uint64(n))
		a.push(uint64(selectorBytes + i*wordBytes))
		a.op(vm.MSTORE)
	}
	word([]byte(reason), selectorBytes+2*wordBytes)
	a.push(selectorBytes + 3*wordBytes)
	a.push(0)
	a.op(vm.REVERT)
}

// giveBack returns so many words, the first of memory.
func (a *assembler) giveBack(words int) {
	a.push(uint64(wordBytes * words))
	a.push(0)
	a.op(vm.RETURN)
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
	a.giveBack(len(m.Outputs))
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

// isEmptiable reports whether a type is that of lists and texts, which may be empty.
func isEmptiable(t *abi.Type) bool {
	return t.T == abi.SliceTy || t.T == abi.StringTy || t.T == abi.BytesTy
}

// wordsOf is how many words values take that have a fixed length; -1: some do not.
func wordsOf(list abi.Arguments) (n int) {
	for i := range list {
		size := wordsOfType(&list[i].Type)
		if n += size; size < 0 || n > maxIdleWords {
			return -1
		}
	}
	return n
}

func wordsOfType(t *abi.Type) int {
	switch {
	case isEmptiable(t):
		return -1
	case t.T == abi.ArrayTy:
		size := wordsOfType(t.Elem)
		if size < 0 || t.Size > maxIdleWords {
			return -1
		}
		return t.Size * size
	case t.T == abi.TupleTy:
		n := 0
		for _, e := range t.TupleElems {
			size := wordsOfType(e)
			if size < 0 || n > maxIdleWords {
				return -1
			}
			n += size
		}
		return n
	}
	return 1
}

// nothing returns zeros; of plain numbers that are rates or times what a feed would answer at first.
func (a *assembler) nothing(m *abi.Method) {
	if len(m.Outputs) == 1 && isEmptiable(&m.Outputs[0].Type) {
		a.push(wordBytes)
		a.push(0)
		a.op(vm.MSTORE) // where the list begins, which has no elements
		a.giveBack(2)
		return
	}
	n := wordsOf(m.Outputs)
	for k := range m.Outputs {
		out := &m.Outputs[k]
		means := func(any ...string) bool {
			return nameHas(out.Name, any...) || len(m.Outputs) == 1 && nameHas(m.RawName, any...)
		}
		if n == len(m.Outputs) && (out.Type.T == abi.UintTy || out.Type.T == abi.IntTy) && (means(rateWords...) || means(timeWords...)) {
			a.first(m, k)
			a.push(uint64(wordBytes * k))
			a.op(vm.MSTORE)
		}
	}
	a.giveBack(n)
}
