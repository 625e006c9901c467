package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Result is what a comparison found.
type Result struct {
	// Summary holds the main figures by name. All are finite: what could not be
	// measured is left out.
	Summary map[string]float64 `json:"summary"`

	Name    string  `json:"name"`
	Seed    uint64  `json:"seed"`
	Seconds float64 `json:"seconds"`
	Runs    int     `json:"runs"`
	Machine string  `json:"machine"` // processors and system, for people
	Tables  []Table `json:"tables"`
}

// Table is a part of a result for people.
type Table struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Notes   []string   `json:"notes,omitempty"` // below the table
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// machine describes what the figures were measured on.
func machine() string {
	return fmt.Sprintf("%d cores, %s/%s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// print writes the result as JSON or as Markdown.
func (r *Result) print(out io.Writer, asJSON bool) error {
	for _, name := range slices.Sorted(maps.Keys(r.Summary)) {
		if v := r.Summary[name]; math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s was not measured (%v): give the run more -seconds or -runs", name, v)
		}
	}
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	_, err := fmt.Fprintf(out, "%s%sseed %d, %s s, %d runs; %s\n", r.Markdown(), r.summary(), r.Seed, Number(r.Seconds), r.Runs, r.Machine)
	return err
}

// Markdown is the tables with their notes, as a page shows them.
func (r *Result) Markdown() string {
	var text strings.Builder
	for _, t := range r.Tables {
		t.markdown(&text)
	}
	return text.String()
}

// summary is the main figures as a table.
func (r *Result) summary() string {
	var text strings.Builder
	table := Table{Title: "summary", Columns: []string{"name", "value"}}
	for _, name := range slices.Sorted(maps.Keys(r.Summary)) {
		table.Add(name, Number(r.Summary[name]))
	}
	table.markdown(&text)
	return text.String()
}

// Figures is the main figures by name, as one line.
func (r *Result) Figures() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Summary)) {
		parts = append(parts, fmt.Sprintf("`%s` %s", name, Number(r.Summary[name])))
	}
	return strings.Join(parts, ", ")
}

// markdown writes the table so that it can be read as it stands and pasted into
// a page.
func (t *Table) markdown(out *strings.Builder) {
	widths := make([]int, len(t.Columns))
	rows := append([][]string{t.Columns}, t.Rows...)
	for i := range t.Columns {
		widths[i] = 3 // of the line below the head
		for _, row := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell(row, i)))
		}
	}
	if t.Title != "" {
		fmt.Fprintf(out, "### %s\n\n", t.Title)
	}
	for n, row := range rows {
		for i := range t.Columns {
			text := cell(row, i)
			fmt.Fprintf(out, "| %s%s ", text, strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text)))
		}
		out.WriteString("|\n")
		if n == 0 {
			for _, w := range widths {
				fmt.Fprintf(out, "| %s ", strings.Repeat("-", w))
			}
			out.WriteString("|\n")
		}
	}
	out.WriteString("\n")
	for _, note := range t.Notes {
		fmt.Fprintf(out, "%s\n\n", note)
	}
}

// cell is the i-th cell of a row, empty in a row too short, written so that it
// stays a cell.
func cell(row []string, i int) string {
	if i >= len(row) {
		return ""
	}
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(row[i])
}

// Number writes a figure with three significant digits, or all of its whole
// part, with the thousands apart.
func Number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "—"
	}
	decimals := 0
	if v != math.Trunc(v) && math.Abs(v) < 100 {
		decimals = 2 - int(math.Floor(math.Log10(math.Abs(v))))
		decimals = min(max(decimals, 0), 6)
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}

// Percent writes a share, 0 to 1, in percent.
func Percent(share float64) string {
	if math.IsNaN(share) {
		return "—"
	}
	return strconv.FormatFloat(100*share, 'f', 1, 64) + " %"
}
