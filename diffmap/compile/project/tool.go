package project

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/sightline-evm/sightline/diffmap/compile/child"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// programs are the tools that can build; truffle is read only.
var programs = map[string]string{settings.ToolFoundry: "forge", settings.ToolHardhat: "hardhat"}

// command is a run of a project's tool.
type command struct {
	settings.Setup
	argv      []string
	shown     []string // what people would type; argv when nil
	env       []string // in addition to the allowed ones
	temporary bool     // builds is a folder of our own
	stdout    *tail    // what it writes there; nil: what it says, together with the rest
}

func (c *command) String() string {
	if c.shown != nil {
		return strings.Join(c.shown, " ")
	}
	return strings.Join(c.argv, " ")
}

// commandOf is the command that builds the project; false where its tool is not
// installed.
func (f *finder) commandOf(s settings.Setup) (command, bool) {
	program := f.program(programs[s.Tool])
	if program == "" {
		return command{}, false
	}
	switch s.Tool {
	case settings.ToolFoundry:
		return command{Setup: s, argv: []string{program, "build", "--build-info", "--ast"},
			shown: []string{"forge", "build", "--build-info", "--ast"}, temporary: true,
			// Its linter is of no use here, and fails on Yul sources (forge 1.7).
			env: []string{"FOUNDRY_DISABLE_NIGHTLY_WARNING=1", "FOUNDRY_LINT_LINT_ON_BUILD=false"}}, true
	case settings.ToolHardhat:
		// Without --force it leaves the build-infos of former runs, each of which
		// knows a part of the project.
		return command{Setup: s, argv: []string{program, "compile", "--force"},
			shown: []string{"npx", "hardhat", "compile", "--force"},
			env:   []string{"HARDHAT_DISABLE_TELEMETRY_PROMPT=true", "CI=true"}}, true
	}
	return command{}, false
}

// program finds a tool: the project's own in node_modules, then PATH. The
// result is empty when it is in neither.
func (f *finder) program(name string) string {
	if name == "" {
		return ""
	}
	for _, folder := range solc.ModuleFolders(solc.Options{Root: f.root}) {
		program := filepath.Join(folder, ".bin", name)
		if info, err := os.Stat(program); err == nil && !info.IsDir() {
			return program
		}
	}
	if name == programs[settings.ToolHardhat] {
		return "" // it belongs to a project; others may be called so
	}
	program, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return program
}

// prepare makes the folder for the output, where the tool can be told one.
func (c *command) prepare() (folder string, err error) {
	if !c.temporary {
		return "", nil
	}
	if folder, err = os.MkdirTemp("", "sightline-build-"); err != nil {
		return "", err
	}
	c.Builds = filepath.Join(folder, "out")
	c.argv = append(slices.Clone(c.argv), "--out", c.Builds, "--cache-path", filepath.Join(folder, "cache"),
		"--build-info-path", filepath.Join(c.Builds, "build-info"))
	return folder, nil
}

// toolEnvironment names the variables that a project's tool gets in addition to those
// of every child: where it keeps compilers, and the profile.
var toolEnvironment = []string{
	"HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
	"FOUNDRY_PROFILE",
}

func (f *finder) environment(where place, c command) []string {
	env := child.Environment()
	names := toolEnvironment
	if where.home != "" {
		env, names = append(env, "HOME="+where.home), []string{"FOUNDRY_PROFILE"}
	}
	for _, name := range slices.Concat(names, f.Env) {
		if value, ok := os.LookupEnv(name); ok && (where.home == "" || name != "HOME") {
			env = append(env, name+"="+value)
		}
	}
	// Last, so that no other value holds: a build does not need to run programs.
	return append(env, append(c.env, "FOUNDRY_FFI=false", "NO_COLOR=1")...)
}

// maxToolOutput is how much of a tool's output is kept, from its end.
const maxToolOutput = 64 << 10

// run runs a tool at its place, and returns the end of what it wrote. heard is told what it
// writes, as it does; it may be nil.
func (f *finder) run(ctx context.Context, where place, c command, heard func(text []byte)) (said string, err error) {
	limited, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	output := &tail{limit: maxToolOutput, heard: heard}
	there := where.command(c)
	start := func() *exec.Cmd {
		cmd := exec.CommandContext(limited, there.argv[0], there.argv[1:]...)
		cmd.Dir, cmd.Env = where.of(f.folderFor(c)), f.environment(where, c)
		cmd.Stdout, cmd.Stderr = output, output
		if c.stdout != nil {
			cmd.Stdout = c.stdout
		}
		cmd.WaitDelay = child.Grace
		child.Group(cmd)
		return cmd
	}
	cmd := start()
	changed, err := child.BecomeOwner(cmd, where.of(f.root), filepath.Dir(c.Builds), c.temporary)
	if err != nil {
		return "", err
	}
	end := func() {}
	if f.Strangers {
		end = child.Orphans()
	}
	err = cmd.Run()
	end()
	if changed && !f.Strangers && errors.Is(err, fs.ErrPermission) {
		// The owner cannot reach the program, or a sandbox forbids changing the user.
		err = start().Run()
	}
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case limited.Err() != nil:
		return "", f.failure(c, fmt.Sprintf("did not end within %s", f.Timeout), output, limited.Err())
	case changed && errors.Is(err, fs.ErrPermission):
		return "", f.failure(c, "cannot be run as the owner of the project's folder, and must not run as root", output, err)
	case err != nil && slices.Contains(c.argv, "--ast") && bytes.Contains(output.bytes(), []byte("unexpected argument '--ast'")):
		// forge before 0.3 writes ASTs without being asked, or never.
		c.argv = slices.DeleteFunc(slices.Clone(c.argv), func(argument string) bool { return argument == "--ast" })
		return f.run(ctx, where, c, heard)
	case err != nil:
		return "", f.failure(c, "failed", output, err)
	}
	return string(output.bytes()), nil
}

// folderFor is where a tool is run.
func (f *finder) folderFor(c command) string {
	if len(f.Command) > 0 && slices.Equal(c.argv, f.Command) {
		return cmp.Or(f.CommandFolder, f.root)
	}
	return f.root
}

// failure is the error of a tool's run, with the end of what it wrote.
func (f *finder) failure(c command, what string, output *tail, cause error) error {
	e := &reading.Error{Origin: c.String(), Kind: ErrTool, Cause: cause, Problem: what + ": " + cause.Error()}
	f.explain(e, c, string(output.bytes()))
	return e
}

// unusable is the error of a run that ended well, but left nothing of use. What it
// said may tell why: the npm package of forge ends well when forge does not
// (measured with 1.7.1).
func (f *finder) unusable(c command, problem, said string, cause error) error {
	e := &reading.Error{Origin: c.String(), Kind: ErrTool, Cause: cause, Problem: problem}
	f.explain(e, c, said)
	return e
}

// explain adds to an error what a tool said, and what to do about it.
func (f *finder) explain(e *reading.Error, c command, said string) {
	said = printable(said)
	e.Remedy, e.Workflow = f.advise(c, said)
	e.Places = reading.PlacesIn(said)
	if text := withoutStack(said); strings.TrimSpace(text) != "" {
		e.Excerpt = lastLines(text)
	}
}

// tail keeps the last bytes that are written to it.
type tail struct {
	kept  []byte
	limit int
	heard func(text []byte) // may be nil
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if t.heard != nil {
		t.heard(p)
	}
	if len(t.kept) > 2*t.limit {
		t.kept = append([]byte(nil), t.bytes()...)
	}
	return len(p), nil
}

func (t *tail) bytes() []byte { return t.kept[max(0, len(t.kept)-t.limit):] }

// stackLine is a line of a JavaScript stack: there are more of them than of what
// went wrong.
var stackLine = regexp.MustCompile(`(?m)^\s+at .*(?:\n|$)`)

// withoutStack is a tool's output without the stacks in it.
func withoutStack(text string) string { return stackLine.ReplaceAllString(text, "") }

// escapes are the terminal's control sequences (ECMA-48, 5.4).
var escapes = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]")

// printable is a tool's output without what a terminal would act on.
func printable(text string) string {
	text = escapes.ReplaceAllString(strings.ToValidUTF8(text, ""), "")
	return strings.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && !unicode.IsPrint(c) {
			return -1
		}
		return c
	}, text)
}
