package pipeline

import (
	"path"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/pipeline/compare"
	"github.com/sightline-evm/sightline/report"
)

// collision is the collision by which a fuzz test fails.
type collision struct {
	*compare.Collision
	passed bool // on the base, although the arguments collide there, too
}

// severity is that of a failure that takes a collision. Where the base passes with it, the
// change broke something. Otherwise the test says as little about the change as any that its
// author did not run with such an address: what forge may come to, too, is worth mending, and
// what it never draws is a note.
func (c *collision) severity(usual oracle.Severity) oracle.Severity {
	switch {
	case c.passed:
		return usual
	case c.Drawn:
		return oracle.Low
	}
	return oracle.Note
}

// failingTest completes the finding of a fuzz test that fails: its place is the statement of
// the test that failed, and its title says what was wrong there.
func (d *describer) failingTest(out *report.Finding, exec *evm.Execution) {
	failure := oracle.DescribeTestFailure(exec)
	if failure == nil {
		return
	}
	out.Message = failure.Name + ": " + failure.Text
	out.Title = out.Message
	if at, ok := d.failingStatement(failure, out.Location.File); ok {
		out.Location.File, out.Location.Line, out.Location.PC = at.File, at.Line, failure.PC
		out.Location.Text = d.change.LineText(at)
		out.Title += " at " + out.Location.String()
	}
}

// failingStatement is the last statement that a test ran of its own code, or its base
// contracts', before it failed: the assertion that does not hold, or the call that reverts.
// The test is declared in a file.
func (d *describer) failingStatement(t *oracle.TestFailure, file string) (bytecode.Position, bool) {
	end := t.PC
	for _, block := range slices.Backward(t.Path) {
		b := t.Frame.Program.Blocks[block]
		var pcs []uint32
		bytecode.Instructions(t.Frame.Program.Bytes[b.Start:b.End], func(pc uint32) bool {
			pcs = append(pcs, b.Start+pc)
			return b.Start+pc != end
		})
		end = b.End // only the last block ends early
		for _, pc := range slices.Backward(pcs) {
			loc := bytecode.Location{Code: t.Frame.Program.ID, PC: pc}
			at, ok := d.head.Positions.At(loc)
			if !ok || at.File != file && !isTestFile(at.File) {
				continue
			}
			function, ok := d.head.Positions.FunctionAt(loc)
			if ok && (at.File == file || !isAssertion(function)) {
				return at, true
			}
		}
	}
	return bytecode.Position{}, false
}

// isAssertion reports whether a function is one of a test library by its name: some projects
// have a copy among their tests.
func isAssertion(function string) bool {
	name := strings.TrimLeft(function, "_")
	return strings.HasPrefix(name, "assert") || name == "fail"
}

// isTestFile reports whether a file is of the project's tests by convention, and not of a test
// library.
func isTestFile(file string) bool {
	folders := strings.Split(path.Dir(file), "/")
	for _, library := range []string{"lib", "node_modules", "forge-std", "ds-test"} {
		if slices.Contains(folders, library) {
			return false
		}
	}
	return strings.HasSuffix(file, ".t.sol") || slices.Contains(folders, "test") || slices.Contains(folders, "tests")
}
