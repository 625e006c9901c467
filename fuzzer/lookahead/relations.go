package lookahead

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// relation is what holds between two words whatever their Values: an order, an inequality,
// a constant difference. (Equal words are one symbol.) A condition is a relation that holds
// just when another word, the one that a branch depends on, is not zero.
//
// In a state the words are classes. In an interpreter they are symbols, and only outright
// relations of the first three kinds are kept as such: conditions and offsets are part of
// the words that they define, see [word].
type relation struct {
	kind    relationKind
	negated bool
	of      symbol // the condition's word; absent: holds outright
	a, b    symbol // absent: the constant k
	k       Value  // also the offset
}

// absent is not a symbol.
const absent symbol = -1

type relationKind uint8

// The kinds of relations.
const (
	equal      relationKind = iota // a = b
	less                           // a < b
	signedLess                     // a < b, as signed words
	offset                         // b = a + k modulo 2^256
)

// relationOps are the comparisons that relations are, by kind. An offset is not one.
var relationOps = [...]vm.OpCode{equal: vm.EQ, less: vm.LT, signedLess: vm.SLT}

// Bounds of the relations of a state, and of those that an interpreter keeps along a path.
// Arbitrary: source code seldom compares more words, and every join looks at all.
const (
	maxRelations     = 24
	maxPathRelations = 16
	// maxExcluded bounds the constants that words of a state are known not to be.
	maxExcluded = 4
)

// before orders relations; states have them in this order.
func (r *relation) before(s *relation) bool {
	switch {
	case r.kind != s.kind:
		return r.kind < s.kind
	case r.a != s.a:
		return r.a < s.a
	case r.b != s.b:
		return r.b < s.b
	case r.of != s.of:
		return r.of < s.of
	case r.k != s.k:
		return r.k < s.k
	}
	return !r.negated && s.negated
}

// sorted sorts relations, and drops those that are equal. They are few, and mostly in order.
func sorted(all []relation) []relation {
	for i := 1; i < len(all); i++ {
		for j := i; j > 0 && all[j].before(&all[j-1]); j-- {
			all[j], all[j-1] = all[j-1], all[j]
		}
	}
	return slices.Compact(all)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// find is the symbol that stands for all that are known to equal one.
func (m *interpreter) find(w symbol) symbol {
	for {
		n := m.words[w].link
		if n == 0 || m.links[n-1].same == 0 {
			return w
		}
		w = m.links[n-1].same - 1
	}
}

// baseOf is the word that w is a constant away from: w = base + k. Of most words that is w
// itself.
func (m *interpreter) baseOf(w symbol) (base symbol, k Value) {
	k = constant(0)
	for {
		w = m.find(w)
		l := m.link(w)
		switch {
		case l.base == 0:
			return w, k
		case k == constant(0):
			k = l.offset
		default:
			k = m.v.binary(vm.ADD, k, l.offset)
		}
		w = l.base - 1
	}
}

// relate keeps that a relation holds, or not.
func (m *interpreter) relate(kind relationKind, a, b symbol, holds bool) {
	if m.intervals {
		return
	}
	if (m.isConstant(a) || m.isConstant(b)) && (kind != equal || m.isConstant(a) && m.isConstant(b)) {
		return // bounds say as much
	}
	if m.isSelector(a, b) || m.isSelector(b, a) {
		return
	}
	if len(m.relations) == maxPathRelations {
		return
	}
	m.relations = append(m.relations, relation{kind: kind, negated: !holds, of: absent, a: a, b: b})
	m.undo = append(m.undo, undone{word: absent})
}

// isSelector reports whether two words look like the selector of a call and that of a function.
// A call's differs from one for each function, and no code compares it again.
func (m *interpreter) isSelector(call, function symbol) bool {
	const low = 1 << 16 // selectors below are rare, and constants of source code above
	i, x := m.v.get(m.value(call)), m.v.get(m.value(function))
	return x.isConstant() && !x.lo.LtUint64(low) && i.hi.LtUint64(1<<32)
}

func (m *interpreter) isConstant(w symbol) bool { return m.v.get(m.value(w)).isConstant() }

// merge makes two words one, which are known to be equal.
func (m *interpreter) merge(a, b symbol) {
	if m.intervals {
		return
	}
	a, b = m.find(a), m.find(b)
	if a == b || m.isConstant(a) || m.isConstant(b) || m.value(a).isLabel() || m.value(b).isLabel() {
		return
	}
	if a > b {
		a, b = b, a
	}
	baseA, _ := m.baseOf(a)
	baseB, _ := m.baseOf(b)
	if baseA == baseB {
		return // as their offsets say
	}
	l := *m.link(b)
	m.undo = append(m.undo, undone{b, m.words[b].value, m.words[b].link})
	m.setLink(b, link{same: a + 1})
	if baseA == a && l.base != 0 && m.find(b) == a {
		m.undo = append(m.undo, undone{a, m.words[a].value, m.words[a].link})
		m.setLink(a, l)
	}
}

// compare reports whether a relation is known to hold or not to, by what is known of words
// other than their Values.
func (m *interpreter) compare(kind relationKind, a, b symbol) (holds, known bool) {
	a, b = m.find(a), m.find(b)
	if a == b {
		return kind == equal, true
	}
	if m.isConstant(a) || m.isConstant(b) {
		return false, kind == equal && m.different(a, b)
	}
	if len(m.relations) == 0 && m.words[a].link == 0 && m.words[b].link == 0 {
		return false, false
	}
	baseA, offsetA := m.baseOf(a)
	baseB, offsetB := m.baseOf(b)
	if baseA == baseB && offsetA == offsetB {
		return kind == equal, true
	}
	if kind == equal {
		if baseA == baseB || m.different(a, b) {
			return false, true
		}
		for _, order := range []relationKind{less, signedLess} {
			there, back := m.path(order, a, b), m.path(order, b, a)
			switch {
			case there == strict || back == strict:
				return false, true
			case there == weak && back == weak:
				return true, true
			}
		}
		return false, false
	}
	if m.path(kind, b, a) != unordered {
		return false, true
	}
	switch m.path(kind, a, b) {
	case strict:
		return true, true
	case weak:
		differ := baseA == baseB || m.different(a, b)
		return differ, differ
	}
	return false, false
}

// different reports whether an inequality of two words is kept.
func (m *interpreter) different(a, b symbol) bool {
	for i := range m.relations {
		if r := &m.relations[i]; r.kind == equal {
			x, y := m.find(r.a), m.find(r.b)
			if m.surelyEqual(x, a) && m.surelyEqual(y, b) || m.surelyEqual(x, b) && m.surelyEqual(y, a) {
				return true
			}
		}
	}
	return false
}

// surelyEqual reports whether two words are one symbol or the same constant.
func (m *interpreter) surelyEqual(a, b symbol) bool {
	return a == b || m.isConstant(a) && m.value(a).plain() == m.value(b).plain()
}

// ordered is what relations say of the order of two words.
type ordered uint8

const (
	unordered ordered = iota
	weak              // at most
	strict            // less
)

// path is the order from one word to another along kept relations and offsets.
func (m *interpreter) path(kind relationKind, from, to symbol) ordered {
	s := pathSearch{m: m, kind: kind, to: to}
	s.visit(from, weak)
	return s.found
}

// pathSearch is a depth-first search. It tries every relation once with each strictness.
type pathSearch struct {
	m     *interpreter
	kind  relationKind
	to    symbol
	tried [strict + 1]uint64 // by strictness; a bit for each relation
	found ordered
}

func (s *pathSearch) visit(at symbol, so ordered) {
	m := s.m
	based := m.words[at].link != 0
	if at == s.to {
		s.found = max(s.found, so)
	} else if m.below(s.kind, at, s.to) {
		s.found = strict
	}
	for i := range m.relations {
		r := &m.relations[i]
		if r.kind != s.kind || s.found == strict {
			continue
		}
		from, to, strictly := m.ends(r)
		then := so
		if strictly {
			then = strict
		}
		switch {
		case at == from:
		case !based && m.words[from].link == 0:
			continue
		case m.below(s.kind, at, from):
			then = strict
		default:
			continue
		}
		if s.tried[strict]&(1<<i) == 0 && s.tried[then]&(1<<i) == 0 {
			s.tried[then] |= 1 << i
			s.visit(to, then)
		}
	}
}

// below reports whether one word is less than another since it is that and a constant: the
// sum does not wrap around.
func (m *interpreter) below(kind relationKind, a, b symbol) bool {
	if m.words[a].link == 0 && m.words[b].link == 0 {
		return false
	}
	baseA, offsetA := m.baseOf(a)
	baseB, offsetB := m.baseOf(b)
	if baseA != baseB || offsetA == offsetB {
		return false
	}
	up, _ := m.v.known(m.v.binary(vm.SUB, offsetB, offsetA))
	var sum uint256.Int
	if kind == less {
		// b = a + up with no carry, or a = b − up with no borrow.
		_, wraps := sum.AddOverflow(&m.v.get(m.value(a)).hi, up)
		return !wraps || !m.v.get(m.value(b)).lo.Lt(up)
	}
	return up.Sign() > 0 && (!addOverflows(&sum, &m.v.signed(m.value(a)).hi, up) || !subOverflows(&sum, &m.v.signed(m.value(b)).lo, up))
}

// propagate narrows the words that are related to one that was narrowed.
func (m *interpreter) propagate(w symbol, depth int) bool {
	if l := *m.link(w); l.base != 0 {
		if !m.constrain(l.base-1, m.v.binary(vm.SUB, m.value(w), l.offset), depth+1) {
			return false
		}
	}
	for i := 0; i < len(m.relations); i++ {
		r := m.relations[i]
		if r.kind == equal || m.find(r.a) != w && m.find(r.b) != w {
			continue
		}
		if !m.bound(r.kind, r.a, r.b, !r.negated, depth+maxDepth/2) {
			return false
		}
	}
	return true
}

// conditionOf is the condition that a word is, its operands being symbols; false when it is
// not one.
func (m *interpreter) conditionOf(w symbol) (relation, bool) {
	r := relation{of: w}
	x := w
	for m.words[x].op == vm.ISZERO {
		x = m.find(m.words[x].a)
		r.negated = !r.negated
	}
	at := &m.words[x]
	switch at.op {
	case vm.EQ, vm.SUB, vm.XOR:
		r.kind, r.a, r.b = equal, at.a, at.b
		r.negated = r.negated != (at.op != vm.EQ)
	case vm.LT:
		r.kind, r.a, r.b = less, at.a, at.b
	case vm.GT:
		r.kind, r.a, r.b = less, at.b, at.a
	case vm.SLT:
		r.kind, r.a, r.b = signedLess, at.a, at.b
	case vm.SGT:
		r.kind, r.a, r.b = signedLess, at.b, at.a
	default:
		if x == w {
			return r, false
		}
		// An odd number of ISZEROs says that x is zero.
		r.kind, r.a, r.b, r.k = equal, x, absent, constant(0)
		r.negated = !r.negated
	}
	return r, true
}

// saveRelations puts the relations of the saved state's classes into it.
func (m *interpreter) saveRelations() {
	s := &m.saved
	s.relations = s.relations[:0]
	if len(m.relations) == 0 && len(m.defined) == 0 {
		return
	}
	constants := 0
	for i := len(m.relations) - 1; i >= 0; i-- {
		r := m.relations[i]
		constantA, constantB := m.isConstant(r.a), m.isConstant(r.b)
		if constantA || constantB {
			if constants == maxExcluded || constantA && constantB {
				continue
			}
			constants++
		}
		if !constantA && !constantB && (m.savedClass(r.a) == absent || m.savedClass(r.b) == absent) {
			if r.kind != equal {
				m.saveImplied(&r)
			}
			continue
		}
		r, ok := m.inClasses(r, constantA, constantB)
		if ok && r.a != r.b {
			m.addRelation(r)
		}
	}
	for _, class := range m.defined {
		w := m.live[class]
		switch at := &m.words[w]; {
		case m.v.get(at.value).isConstant():
		case at.op != 0 && at.value == boolean:
			m.saveCondition(class, w)
		case m.link(w).base != 0:
			m.saveOffset(class, w)
		}
	}
	s.relations = sorted(s.relations)
}

// saveImplied saves the order of words that a relation tells through a word that is not saved:
// p < r where p < q < r, or where p + 1 = q and q < r. It looks no further than one such word.
func (m *interpreter) saveImplied(r *relation) {
	from, to, strictly := m.ends(r)
	fromClass, toClass := m.savedClass(from), m.savedClass(to)
	switch {
	case fromClass != absent:
		for i := range m.relations {
			if s := &m.relations[i]; s.kind == r.kind {
				if mid, end, also := m.ends(s); mid == to {
					m.saveOrder(r.kind, fromClass, m.savedClass(end), strictly || also)
				}
			}
		}
		if l := m.link(to); l.base != 0 && m.below(r.kind, to, m.find(l.base-1)) {
			m.saveOrder(r.kind, fromClass, m.savedClass(l.base-1), true)
		}
	case toClass != absent:
		if l := m.link(from); l.base != 0 && m.below(r.kind, m.find(l.base-1), from) {
			m.saveOrder(r.kind, m.savedClass(l.base-1), toClass, true)
		}
	}
}

// ends are the words of an order, the lower first, and whether they differ.
func (m *interpreter) ends(r *relation) (from, to symbol, strictly bool) {
	if r.negated {
		return m.find(r.b), m.find(r.a), false
	}
	return m.find(r.a), m.find(r.b), true
}

// saveOrder saves that one class is less than another, or at most that.
func (m *interpreter) saveOrder(kind relationKind, from, to symbol, strictly bool) {
	switch {
	case from == absent || to == absent || from == to:
	case strictly:
		m.addRelation(relation{kind: kind, of: absent, a: from, b: to})
	default:
		m.addRelation(relation{kind: kind, negated: true, of: absent, a: to, b: from})
	}
}

// inClasses is a relation with classes of the saved state for symbols, of which some are
// constants; false when a class is missing.
func (m *interpreter) inClasses(r relation, constantA, constantB bool) (relation, bool) {
	switch {
	case constantA && constantB:
		return r, false
	case constantA:
		r.k, r.a, r.b = m.value(r.a).plain(), absent, m.savedClass(r.b)
		return r, r.b != absent
	case constantB:
		r.k, r.a, r.b = m.value(r.b).plain(), m.savedClass(r.a), absent
		return r, r.a != absent
	}
	r.a, r.b = m.savedClass(r.a), m.savedClass(r.b)
	return r, r.a != absent && r.b != absent
}

// savedClass is the class of a symbol in the saved state; absent when it has none.
func (m *interpreter) savedClass(w symbol) symbol {
	if w != absent {
		w = symbol(m.class[m.find(w)]) - 1
	}
	return w
}

func (m *interpreter) addRelation(r relation) {
	if len(m.saved.relations) < maxRelations && (r.of != absent || r.kind == offset || !m.v.entailsByValue(&m.saved, r)) {
		m.saved.relations = append(m.saved.relations, r.normal(m.v))
	}
}

// normal is the same relation, symmetric ones in one of the two ways to write them.
func (r relation) normal(v *values) relation {
	if r.a > r.b && r.a != absent && r.b != absent || r.a == absent {
		switch r.kind {
		case equal:
			r.a, r.b = r.b, r.a
		case offset:
			r.a, r.b = r.b, r.a
			r.k = v.binary(vm.SUB, constant(0), r.k)
		}
	}
	return r
}

func (m *interpreter) saveCondition(class, w symbol) {
	r, ok := m.conditionOf(w)
	if !ok {
		return
	}
	r.of = class
	if r.b == absent { // x is zero
		r.a = m.savedClass(r.a)
		ok = r.a != absent
	} else {
		r, ok = m.inClasses(r, m.isConstant(r.a), m.isConstant(r.b))
	}
	if ok {
		m.addRelation(r)
	}
}

// saveOffset relates a word to the first in the state that it is a constant away from.
func (m *interpreter) saveOffset(class, w symbol) {
	at := m.link(w)
	base := m.find(at.base - 1)
	for i, other := range m.live[:class] {
		if other == base {
			m.addRelation(relation{kind: offset, of: absent, a: symbol(i), b: class, k: at.offset})
			return
		}
		if x := m.link(other); x.base == at.base {
			m.addRelation(relation{kind: offset, of: absent, a: symbol(i), b: class, k: m.v.binary(vm.SUB, at.offset, x.offset)})
			return
		}
	}
	if to := m.savedClass(base); to != absent && to != class {
		m.addRelation(relation{kind: offset, of: absent, a: to, b: class, k: at.offset})
	}
}

// loadRelations defines the words of a state by its relations.
func (m *interpreter) loadRelations(s *state) {
	for _, r := range s.relations {
		switch {
		case r.kind == offset:
			if m.words[r.b].link == 0 {
				m.setLink(r.b, link{base: r.a + 1, offset: r.k})
			}
		case r.of == absent && r.a != absent && r.b != absent:
			m.relations = append(m.relations, r)
		default:
			if r.a == absent {
				r.a = m.hidden(word{value: r.k})
			}
			if r.b == absent {
				r.b = m.hidden(word{value: r.k})
			}
			if r.of == absent {
				m.relations = append(m.relations, r)
				continue
			}
			of := word{value: boolean, op: relationOps[r.kind], a: r.a, b: r.b}
			if r.negated {
				h := m.hidden(of)
				of.op, of.a, of.b = vm.ISZERO, h, h
			}
			at := &m.words[r.of]
			at.op, at.a, at.b = of.op, of.a, of.b
		}
	}
}

// hidden adds a word that is not in the frame.
func (m *interpreter) hidden(w word) symbol {
	m.words = append(m.words, w)
	return symbol(len(m.words) - 1)
}

// entails reports whether a relation of a state's classes holds in it, as far as it says.
func (v *values) entails(s *state, r relation) bool {
	if r.a == r.b && r.of == absent { // ≤ or =
		return r.kind == equal != r.negated
	}
	if r.of != absent && r.a == r.b {
		i := v.get(s.values[r.of])
		if r.kind == equal != r.negated {
			return !i.lo.IsZero()
		}
		return i.hi.IsZero()
	}
	if len(s.relations) > 0 && (slices.Contains(s.relations, r.normal(v)) || slices.Contains(s.relations, v.withConstant(s, r).normal(v))) {
		return true
	}
	return v.entailsByValue(s, r)
}

// withConstant is a relation with its word for a class that is constant.
func (v *values) withConstant(s *state, r relation) relation {
	if r.kind == offset || r.a == absent || r.b == absent {
		return r
	}
	switch a, b := s.values[r.a].plain(), s.values[r.b].plain(); {
	case v.get(a).isConstant():
		r.a, r.k = absent, a
	case v.get(b).isConstant():
		r.b, r.k = absent, b
	}
	return r
}

// entailsByValue is entails by the classes' Values alone.
func (v *values) entailsByValue(s *state, r relation) bool {
	if r.kind == offset {
		x, known := v.known(s.values[r.a])
		y, also := v.known(s.values[r.b])
		if !known || !also {
			return false
		}
		k, _ := v.known(r.k)
		var sum uint256.Int
		return *sum.Add(x, k) == *y
	}
	if r.of != absent {
		switch i := v.get(s.values[r.of]); {
		case i.hi.IsZero():
			r.negated = !r.negated
		case i.lo.IsZero():
			return false
		}
		r.of = absent
		return v.entailsByValue(s, r)
	}
	x, y := r.k, r.k
	if r.a != absent {
		x = s.values[r.a]
	}
	if r.b != absent {
		y = s.values[r.b]
	}
	return v.binary(relationOps[r.kind], x, y) == constant(uint64(1-bit(r.negated)))
}
