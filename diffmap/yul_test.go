package diffmap

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

var yulPoint = regexp.MustCompile(`\b[pv]\((\d+)\)`)

// TestYulLinesAreReachedWhenTheyRun is TestLinesAreReachedWhenTheyRun for a Yul
// source.
func TestYulLinesAreReachedWhenTheyRun(t *testing.T) {
	raw, err := os.ReadFile("testdata/run/points.yul")
	if err != nil {
		t.Fatal(err)
	}
	source := string(raw)
	o := compileYul(t, "0.8.30", "points.yul", source)
	if o.Sources[0].Unmapped != "" {
		t.Fatal(o.Sources[0].Unmapped)
	}
	text := yulPoint.ReplaceAllString(source, "p($1)") // what the checks look for
	table := bytecode.NewTable(compile.Contracts([]*compile.Output{o}))
	m, err := Map([]*compile.Output{o}, table, wholeLines("points.yul", []byte(source)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	single := yulPoints(t, o, table, source)
	table.Cut(m.Entries())
	for _, s := range single {
		table.Cut(s.mapping.Entries())
	}
	w := newWitness(t, table, o.Contracts[0])
	lines := logging(text)
	ever := map[int]bool{1: true} // the creation code's, which witnesses do not look at
	for a := range 10 {
		for b := range 4 {
			data := append(common.LeftPadBytes([]byte{byte(a)}, 32), common.LeftPadBytes([]byte{byte(b)}, 32)...)
			if err := w.call(data); err != nil {
				t.Fatal(err)
			}
			maps.Copy(ever, w.logged)
			name := fmt.Sprintf("call %d %d", a, b)
			compareRun(t, lines, m, w, name)
			compareSingle(t, fixture{}, single, w, name)
		}
	}
	for _, l := range m.Lines {
		if line := strings.Split(text, "\n")[l.Position.Line-1]; len(points(line)) > 0 && len(l.Targets) == 0 {
			t.Errorf("line %d has no target: %s: %s", l.Position.Line, l.Reason, line)
		}
	}
	for _, number := range points(text) {
		if !ever[number] {
			t.Errorf("no call logs %d: the fixture proves nothing of that line", number)
		}
	}
}

// yulPoints maps every call with a number as the only change.
func yulPoints(t *testing.T, o *compile.Output, table *bytecode.Table, source string) []singlePoint {
	t.Helper()
	lines := newLineTable([]byte(source))
	var list []singlePoint
	for _, at := range yulPoint.FindAllStringSubmatchIndex(source, -1) {
		change := unified.ChangedLine{Path: "points.yul", Line: lines.lineOf(at[0]), Kind: unified.LineEdited, Spans: []unified.Span{{Start: at[0], End: at[1]}}}
		m, err := Map([]*compile.Output{o}, table, []unified.ChangedLine{change}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, singlePoint{points("p(" + source[at[2]:at[3]] + ")")[0], m})
	}
	return list
}
