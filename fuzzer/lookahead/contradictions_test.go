package lookahead_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/fuzzer/lookahead"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// contradiction is a pair of conditions that exclude each other, and a twin of the second
// that the first allows. p and q are arguments of a type T, s is a local copy of a state
// variable of that type, and flag is another argument, a bool.
type contradiction struct{ first, second, twin string }

// contradictions are what functions are made of that nothing can get through: bounds,
// equalities and order, of one word and of two or three. Constants fit int8.
var contradictions = []contradiction{
	{"p != p", "q > 3", ""},
	{"p < p", "q > 3", ""},
	{"p <= 34", "p > 37", "p > 31"},
	{"p == 3 + p", "q > 3", ""},
	{"p == 3 + q", "p == q", "p != q"},
	{"p > q", "q >= p", "q < p"},
	{"p == q", "p != q", "p <= q"},
	{"p < q", "p == q", "p != q"},
	{"p >= q", "p < q", "p == q"},
	{"p >= q && q >= p", "p != q", "p == q"},
	{"p < 10 && p >= 3", "p == 11", "p == 9"},
	{"q > 7 && p > q", "p < 5", "p < 50"},
	{"p == q && q == 5", "p == 7", "p == 5"},
	{"p != 4", "p == 4", "p == 5"},
	{"p > s", "s >= p", "s < p"},
	{"s != s", "q > 3", ""},
	{"s == p", "s != p", "s <= p"},
	{"s < 20", "s > 30", "s > 10"},
	{"p > q && q > s", "s > p", "s < p"},
	{"p < q && q <= s", "s == p", "s != p"},
	{"p - 1 > p", "q > 3", ""},
	{"p + 1 <= q", "q <= p", "q > p"},
	{"p > 100", "p + 20 < 110", "p + 20 > 110"},
	{"q == p + 2", "q == p + 1", "p + 2 == q"},
}

// shapes are the ways to write that both conditions hold where marked (M).
var shapes = []string{
	"if ((A) && (B)) { M }",
	"if (A) { if (B) { M } }",
	"require(A); if (B) { M }",
	"require((A) && (B)); M",
	"if (!(A)) return; if (B) { M }",
	"require(A, \"a\"); require(B, \"b\"); M",
	"if ((A) && flag) { if (B) { M } }",
	"require((A) && flag); if (flag && (B)) { M }",
	"if (!(A) || !flag) revert(); if (B) { M }",
}

// marked is a function with a marked place: whether nothing can get there.
type marked struct {
	name, source string
	dead         bool
	marker       uint32
}

// markedFunctions writes functions about every integer type: all contradictions and all shapes
// occur, and each contradiction has a twin.
func markedFunctions() []marked {
	var all []marked
	add := func(source string, dead bool, typ string) {
		m := marked{source: source, dead: dead, marker: 0xa1b2_0000 + uint32(len(all))}
		m.name = fmt.Sprintf("f%d", len(all))
		m.source = fmt.Sprintf("function %s(T p, T q, bool flag) external { T s = kept; %s }", m.name, strings.ReplaceAll(source, "M", fmt.Sprintf("mark = %d;", m.marker)))
		m.source = strings.NewReplacer("T ", typ+" ", "kept", "kept_"+typ).Replace(m.source)
		all = append(all, m)
	}
	n := 0
	for bits := 8; bits <= 256; bits += 8 {
		for _, typ := range []string{fmt.Sprintf("uint%d", bits), fmt.Sprintf("int%d", bits)} {
			for range 3 {
				c, shape := contradictions[n%len(contradictions)], shapes[(n+n/len(contradictions))%len(shapes)]
				n++
				add(strings.NewReplacer("A", c.first, "B", c.second).Replace(shape), true, typ)
				if c.twin == "" {
					c.first, c.twin = c.second, c.second
				}
				add(strings.NewReplacer("A", c.first, "B", c.twin).Replace(shape), false, typ)
			}
		}
	}
	return all
}

// contractsOf puts functions into contracts that are small enough for a graph's budget.
func contractsOf(functions []marked) string {
	source := "pragma solidity ^0.8.0;\n"
	const each = 48
	for i := 0; i < len(functions); i += each {
		source += fmt.Sprintf("contract C%d {\nuint256 mark;\n", i)
		for bits := 8; bits <= 256; bits += 8 {
			source += fmt.Sprintf("uint%d kept_uint%d; int%d kept_int%d;\n", bits, bits, bits, bits)
		}
		for _, f := range functions[i:min(i+each, len(functions))] {
			source += f.source + "\n"
		}
		source += "}\n"
	}
	return source
}

// markers are the blocks that store a marker, by the marker.
func markers(contracts []*bytecode.Contract) map[uint32]func() bool {
	unreachable := map[uint32]func() bool{}
	for _, c := range contracts {
		table := bytecode.NewTable([]*bytecode.Contract{c})
		for id := bytecode.CodeID(1); table.Program(id) != nil; id++ {
			p := table.Program(id)
			if p.Code.Kind != bytecode.Runtime {
				continue
			}
			facts := lookahead.NewFacts(p, 0)
			p.Instructions(func(pc uint32) bool {
				if vm.OpCode(p.Bytes[pc]) == vm.PUSH4 && int(pc)+5 <= len(p.Bytes) {
					if m := binary.BigEndian.Uint32(p.Bytes[pc+1:]); m>>16 == 0xa1b2 {
						b, _ := p.BlockOf(pc)
						unreachable[m] = func() bool { return facts.Unreachable(b) }
					}
				}
				return true
			})
		}
	}
	return unreachable
}

// TestContradictions: of places that contradictory conditions guard, nine of ten are proved
// unreachable, for all integer types; of those that satisfiable ones guard, none. testdata/said has those that are not proved.
func TestContradictions(t *testing.T) {
	functions := markedFunctions()
	source := contractsOf(functions)
	for name, settings := range map[string]testsolc.Settings{
		"legacy": {}, "via-IR": {ViaIR: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unreachable := markers(testsolc.Compile(t, source, settings))
			dead, proved := 0, 0
			var missed strings.Builder
			for _, f := range functions {
				is, known := unreachable[f.marker]
				switch {
				case !known:
					t.Errorf("%s has no marker", f.source)
				case !f.dead:
					if is() {
						t.Errorf("proved unreachable, and is not: %s", f.source)
					}
				default:
					dead++
					if is() {
						proved++
					} else {
						fmt.Fprintln(&missed, f.source)
					}
				}
			}
			golden.Check(t, "testdata/said/not-proved-"+name+".txt", missed.String())
			share := 100 * float64(proved) / float64(dead)
			t.Logf("%s: %d of %d contradictions proved, %.1f %%", name, proved, dead, share)
			if share < 90 {
				t.Errorf("%.1f %% of the contradictions are proved, want 90", share)
			}
		})
	}
}
