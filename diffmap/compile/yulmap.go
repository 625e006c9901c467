package compile

import "github.com/ethereum/go-ethereum/core/vm"

// yulPlace is a range of a source.
type yulPlace struct{ file, start, length int }

func placeOf(e SourceMapEntry) yulPlace { return yulPlace{e.File, e.Start, e.Length} }

// addCases adds the cases that are part of a source's node, by the places of their values.
func addCases(cases map[yulPlace]*Node, file int, node *Node) {
	node.Walk(func(n *Node) bool {
		if n.Role == "value" && n.Parent.Type == "YulCase" {
			cases[yulPlace{file, n.Start, n.Length}] = n.Parent
		}
		return true
	})
}

// yulSettler corrects the source map of a Yul source where solc's own text lacks a
// place (measured with 0.8.30): it writes none before "case", so that the comparison
// with a case's value has the place that the text named last, which is the end of the
// case before. That need not have run.
type yulSettler struct {
	code    []byte
	entries SourceMap
	pcs     []uint32
	cases   map[yulPlace]*Node // see [addCases]
}

func settleYul(code []byte, entries SourceMap, cases map[yulPlace]*Node) {
	s := yulSettler{code: code, entries: entries, cases: cases}
	for pc := range entries.Instructions(code) {
		s.pcs = append(s.pcs, pc)
	}
	for i := range s.pcs {
		s.compare(i)
	}
}

func (s *yulSettler) op(i int) vm.OpCode {
	if i >= len(s.pcs) {
		return vm.STOP
	}
	return vm.OpCode(s.code[s.pcs[i]])
}

// compare gives what follows the i-th instruction to the switch, where that
// pushes a case's value to compare with.
func (s *yulSettler) compare(i int) {
	e := s.entries.At(i)
	found := s.cases[placeOf(e)]
	if found == nil || !s.op(i).IsPush() {
		return
	}
	end := i + 1
	if op := s.op(end); op >= vm.DUP1 && op <= vm.DUP16 {
		end++
	}
	if s.op(end) != vm.EQ || !s.op(end+1).IsPush() || s.op(end+2) != vm.JUMPI {
		return
	}
	for n := i + 1; n < end+3; n++ {
		e := s.entries.At(n)
		e.Start, e.Length = found.Parent.Start, found.Parent.Length
		s.entries[n] = e.packed()
	}
}
