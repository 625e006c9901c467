package taint

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// TestSets: unions are those of sets, have one id each, and lose no label silently.
func TestSets(t *testing.T) {
	lost := map[evm.Label]bool{}
	s := newSets(func(l evm.Label) { lost[l] = true })
	rng := rand.New(rand.NewPCG(1, 2))
	ids := []ID{0}
	for i := range 40 {
		ids = append(ids, s.source(evm.Source(1)<<(i%14)), s.label(evm.LabelKind(i%4), i))
	}
	for range 5000 {
		a, b := ids[rng.IntN(len(ids))], ids[rng.IntN(len(ids))]
		u := s.union(a, b)
		if u != s.union(b, a) || u != s.union(u, a) && len(s.taint(u).Labels) < maxLabels {
			t.Fatalf("%d and %d", a, b)
		}
		x, y, z := s.taint(a), s.taint(b), s.taint(u)
		if z.Sources != x.Sources|y.Sources || z.Via != x.Via|y.Via || len(z.Labels) > maxLabels {
			t.Fatalf("%+v and %+v make %+v", x, y, z)
		}
		for _, l := range slices.Concat(x.Labels, y.Labels) {
			if !slices.Contains(z.Labels, l) && !lost[l] {
				t.Fatalf("%+v is lost", l)
			}
		}
		if s.of(evm.Taint{Sources: z.Sources, Via: z.Via, Labels: slices.Clone(z.Labels)}) != u {
			t.Fatalf("%+v has two ids", z)
		}
		if rng.IntN(3) == 0 {
			u = s.via(u)
		}
		ids[1+rng.IntN(len(ids)-1)] = u
		ids = append(ids, s.label(evm.OfWrapped, rng.IntN(4096)))[:len(ids)]
	}
}

// TestSetsAreBounded, whatever a program unites.
func TestSetsAreBounded(t *testing.T) {
	s := newSets(func(evm.Label) {})
	id := ID(0)
	for i := range 3 * maxSets {
		id = s.union(s.label(evm.OfWrapped, i%4096), s.label(evm.OfAnswer, i/4096))
	}
	if len(s.all) > maxSets+1<<14 || len(s.unions) > maxUnions || s.taint(id).Sources != 0 {
		t.Errorf("%d sets, %d unions", len(s.all), len(s.unions))
	}
}

// TestCompute: results are the EVM's, and overflows those of numbers without bounds.
func TestCompute(t *testing.T) {
	num := func(text string) *uint256.Int { return uint256.MustFromHex(text) }
	const top = "0x8000000000000000000000000000000000000000000000000000000000000000"
	const minus = "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
	for _, c := range []struct {
		op            vm.OpCode
		a, b          string
		wraps, signed bool
	}{
		{vm.ADD, "0x1", "0x2", false, false},
		{vm.ADD, minus, "0x2", true, false},
		{vm.ADD, top, top, true, true},
		{vm.SUB, "0x1", "0x2", true, false},
		{vm.SUB, top, "0x1", false, true},
		{vm.MUL, minus, minus, true, false},
		{vm.MUL, top, minus, true, true},
		{vm.MUL, top, "0x1", false, false},
		{vm.EXP, "0x2", "0xff", false, false},
		{vm.EXP, "0x2", "0x100", true, false},
		{vm.EXP, "0x1", minus, false, false},
		{vm.SHL, "0x1", top, true, false},
		{vm.SHL, "0xff", "0x1", false, false},
		{vm.SHL, "0x100", "0x1", true, false},
		{vm.SDIV, top, minus, true, true},
		{vm.SDIV, top, "0x2", false, false},
	} {
		got := compute(c.op, num(c.a), num(c.b))
		if got.wraps != c.wraps || got.wrapsAsSigned != c.signed {
			t.Errorf("%v of %s and %s: %+v", c.op, c.a, c.b, got)
		}
	}
	for text, want := range map[string]bool{"0xff": true, "0xffff": true, "0xfff": false, "0x0": false, "0x1": false, minus: false, "0xfe": false, "0x80": false} {
		if isLowMask(num(text)) != want {
			t.Errorf("mask %s: %t", text, !want)
		}
	}
}
