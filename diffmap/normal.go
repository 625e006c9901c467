package diffmap

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file compares the code of functions on both sides of a change without
// what a mere move of code changes: where jumps lead is told by what is there,
// and offsets of data are left out.

// codePart is what owns code and can be found again on the other side: a
// function, or a state variable with its initializer or getter.
type codePart struct {
	source string // the compiler's name of the file
	name   string // "Vault.withdraw(uint256)"
}

// part is a codePart's place in a source.
type part struct {
	byteRange
	codePart
	node *compile.Node
}

// partsOf lists the functions and state variables of a source, by place; they
// do not overlap. Modifiers are not among them: their code is part of every
// function that they wrap, once for each.
func partsOf(s *compile.Source) []part {
	if s.AST == nil {
		return nil
	}
	var parts []part
	var contract string
	s.AST.Walk(func(n *compile.Node) bool {
		switch n.Type {
		case "ContractDefinition":
			contract = n.Attribute("name") + "."
			return true
		case "FunctionDefinition":
			if n.Parent == nil || n.Parent.Type != "ContractDefinition" {
				contract = ""
			}
			parts = append(parts, part{byteRange{n.Start, n.End()}, codePart{s.Path, contract + signatureOf(n)}, n})
			return false
		case "VariableDeclaration":
			if n.Attributes.Get("stateVariable") == true || n.Parent != nil && n.Parent.Type == "SourceUnit" {
				parts = append(parts, part{byteRange{n.Start, n.End()}, codePart{s.Path, contract + n.Attribute("name")}, n})
			}
			return false
		case "ModifierDefinition", "StructDefinition", "EventDefinition", "ErrorDefinition", "EnumDefinition":
			return false
		}
		return true
	})
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.start, b.start) })
	return parts
}

// signatureOf names a function with its parameters as they are written, so that
// overloads are apart.
func signatureOf(n *compile.Node) string {
	name := functionName(n) + "("
	first := true
	n.Walk(func(p *compile.Node) bool {
		if p.Type == "ParameterList" && p.Role == "parameters" && p.Parent == n {
			for _, v := range p.Children {
				if !first {
					name += ","
				}
				first = false
				if types, ok := v.Attributes.Get("typeDescriptions").(map[string]any); ok {
					text, _ := types["typeString"].(string)
					name += text
				}
			}
		}
		return p == n
	})
	return name + ")"
}

// code is an artifact taken apart.
type code struct {
	artifact *artifact
	parts    map[int][]part    // by source id
	sizes    map[uint64]bool   // of creation code
	pcs      []uint32          // of the instructions with a source map entry
	owner    []codePart        // by instruction; the zero value: none
	refuses  map[int]bool      // instructions of the check that refuses wei
	slots    map[uint64]string // immutables by where the constructor keeps them in memory
	jumpdest map[uint32]int    // instruction number by pc
	tagSize  uint32            // bytes of a pushed destination: an assembler writes all alike
	ordinal  map[int]int       // of a JUMPDEST among those of its part
	routines map[int][sha256.Size]byte
}

func takeApart(a *artifact, output *compile.Output, parts map[int][]part, sizes map[uint64]bool) *code {
	c := &code{artifact: a, parts: parts, sizes: sizes, refuses: map[int]bool{}, jumpdest: map[uint32]int{}, ordinal: map[int]int{}, routines: map[int][sha256.Size]byte{}}
	if a.program.Code.Kind == bytecode.Creation {
		c.slots = immutableSlots(output, a.contract)
	}
	for pc, e := range a.entries.Instructions(a.program.Bytes) {
		c.pcs = append(c.pcs, pc)
		c.owner = append(c.owner, c.partAt(e))
	}
	c.findRefusals()
	count := map[codePart]int{}
	for number, pc := range c.pcs {
		if vm.OpCode(a.program.Bytes[pc]) == vm.JUMPDEST {
			c.jumpdest[pc] = number
			if owner := c.owner[number]; !c.refuses[number] {
				c.ordinal[number] = count[owner]
				count[owner]++
			}
		}
	}
	c.tagSize = c.findTagSize()
	return c
}

// refusal is how solc's legacy code refuses wei: CALLVALUE, then this. A number of
// −1 stands for any push.
var refusal = []int{int(vm.DUP1), int(vm.ISZERO), -1, int(vm.JUMPI), -1, int(vm.DUP1), int(vm.REVERT), int(vm.JUMPDEST), int(vm.POP)}

// findRefusals finds the checks that refuse wei. Since 0.5, a contract without payable
// functions has one for all of them; with a payable function each other has its own
// (ContractCompiler.cpp, appendFunctionSelector). No function is another one for that.
func (c *code) findRefusals() {
	op := func(number int) vm.OpCode {
		if number >= len(c.pcs) {
			return vm.INVALID
		}
		return vm.OpCode(c.artifact.program.Bytes[c.pcs[number]])
	}
	for number := range c.pcs {
		if op(number) != vm.CALLVALUE {
			continue
		}
		matches := true
		for i, want := range refusal {
			got := op(number + 1 + i)
			push := got.IsPush() // PUSH0 DUP1 is PUSH0 PUSH0 since Shanghai
			matches = matches && (want < 0 && push || int(got) == want || want == int(vm.DUP1) && i > 0 && push)
		}
		for i := range len(refusal) + 1 {
			if matches {
				c.refuses[number+i] = true
			}
		}
	}
}

// immutableSlots are the places in memory where a contract's constructor keeps its
// immutables, from 0x80 on, in the order of the linearized bases, the most basic first
// (CompilerContext.cpp, addImmutable; IRGenerationContext.cpp, registerImmutableVariable).
// Names are those of their declarations.
func immutableSlots(output *compile.Output, contract *compile.Contract) map[uint64]string {
	byID := map[int]*compile.Node{}
	var own *compile.Node
	for _, s := range output.Sources {
		if s.AST == nil {
			continue
		}
		for _, n := range s.AST.Children {
			if n.Type != "ContractDefinition" {
				continue
			}
			byID[n.ID] = n
			if s.Path == contract.Source && n.Attribute("name") == contract.Name {
				own = n
			}
		}
	}
	if own == nil {
		return nil
	}
	slots := map[uint64]string{}
	next := uint64(0x80) // where memory for general use starts
	ids, _ := own.Attributes.Get("linearizedBaseContracts").([]any)
	for _, value := range slices.Backward(ids) {
		id, _ := value.(int)
		base := byID[id]
		if base == nil {
			continue
		}
		for _, n := range base.Children {
			if n.Type == "VariableDeclaration" && n.Attribute("mutability") == "immutable" {
				slots[next] = base.Attribute("name") + "." + n.Attribute("name")
				next += 32
			}
		}
	}
	return slots
}

// findTagSize looks at the pushes right before jumps.
func (c *code) findTagSize() uint32 {
	for i := 1; i < len(c.pcs); i++ {
		op := vm.OpCode(c.artifact.program.Bytes[c.pcs[i]])
		if size := bytecode.PushSize(c.artifact.program.Bytes[c.pcs[i-1]]); size > 0 && (op == vm.JUMP || op == vm.JUMPI) {
			return size
		}
	}
	return 0
}

func (c *code) partAt(e compile.SourceMapEntry) codePart {
	parts := c.parts[e.File]
	i := sort.Search(len(parts), func(i int) bool { return parts[i].end > e.Start })
	if e.Start >= 0 && i < len(parts) && parts[i].start <= e.Start && e.Start+e.Length <= parts[i].end {
		return parts[i].codePart
	}
	return codePart{}
}

// normalized is a part's code: an entry for each of its instructions, in order.
type normalized struct {
	numbers []int // of the instructions
	words   []word
}

// word is what an instruction does, wherever it stands.
type word struct {
	does   [sha256.Size]byte
	kind   pushed
	number uint64 // that it pushes
	slot   string // the immutable that is kept at that place in memory; mostly empty
}

// pushed says what a pushed number may be. Any number may look like a place by
// chance, which is why it is kept as well.
type pushed uint8

const (
	pushedNumber pushed = iota // or no push at all
	pushedPlace                // that a jump leads to; word.does names it
	pushedData                 // where data are
)

// same compares the words of two sides. What looks like a place on one side only
// is none.
func (w word) same(other word) bool {
	if w.slot != "" && w.slot == other.slot {
		return true
	}
	if w.kind != other.kind {
		return w.number == other.number
	}
	return w.does == other.does
}

// normalize gives the code of all parts.
func (c *code) normalize() map[codePart]*normalized {
	all := map[codePart]*normalized{}
	for number, owner := range c.owner {
		if owner == (codePart{}) || c.refuses[number] {
			continue
		}
		n := all[owner]
		if n == nil {
			n = &normalized{}
			all[owner] = n
		}
		n.numbers = append(n.numbers, number)
		n.words = append(n.words, c.word(number, nil))
	}
	return all
}

// word reads an instruction. under are the routines that are being read.
func (c *code) word(number int, under []int) word {
	p := c.artifact.program
	pc := c.pcs[number]
	op := vm.OpCode(p.Bytes[pc])
	size := bytecode.PushSize(byte(op))
	if size == 0 {
		return word{does: [sha256.Size]byte{byte(op)}}
	}
	data := p.Bytes[min(int(pc)+1, len(p.Bytes)):min(int(pc+1+size), len(p.Bytes))]
	w := word{does: sha256.Sum256(append([]byte{byte(op)}, data...))}
	for _, b := range data {
		w.number = w.number<<8 | uint64(b)
	}
	if size > 3 {
		return w
	}
	w.slot = c.slots[w.number]
	if to, ok := c.jumpdest[uint32(w.number)]; ok && size == c.tagSize && !c.isBase(number) {
		w.does, w.kind = c.destination(to, under), pushedPlace
	} else if c.isAboutData(w.number) {
		w.does, w.kind = sha256.Sum256([]byte("data")), pushedData
	}
	return w
}

// isBase reports whether a pushed number is raised to a power right away: 256 is,
// wherever values share a storage slot, and may well be the place of a JUMPDEST.
func (c *code) isBase(number int) bool {
	return number+1 < len(c.pcs) && vm.OpCode(c.artifact.program.Bytes[c.pcs[number+1]]) == vm.EXP
}

// destination names a place that code jumps to: by its part, or, in code that the
// compiler generated, by what is there.
func (c *code) destination(number int, under []int) [sha256.Size]byte {
	if owner := c.owner[number]; owner != (codePart{}) {
		text := append([]byte("part\x00"+owner.source+"\x00"+owner.name+"\x00"), binary.BigEndian.AppendUint64(nil, uint64(c.ordinal[number]))...)
		return sha256.Sum256(text)
	}
	if known, ok := c.routines[number]; ok {
		return known
	}
	const deepest = 16 // calls of generated code by generated code: an ABI coder's nesting; arbitrary
	if slices.Contains(under, number) || len(under) > deepest {
		return sha256.Sum256([]byte("recursion"))
	}
	under = append(slices.Clone(under), number)
	h := sha256.New()
	for i := number; i < len(c.pcs) && c.owner[i] == (codePart{}); i++ {
		w := c.word(i, under)
		h.Write(w.does[:])
		op := vm.OpCode(c.artifact.program.Bytes[c.pcs[i]])
		if op == vm.JUMP || op == vm.STOP || op == vm.RETURN || op == vm.REVERT || op == vm.INVALID {
			break
		}
	}
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	c.routines[number] = sum
	return sum
}

// isAboutData reports whether a pushed number may be about data: the size of a
// contract's creation code, or a place behind the last instruction, where such
// code and what else is copied lies. Other numbers of that value look like it,
// and their changes are not seen.
func (c *code) isAboutData(value uint64) bool {
	last := uint64(c.pcs[len(c.pcs)-1])
	return c.sizes[value] || value > last && value <= uint64(len(c.artifact.program.Bytes))
}

// creationSizes are the sizes of creation code that an output has.
func creationSizes(output *compile.Output) map[uint64]bool {
	sizes := map[uint64]bool{}
	for _, c := range output.Contracts {
		if c.Creation != nil && len(c.Creation.Bytes) > 0 {
			sizes[uint64(len(c.Creation.Bytes))] = true
		}
	}
	return sizes
}

// destinationOf is the part that an instruction pushes the entry of; false when it
// pushes something else.
func (c *code) destinationOf(number int) (codePart, bool) {
	p := c.artifact.program
	pc := c.pcs[number]
	size := bytecode.PushSize(p.Bytes[pc])
	if size == 0 || size != c.tagSize || int(pc+size) >= len(p.Bytes) {
		return codePart{}, false
	}
	value := uint32(0)
	for _, b := range p.Bytes[pc+1 : pc+1+size] {
		value = value<<8 | uint32(b)
	}
	to, ok := c.jumpdest[value]
	if !ok || c.ordinal[to] != 0 || c.owner[to] == (codePart{}) {
		return codePart{}, false
	}
	return c.owner[to], true
}

// firstDifference is the number of the first instruction of n that other does not
// have; false when both are the same code.
func (n *normalized) firstDifference(other *normalized) (number int, differs bool) {
	for i, word := range n.words {
		if i >= len(other.words) || !word.same(other.words[i]) {
			return n.numbers[i], true
		}
	}
	return n.numbers[len(n.numbers)-1], len(other.words) > len(n.words)
}
