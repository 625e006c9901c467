package oracle

import (
	"fmt"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestFailure is how a run of a fuzz test came to fail.
type TestFailure struct {
	Name  string        // of the test
	Frame *evm.Frame    // the test's own
	Path  bytecode.Path // the last blocks that it entered until it failed; empty: unknown
	PC    uint32        // the last instruction in the last of them
	Text  string        // what was wrong: "99 != 100", or what the test reverted with
}

// DescribeTestFailure describes the failure of a run that [FailingTest] sees; nil for others.
func DescribeTestFailure(exec *evm.Execution) *TestFailure {
	test := testOf(exec)
	if test == nil {
		return nil
	}
	call := &exec.Calls[len(exec.Calls)-1]
	own := call.Frames[0]
	t := &TestFailure{Name: test.RawName, Frame: &exec.Frames[own]}
	if call.Outcome != evm.Success {
		t.Text = strings.TrimPrefix(call.Reason(), "assertion failed: ")
		t.Path, t.PC = t.Frame.Path, t.Frame.LastPC
		if t.Frame.PathTruncated {
			t.Path = t.Frame.Tail
		}
		return t
	}
	i, ok := noteOfFailure(exec, call)
	if !ok {
		return nil
	}
	t.Text = notedText(exec, own, i)
	for exec.Frames[i].Parent != own {
		if i = exec.Frames[i].Parent; i < 0 {
			return t // delegated from elsewhere
		}
	}
	if note := &exec.Frames[i]; note.CallAt < len(t.Frame.Path) {
		t.Path, t.PC = t.Frame.Path[:note.CallAt+1], note.CallPC
	}
	return t
}

// notedText is what ds-test's events say was wrong, of the frames from the first up to the
// one that notes the failure.
func notedText(exec *evm.Execution, first, note int) string {
	said := noted{text: "an assertion does not hold", sides: map[string]string{}}
	for i := first; i < note; i++ {
		f := &exec.Frames[i]
		for j := range f.Logs {
			said.add(f, &f.Logs[j])
		}
	}
	return said.String()
}

// noted is what ds-test's events say.
type noted struct {
	text  string            // "a == b not satisfied [uint]", or the message of the test
	sides map[string]string // the values that were compared, by what they are called
}

// add adds what an event of a frame says.
func (n *noted) add(f *evm.Frame, log *evm.Log) {
	if len(log.Topics) == 0 || f.Program == nil || f.Program.Contract == nil {
		return
	}
	e, err := f.Program.Contract.ABI.EventByID(log.Topics[0])
	if err != nil || !strings.HasPrefix(e.RawName, "log") {
		return
	}
	values, ok := evm.FormatArguments(e.Inputs.NonIndexed(), log.Data)
	if !ok || len(values) == 0 {
		return
	}
	name := unquoted(values[0])
	switch {
	case len(values) == 1:
		if text, ok := strings.CutPrefix(name, "Error: "); ok {
			n.text = text
		}
	case name == "Error":
		n.text = unquoted(values[1])
	default:
		if side := strings.TrimSpace(name); n.sides[side] == "" {
			n.sides[side] = values[1]
		}
	}
}

// inverses are what holds where ds-test says of two values, a and b, that another relation
// does not.
var inverses = map[string]string{"!=": "==", ">": "<=", ">=": "<", "<": ">=", "<=": ">"}

// String is "99 != 100", or the text where no values are known.
func (n *noted) String() string {
	operator := "!="
	if fields := strings.Fields(n.text); len(fields) > 1 && fields[0] == "a" && inverses[fields[1]] != "" {
		operator = inverses[fields[1]]
	}
	for _, names := range [][2]string{{"Left", "Right"}, {"Actual", "Expected"}, {"Value a", "Value b"}} {
		if left, right := n.sides[names[0]], n.sides[names[1]]; left != "" && right != "" {
			return fmt.Sprintf("%s %s %s", left, operator, right)
		}
	}
	return n.text
}

// unquoted is a formatted string without quotes.
func unquoted(s string) string { return strings.Trim(s, `"`) }
