package compile

import "github.com/ethereum/go-ethereum/core/vm"

// yulPlace is a range of the source.
type yulPlace struct{ start, length int }

// yulSettler corrects the source map of a Yul source where solc's own text lacks a
// place (measured with 0.8.30): it writes none before "case", so that the comparison
// with a case's value has the place that the text named last, which is the end of the
// case before. That need not have run.
type yulSettler struct {
	file    int // of the source
	code    []byte
	entries SourceMap
	pcs     []uint32
	cases   map[yulPlace]*Node // by the place of the value
}

func settleYul(code []byte, entries SourceMap, file int, ast *Node) {
	s := yulSettler{file: file, code: code, entries: entries, cases: map[yulPlace]*Node{}}
	ast.Walk(func(n *Node) bool {
		if n.Role == "value" && n.Parent.Type == "YulCase" {
			s.cases[yulPlace{n.Start, n.Length}] = n.Parent
		}
		return true
	})
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
	found := s.cases[yulPlace{e.Start, e.Length}]
	if found == nil || e.File != s.file || !s.op(i).IsPush() {
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
