package diffmap

import (
	"math/big"
	"regexp"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile"
)

// jumpCondition is what the fixture of this file says of a line.
var jumpCondition = regexp.MustCompile(`// if: (.*)$`)

// TestLinesThatAreOnlyJumps runs the fixture: no line is called reached that did
// not run, and only those are unmapped that the compiler merged into a jump.
func TestLinesThatAreOnlyJumps(t *testing.T) {
	holds := map[string]func(a int64) bool{
		"any":    func(int64) bool { return true },
		"a < 9":  func(a int64) bool { return a < 9 },
		"a > 8":  func(a int64) bool { return a > 8 },
		"a > 20": func(a int64) bool { return a > 20 },
		"a == 3": func(a int64) bool { return a == 3 },
		"a == 4": func(a int64) bool { return a == 4 },
	}
	for _, f := range fixtures(t, "testdata/jumps/*.sol") {
		t.Run(f.version, func(t *testing.T) {
			m, err := Map(f.outputs, f.table, wholeLines(f.name+".sol", f.text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			f.table.Cut(m.Entries())
			run := f.outputs[0].Contracts[0]
			w := newWitness(t, f.table, run)
			lines := newLineTable(f.text)
			each := func(check func(l Line, when string)) {
				for _, l := range m.Lines {
					end := len(f.text)
					if l.Position.Line < len(lines) {
						end = lines[l.Position.Line] - 1
					}
					if found := jumpCondition.FindSubmatch(f.text[lines[l.Position.Line-1]:end]); found != nil && holds[string(found[1])] != nil {
						check(l, string(found[1]))
					}
				}
			}
			for _, a := range []int64{0, 3, 4, 5, 10, 30} {
				w.mustCall(t, run, a)
				each(func(l Line, when string) {
					want := holds[when](a)
					if got := w.reached(m, l); got != want && l.Status != Unmapped {
						t.Errorf("leave(%d): line %d (if %s) reached: %v (%s %s)", a, l.Position.Line, when, got, l.Status, l.Reason)
					}
				})
			}
			each(func(l Line, when string) {
				if l.Status == NoBytecode || l.Status == Unmapped && (when == "any" || when == "a == 4") {
					t.Errorf("line %d is %s: %s", l.Position.Line, l.Status, l.Reason)
				}
			})
			// Arguments that cannot be decoded: the function is not entered.
			if err := w.call(run.ABI.Methods["leave"].ID); err != nil {
				t.Fatal(err)
			}
			each(func(l Line, when string) {
				if w.reached(m, l) {
					// Compilers before 0.5 take what is missing for zeros.
					if f.version != "0.4.26" || !holds[when](0) {
						t.Errorf("no arguments: line %d is reached", l.Position.Line)
					}
				}
			})
		})
	}
}

// mustCall calls the fixture's function.
func (w *witness) mustCall(t *testing.T, c *compile.Contract, a int64) {
	t.Helper()
	data, err := c.ABI.Pack("leave", big.NewInt(a))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.call(data); err != nil {
		t.Fatal(err)
	}
}
