package github

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/sethvargo/go-githubactions"
)

// Limits of the runner.
const (
	// maxAnnotations per level and step; GitHub shows no more.
	maxAnnotations = 10
	// maxMessage is where GitHub cuts an annotation's message, in characters. We
	// count bytes, of which there are at least as many.
	maxMessage = 4_096
	// maxTitle bounds an annotation's title, bytes: the limit of checks, 255.
	maxTitle = 255
	// MaxSummary bounds what is written to the job's summary, bytes. Above 1,024 KiB,
	// GitHub refuses a step's whole summary; the rest is room for other parts of the
	// step.
	MaxSummary = 900 << 10
	// maxOutput bounds an output's value, bytes. All outputs of a job together may have
	// 1 MB.
	maxOutput = 64 << 10
)

// Level of an annotation.
type Level string

// Levels, the most severe first.
const (
	LevelError   Level = "error"
	LevelWarning Level = "warning"
	LevelNotice  Level = "notice"
)

// Annotation is shown at a line of a file, or above the files if it has none.
type Annotation struct {
	Level   Level
	Title   string
	Message string
	File    string // relative to the repository; may be empty
	Line    int
	EndLine int // the last of several lines; 0: only Line
	Column  int // of a single line; 0: unknown
}

// Runner communicates with the runner of a workflow, through environment variables,
// files and commands on standard output. All other output of the step must go through
// [Runner.Log], which first switches commands off, so that nothing that a project, a
// compiler or a contract makes us print is read as a command. [Runner.Close] returns
// the first write error.
type Runner struct {
	out    *checkedWriter
	random io.Reader
	getenv func(string) string
	action *githubactions.Action
	token  string // of the current stop-commands; empty: commands are on
	counts map[Level]int
	hidden int // annotations above the limit
}

// NewRunner returns a Runner. random is the source of unguessable delimiters.
func NewRunner(out io.Writer, random io.Reader, getenv func(string) string) *Runner {
	checked := &checkedWriter{w: out}
	return &Runner{out: checked, random: random, getenv: getenv, counts: map[Level]int{},
		action: githubactions.New(githubactions.WithWriter(checked), githubactions.WithGetenv(getenv))}
}

// checkedWriter keeps the first error and returns none, since the library panics on
// errors.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	if c.err == nil {
		_, c.err = c.w.Write(p)
	}
	return len(p), nil
}

// Log returns the writer for everything but commands.
func (r *Runner) Log() io.Writer { return quiet{r} }

// quiet writes with commands switched off.
type quiet struct{ r *Runner }

func (q quiet) Write(p []byte) (int, error) {
	if q.r.token == "" {
		q.r.stop()
	}
	return q.r.out.Write(p)
}

// Input returns an input of the action; empty if it is not given. The runner keeps a
// dash in the variable's name, but a shell in between may not, so the name with
// underscores is tried as well.
func (r *Runner) Input(name string) string {
	if value := r.action.GetInput(name); value != "" {
		return value
	}
	return r.action.GetInput(strings.ReplaceAll(name, "-", "_"))
}

// Inputs returns the lines of an input that takes several values.
func (r *Runner) Inputs(name string) []string {
	var lines []string
	for line := range strings.Lines(r.Input(name)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// secret returns an unguessable text.
func (r *Runner) secret() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(r.random, b[:]); err != nil {
		return "", fmt.Errorf("no random bytes: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// stop switches commands off until our next command. If it cannot, nothing more is
// written.
func (r *Runner) stop() {
	token, err := r.secret()
	if err != nil {
		r.out.fail(err)
		return
	}
	r.token = token
	fmt.Fprintf(r.out, "::stop-commands::%s\n", token)
}

// resume switches commands on again.
func (r *Runner) resume() {
	if r.token != "" {
		fmt.Fprintf(r.out, "::%s::\n", r.token)
		r.token = ""
	}
}

// command writes a command.
func (r *Runner) command(c *githubactions.Command) {
	r.resume()
	r.action.IssueCommand(c)
}

// Group begins a foldable group of the log. The title must not be untrusted.
func (r *Runner) Group(title string) {
	r.command(&githubactions.Command{Name: "group", Message: title})
}

// EndGroup ends the group.
func (r *Runner) EndGroup() { r.command(&githubactions.Command{Name: "endgroup"}) }

// Annotate shows an annotation, or only counts it if GitHub would show no more.
func (r *Runner) Annotate(a Annotation) {
	if r.counts[a.Level]++; r.counts[a.Level] > maxAnnotations {
		r.hidden++
		return
	}
	properties := githubactions.CommandProperties{}
	if a.Title != "" {
		properties["title"] = cut(a.Title, maxTitle)
	}
	if a.File != "" {
		properties["file"] = a.File
		if a.Line > 0 {
			properties["line"] = strconv.Itoa(a.Line)
			properties["endLine"] = strconv.Itoa(max(a.Line, a.EndLine))
			if a.Column > 0 && a.EndLine <= a.Line {
				properties["col"] = strconv.Itoa(a.Column)
			}
		}
	}
	r.command(&githubactions.Command{Name: string(a.Level), Message: cut(a.Message, maxMessage), Properties: properties})
}

// Output sets an output of the step. The delimiter of a multi-line value is random:
// with a fixed one, a value could end itself and set other outputs (CVE-2022-35954).
func (r *Runner) Output(name, value string) error {
	if strings.ContainsAny(name, "=<\r\n") || name == "" {
		return fmt.Errorf("%q is not a valid output name", name)
	}
	if len(value) > maxOutput {
		return fmt.Errorf("the output %s has %d bytes; the limit is %d", name, len(value), maxOutput)
	}
	delimiter, err := r.secret()
	if err != nil {
		return err
	}
	if strings.Contains(value, delimiter) {
		return fmt.Errorf("the output %s contains the output delimiter", name)
	}
	return r.appendTo("GITHUB_OUTPUT", fmt.Sprintf("%s<<%s\n%s\n%s\n", name, delimiter, value, delimiter))
}

// Summary appends to the job's summary.
func (r *Runner) Summary(markdown []byte) error {
	if len(markdown) > MaxSummary {
		return fmt.Errorf("the job's summary has %d bytes; the limit is %d", len(markdown), MaxSummary)
	}
	return r.appendTo("GITHUB_STEP_SUMMARY", string(markdown)+"\n")
}

// appendTo appends to the file that a variable names.
func (r *Runner) appendTo(variable, text string) error {
	path := r.getenv(variable)
	if path == "" {
		return fmt.Errorf("%s is not set; it names the file to write to", variable)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("%s: %w", variable, err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", variable, err)
	}
	return nil
}

// Close logs how many annotations are not shown, switches commands on again, and
// returns the first write error.
func (r *Runner) Close() error {
	if r.hidden > 0 {
		fmt.Fprintf(r.Log(), "%d more annotations are not shown: GitHub shows %d per level; the report has them all\n", r.hidden, maxAnnotations)
	}
	r.resume()
	return r.out.err
}
