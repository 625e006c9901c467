package diffmap

import (
	"cmp"
	"slices"
	"sort"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// This file finds the placeholders of modifiers: where the code ends that is before a "_",
// and what the "_" stands for begins. In legacy code a placeholder has no instruction of its
// own: the code of the next modifier, or of the function, follows directly, once for every
// "_", in the order of the source. Its first instruction stands for the placeholder.

// placeholder is a node that code stands for without having its range: the "_" of a modifier,
// or the message of a require (message.go).
type placeholder struct {
	selection *selection // of the source that holds the node
	node      int32
}

// placeholderFinder knows the functions and modifiers of a compilation unit.
type placeholderFinder struct {
	selections   map[int]*selection
	placeholders map[bytecode.Location][]placeholder
	contracts    map[string]*compile.Node // by "source:name"
	byID         map[int]*compile.Node    // contracts and modifiers
	callables    map[int][]*compile.Node  // functions and modifiers by file, in order
}

// newPlaceholderFinder answers nil where no modifier has a changed line. changed tells
// which are.
func newPlaceholderFinder(output *compile.Output, selections map[int]*selection, changed func(modifier *compile.Node) bool) *placeholderFinder {
	s := &placeholderFinder{selections: selections, placeholders: map[bytecode.Location][]placeholder{},
		contracts: map[string]*compile.Node{}, byID: map[int]*compile.Node{}, callables: map[int][]*compile.Node{}}
	wanted := false
	for _, source := range output.Sources {
		if source.AST == nil {
			continue
		}
		for _, n := range source.AST.Children {
			s.add(source, n)
			if n.Type != "ContractDefinition" {
				continue
			}
			for _, member := range n.Children {
				s.add(source, member)
				wanted = wanted || member.Type == "ModifierDefinition" && changed(member)
			}
		}
		slices.SortStableFunc(s.callables[source.ID], func(a, b *compile.Node) int { return cmp.Compare(a.Start, b.Start) })
	}
	if !wanted {
		return nil
	}
	return s
}

// at lists the placeholders before an instruction.
func (s *placeholderFinder) at(loc bytecode.Location) []placeholder {
	if s == nil {
		return nil
	}
	return s.placeholders[loc]
}

func (s *placeholderFinder) add(source *compile.Source, n *compile.Node) {
	switch n.Type {
	case "ContractDefinition":
		s.byID[n.ID] = n
		s.contracts[source.Path+":"+n.Attribute("name")] = n
	case "ModifierDefinition":
		s.byID[n.ID] = n
		fallthrough
	case "FunctionDefinition":
		s.callables[source.ID] = append(s.callables[source.ID], n)
	}
}

// callable is the function or modifier that holds an instruction's range; nil
// when there is none.
func (s *placeholderFinder) callable(e instruction) *compile.Node {
	list := s.callables[e.File]
	i := sort.Search(len(list), func(i int) bool { return list[i].Start > e.Start })
	if i == 0 || e.Start < 0 || list[i-1].End() < e.Start+e.Length {
		return nil
	}
	return list[i-1]
}

// link is a modifier of a function, in the place where it is applied.
type link struct {
	modifier     *compile.Node
	invocation   *compile.Node
	placeholders []*compile.Node // in source order
	passed       int             // where the last "_" stands that was found, else −1
}

// chain lists the modifiers that contract applies to a function, the outermost
// first. A modifier may be overridden like a function.
func (s *placeholderFinder) chain(contract, function *compile.Node) []link {
	var list []link
	for _, invocation := range function.Children {
		if invocation.Type != "ModifierInvocation" {
			continue
		}
		name := invocation.Child("modifierName")
		if name == nil {
			continue
		}
		id, _ := name.Int("referencedDeclaration")
		modifier := s.byID[id]
		if modifier == nil || modifier.Type != "ModifierDefinition" {
			continue // the arguments of a base constructor
		}
		if name.Attribute("name") == modifier.Attribute("name") { // not Base.modifier
			modifier = s.overriding(contract, modifier)
		}
		l := link{modifier: modifier, invocation: invocation, passed: -1}
		modifier.Walk(func(n *compile.Node) bool {
			if n.Type == "PlaceholderStatement" {
				l.placeholders = append(l.placeholders, n)
			}
			return true
		})
		list = append(list, l)
	}
	return list
}

// overriding is the modifier of the same name that contract uses.
func (s *placeholderFinder) overriding(contract, modifier *compile.Node) *compile.Node {
	if contract == nil {
		return modifier
	}
	ids, _ := contract.Attributes.Get("linearizedBaseContracts").([]any)
	for _, value := range ids {
		id, _ := value.(int)
		base := s.byID[id]
		if base == nil {
			continue
		}
		for _, n := range base.Children {
			if n.Type == "ModifierDefinition" && n.Attribute("name") == modifier.Attribute("name") {
				return n
			}
		}
	}
	return modifier
}

// placeholderWalk follows the code of one artifact.
type placeholderWalk struct {
	*placeholderFinder
	contract *compile.Node
	hoisted  map[byteRange]bool // local variables of function, where they are made at its start
	style    codeStyle

	function *compile.Node
	chain    []link
	at       int // how many of the chain's "_" lead here; −1 before the first of its code
	before   instruction
	holder   *compile.Node // of before
}

// find adds the placeholders of an artifact and marks them as having code.
func (s *placeholderFinder) find(a *artifact) {
	if s == nil || a.style.shuffled {
		return // the placeholder has code of its own there
	}
	var code []instruction
	var pcs []uint32
	var holders []*compile.Node
	for pc, e := range a.instructions() {
		code, pcs, holders = append(code, e), append(pcs, pc), append(holders, s.callable(e))
	}
	next := make([]*compile.Node, len(code)) // the function that the code here or behind is of
	var last *compile.Node
	for i := len(code) - 1; i >= 0; i-- {
		if holders[i] != nil && holders[i].Type == "FunctionDefinition" {
			last = holders[i]
		}
		next[i] = last
	}
	w := placeholderWalk{placeholderFinder: s, style: a.style, contract: s.contracts[a.contract.UnitName()]}
	for i := range code {
		if holders[i] != nil {
			w.step(bytecode.Location{Code: a.program.ID, PC: pcs[i]}, code[i], holders[i], next[i])
		}
	}
}

// step looks at an instruction in a function or modifier.
func (w *placeholderWalk) step(at bytecode.Location, e instruction, holder, next *compile.Node) {
	if holder.Type == "FunctionDefinition" {
		w.enter(holder)
	} else if w.index(holder) < 0 && next != nil {
		w.enter(next) // a constructor's modifier, in front of all else of it
	}
	if w.hoisted[e.bytes()] {
		return
	}
	place := w.place(e, holder)
	if place < 0 {
		return
	}
	for i := max(w.at, 0); i < place; i++ {
		w.pass(i, at)
	}
	w.at, w.before, w.holder = place, e, holder
}

// enter is called with the function that code belongs to.
func (w *placeholderWalk) enter(function *compile.Node) {
	if w.function == function {
		return
	}
	w.function, w.chain, w.at, w.holder = function, w.placeholderFinder.chain(w.contract, function), -1, nil
	w.hoisted = map[byteRange]bool{}
	if !w.style.hoisted {
		return
	}
	local := func(n *compile.Node) bool {
		if isLocalVariable(n) {
			w.hoisted[byteRange{n.Start, n.End()}] = true
		}
		return true
	}
	function.Walk(local)
	for _, l := range w.chain {
		l.modifier.Walk(local)
	}
}

// index is the place of a modifier in the chain; −1 when it is not there.
func (w *placeholderWalk) index(modifier *compile.Node) int {
	return slices.IndexFunc(w.chain, func(l link) bool { return l.modifier == modifier })
}

// place is how many placeholders lead to an instruction; −1 when it is unknown, as of a
// function's header.
func (w *placeholderWalk) place(e instruction, holder *compile.Node) int {
	if holder.Type == "ModifierDefinition" {
		return w.index(holder)
	}
	within := func(n *compile.Node) bool {
		return n != nil && e.Start >= n.Start && e.Start+e.Length <= n.End()
	}
	if within(holder.Child("body")) {
		return len(w.chain)
	}
	return slices.IndexFunc(w.chain, func(l link) bool { return within(l.invocation) })
}

// pass notes that code behind the i-th modifier's next "_" starts at loc: the
// first one behind the code before, which is that modifier's, or its first when
// the modifier has made no code.
func (w *placeholderWalk) pass(i int, loc bytecode.Location) {
	l := &w.chain[i]
	behind := l.passed
	if w.at == i && w.holder == l.modifier {
		behind = max(behind, w.before.Start)
	}
	if i+1 < len(w.chain) {
		w.chain[i+1].passed = -1
	}
	for _, n := range l.placeholders {
		if n.Start <= behind {
			continue
		}
		l.passed = n.Start
		if sel := w.selections[n.File]; sel != nil {
			if id, ok := sel.tree.byRange[byteRange{n.Start, n.End()}]; ok {
				w.placeholders[loc] = append(w.placeholders[loc], placeholder{sel, id})
				sel.tree.nodes[id].code = true
			}
		}
		return
	}
}
