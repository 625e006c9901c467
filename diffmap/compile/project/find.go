// Package project finds or makes the builds of projects: the projects of a repository, what
// their tools have left or make now, and sources without a tool.
package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
)

// FindOptions are the options of [Find].
type FindOptions struct {
	// Compilers and Debug are for projects without a build tool at hand, see
	// [CompileSources].
	Compilers solc.Options
	Debug     compile.DebugOptions
	// Command builds the project, instead of what is guessed from its
	// configuration files: a program and its arguments.
	Command []string
	// CommandFolder is where Command is run; empty for the project's root. In a
	// repository of several projects one command may build them all.
	CommandFolder string
	// Env names variables that the project's build needs in addition to those that
	// every child gets; it does not get others.
	Env []string
	// Strangers says that the project is not the caller's own: nothing of it runs as root.
	Strangers bool
	// Timeout bounds how long the project's tool may run; 0 means 10 minutes,
	// which is arbitrary: Hardhat takes 38 s for the 129 contracts of Aave 3.
	Timeout time.Duration
	// Progress is told what is done, a line each; may be nil. Waiting is told, again and again,
	// what takes its time, with the seconds; may be nil.
	Progress, Waiting func(line string)
	Limits            reading.Limits
	// Changed are the files that a change concerns, relative to the root, with slashes: of a
	// Foundry project, only what uses them is compiled, see [ClosureOf]; nil: everything.
	Changed []string
	// Existing says that what tools have left is to be used where it is of the sources as they
	// are, and not compiled again in part.
	Existing bool
	// Tracked reports whether git tracks a file: a pull request can bring it, so it is not
	// taken for a tool's output. nil: no file is.
	Tracked func(file string) bool
	// Check says why a build that others have made is not used; nil: all are. It is told
	// whether the project's tool has made it now.
	Check func(ctx context.Context, o *compile.Output, now bool) error
	// LeftOut is told of sources that do not compile and are left out: without a tool, each source of
	// a project without tests is compiled as far as it goes. nil: what does not compile is an error.
	LeftOut func(name, why string)
	// Lacking is told of sources that the change concerns and that are left out, since they need a dependency that is
	// not there: the others are compiled all the same. nil: that is an error.
	Lacking func(names []string, why string)
	// Warn is told of builds that are passed over for one of these two; may be nil.
	Warn func(text string)
}

const defaultTimeout = 10 * time.Minute

// Found is what [Find] found.
type Found struct {
	Outputs []*compile.Output
	// How says, for people, where the outputs come from and what stood in the
	// way of better ones; a sentence each.
	How []string
	// Made are the outputs that we have compiled, with their debug builds; nil where the
	// project's tool has.
	Made []*compile.Again
}

// Find finds or makes the build of the project at root:
//
//   - of a Foundry project, where forge is installed, what the change concerns, compiled with
//     the settings that forge says;
//   - else output that the project's own tool has left, when it is of the sources as
//     they are now: their texts or hashes are compared, age says nothing;
//   - else what the tool, forge or hardhat, makes now;
//   - without either tool, a debug build of the plain sources.
//
// forge builds into a folder of its own, so that the project's out and cache stay as
// they are. Hardhat's folders are where its configuration says.
func Find(ctx context.Context, root string, options FindOptions) (*Found, error) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return nil, reading.Unreadable(root, err)
	}
	f := finder{root: absolute, shown: root, FindOptions: options}
	if f.Timeout <= 0 {
		f.Timeout = defaultTimeout
	}
	return f.find(ctx)
}

type finder struct {
	root  string // absolute
	shown string // as it was given
	how   []string
	// closure is what of a Foundry project is built; nil: all.
	closure *Closure
	FindOptions
}

func (f *finder) say(format string, values ...any) {
	line := fmt.Sprintf(format, values...)
	f.how = append(f.how, line)
	if f.Progress != nil {
		f.Progress(line)
	}
}

func (f *finder) find(ctx context.Context) (*Found, error) {
	setups := settings.Detect(f.root, os.Getenv)
	if found, err := f.concerned(ctx, setups); found != nil || err != nil {
		return found, err
	}
	for _, s := range setups {
		outputs := f.existing(ctx, s)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if outputs != nil {
			return &Found{Outputs: outputs, How: f.how}, nil
		}
	}
	if len(f.Command) > 0 {
		return f.make(ctx, command{argv: f.Command, Setup: firstSetup(setups)})
	}
	setups = slices.DeleteFunc(setups, func(s settings.Setup) bool { return s.Config == "" })
	for _, s := range setups {
		if c, ok := f.commandOf(s); ok {
			return f.makeOrCompile(ctx, c)
		}
	}
	for _, s := range setups {
		if program := programs[s.Tool]; program != "" {
			how := ""
			if command, _ := installCommand(f.root, cmp.Or(f.Compilers.Repository, f.root), ""); s.Tool == settings.ToolHardhat && command != "" {
				how = ", " + command
			}
			what := "its sources are"
			if s.Tool == settings.ToolFoundry {
				what = "its sources, and the tests that use what changed, are"
			}
			f.say("%s says that this is a %s project, but %s is not installed%s: %s compiled by solc, with no other settings of it than viaIR, the EVM version, remappings and what is skipped", s.Config, s.Tool, program, how, what)
		}
	}
	if f.Progress != nil {
		f.Progress("compiling the sources below " + f.shown)
	}
	return f.withoutTool(ctx)
}

// withoutTool compiles the sources without their tool.
func (f *finder) withoutTool(ctx context.Context) (*Found, error) {
	outputs, err := f.compilePlain(ctx)
	if err != nil {
		return nil, err
	}
	f.how = append(f.how, "compiled the sources with "+outputs[0].Origin)
	return &Found{Outputs: outputs, How: f.how}, nil
}

// makeOrCompile runs a project's tool, and compiles the sources without it where that is forge and
// wants a network that it cannot reach.
func (f *finder) makeOrCompile(ctx context.Context, c command) (*Found, error) {
	found, err := f.make(ctx, c)
	if err == nil || c.Tool != settings.ToolFoundry || !offline.MatchString(err.Error()) || ctx.Err() != nil {
		return found, err
	}
	f.say("forge wants the network, which cannot be reached: the sources, and the tests that use what changed, are compiled by solc, with no other settings of %s than viaIR, the EVM version, remappings and what is skipped", c.Config)
	found, plain := f.withoutTool(ctx)
	if plain != nil {
		return nil, errors.Join(err, plain)
	}
	return found, nil
}

// offline matches what forge says where it cannot get a compiler or a dependency.
var offline = regexp.MustCompile(`error sending request|dns error|Could not resolve host|failed to lookup address`)

func firstSetup(setups []settings.Setup) settings.Setup {
	if len(setups) > 0 {
		return setups[0]
	}
	return settings.Setup{}
}

// existing is what the tool has left; nil where there is nothing, or where it is
// of no use, which is said.
func (f *finder) existing(ctx context.Context, s settings.Setup) []*compile.Output {
	if !reading.IsFolder(s.Builds) {
		return nil
	}
	outputs, problem := f.usable(s)
	for _, o := range outputs {
		o.Origin = f.relative(o.Origin)
	}
	if problem == "" {
		outputs, problem = f.checked(ctx, outputs)
	}
	if problem != "" {
		f.say("%s: the build there is not used: %s", f.relative(s.Builds), problem)
		return nil
	}
	made := "the build"
	if s.Config != "" {
		made = s.Tool + "'s build"
	}
	f.say("read %s in %s, made from the sources as they are", made, f.relative(s.Builds))
	return outputs
}

// checked drops the outputs that are refused, if the others hold what is left of them;
// problem says why they do not.
func (f *finder) checked(ctx context.Context, outputs []*compile.Output) (kept []*compile.Output, problem string) {
	if f.Check == nil {
		return outputs, ""
	}
	for _, o := range outputs {
		err := f.Check(ctx, o, false)
		if err == nil {
			kept = append(kept, o)
			continue
		}
		problem = err.Error()
		f.warn("%s: %s: it is not used", f.relative(o.Origin), strings.TrimPrefix(problem, o.Origin+": "))
	}
	if len(kept) == len(outputs) {
		return kept, ""
	}
	if kept, stale, err := f.current(kept); err == nil && stale == "" && len(kept) > 0 && lacks(kept, outputs) == "" {
		return kept, ""
	}
	return nil, problem
}

// lacks is a contract that some outputs hold and others do not; empty when there is none.
func lacks(outputs, others []*compile.Output) string {
	held := map[string]bool{}
	for _, o := range outputs {
		for _, c := range o.Contracts {
			held[c.UnitName()] = true
		}
	}
	for _, o := range others {
		for _, c := range o.Contracts {
			if !held[c.UnitName()] {
				return c.UnitName()
			}
		}
	}
	return ""
}

func (f *finder) warn(format string, values ...any) {
	if f.Warn != nil {
		f.Warn(fmt.Sprintf(format, values...))
	}
}

// read reads the outputs in a folder, without files that git tracks: a clone has them, so
// they are not what a tool wrote here. Those count that a tool has written in its place since
// they had the times before; nil where none ran.
func (f *finder) read(folder string, where place, before map[string]time.Time) ([]*compile.Output, error) {
	var tracked []string
	options := compile.ReadOptions{Limits: f.Limits, Skipped: func(file string) { tracked = append(tracked, file) }}
	if f.Tracked != nil {
		options.Refuse = func(file string) error {
			if info, err := os.Stat(file); err == nil && before != nil && !before[file].Equal(info.ModTime()) || !f.Tracked(where.from(file)) {
				return nil
			}
			return ErrTracked
		}
	}
	outputs, err := compile.Read(folder, options)
	if len(tracked) > 0 {
		others := ""
		if len(tracked) > 1 {
			others = fmt.Sprintf(" and %d more", len(tracked)-1)
		}
		f.warn("git tracks the build output %s%s, which a pull request can change: it is not used; remove it from the repository (git rm --cached, .gitignore)",
			f.relative(where.from(tracked[0])), others)
	}
	if len(tracked) > 0 && errors.Is(err, reading.ErrNoContracts) {
		return nil, &reading.Error{Origin: folder, Kind: reading.ErrNoContracts, Cause: ErrTracked, Problem: "git tracks all of it"}
	}
	return outputs, err
}

// timesOf are the times of the files below a folder.
func timesOf(folder string) map[string]time.Time {
	times := map[string]time.Time{}
	_ = filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".json") {
			return nil //nolint:nilerr // what cannot be read is not read later, either
		}
		if info, err := os.Stat(file); err == nil {
			times[file] = info.ModTime()
		}
		return nil
	})
	return times
}

// usable reads the outputs in a folder; problem says why they are of no use.
func (f *finder) usable(s settings.Setup) (outputs []*compile.Output, problem string) {
	outputs, err := f.read(s.Builds, place{}, nil)
	if err != nil {
		return nil, strings.TrimPrefix(err.Error(), s.Builds+": ")
	}
	outputs, stale, err := f.current(outputs)
	switch {
	case err != nil:
		return nil, err.Error()
	case stale != "":
		return nil, "it is stale, " + stale
	}
	if problem = missing(outputs); problem == "" {
		problem = f.untested(s, outputs)
	}
	return outputs, problem
}

// untested says which of a Foundry project's tests a build lacks, where forge is there to
// make another: forge compiles some alone (forge test --match-contract), and what tests
// set up is worth more than the time.
func (f *finder) untested(s settings.Setup, outputs []*compile.Output) string {
	if _, ok := f.commandOf(s); s.Tool != settings.ToolFoundry || !ok {
		return ""
	}
	held := map[string]bool{}
	for _, o := range outputs {
		for _, source := range o.Sources {
			held[source.Path] = true
		}
	}
	lacking := ""
	layout, err := settings.FoundryLayout(f.root, os.Getenv)
	if err != nil {
		return "" // forge says what is wrong
	}
	_ = filepath.WalkDir(f.root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil { // what cannot be read cannot be built
			return nil //nolint:nilerr // see above
		}
		name := entry.Name()
		switch {
		case entry.IsDir() && file != f.root && (strings.HasPrefix(name, ".") || name == "node_modules" || settings.IsConfigured(file) || filepath.Dir(file) == f.root && slices.Contains(sources.SkippedRootFolders, name)):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".t.sol") || held[f.relative(file)] || layout.Skips(f.relative(file)):
			return nil
		}
		lacking = f.relative(file) + " is not part of it"
		return fs.SkipAll
	})
	return lacking
}

// missing says what outputs lack that building again would bring; empty when
// they lack nothing.
func missing(outputs []*compile.Output) string {
	for _, o := range outputs {
		if obstacle := o.Obstacle(); obstacle != "" && o.Input == nil {
			return fmt.Sprintf("it %s, and the sources it was made from are not all there", obstacle)
		}
	}
	return ""
}

// current drops the outputs of sources that have changed since, when others hold what
// is left of them: tools keep the outputs of earlier runs. stale says what no other
// output makes up for; empty when the build is current.
func (f *finder) current(outputs []*compile.Output) (kept []*compile.Output, stale string, err error) {
	p, err := sources.Open(f.root, f.Compilers)
	if err != nil {
		return nil, "", err
	}
	held := map[string]bool{}
	gone := map[string]bool{}
	reasons := map[*compile.Output]string{}
	for _, o := range outputs {
		differing, deleted := o.Stale(p.ReadNamed)
		for _, name := range deleted {
			gone[name] = true
			reasons[o] = name + " is not there any more"
		}
		if len(differing) > 0 {
			reasons[o] = differing[0] + " is another now"
		}
		if reasons[o] != "" {
			continue
		}
		kept = append(kept, o)
		for _, s := range o.Sources {
			held[s.Path] = true
		}
	}
	for _, o := range outputs {
		for _, c := range o.Contracts {
			if reasons[o] != "" && !held[c.Source] && !gone[c.Source] {
				return nil, reasons[o], nil
			}
		}
	}
	if f.closure != nil && !f.closure.Whole() {
		return kept, "", nil
	}
	if name := p.Unbuilt(held); name != "" {
		return nil, name + " is not part of it", nil
	}
	return kept, "", nil
}

// relative is a path as messages show it: relative to the root where it is
// below it.
func (f *finder) relative(path string) string {
	if relative, err := filepath.Rel(f.root, path); err == nil && filepath.IsLocal(relative) {
		return filepath.ToSlash(relative)
	}
	return path
}

// make runs the project's tool and reads what it has built.
func (f *finder) make(ctx context.Context, c command) (*Found, error) {
	temporary, err := c.prepare()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	where, done, err := f.placeFor(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if f.closure != nil && !f.closure.Whole() && c.Tool == settings.ToolFoundry && c.temporary {
		c.argv = slices.Concat(c.argv, []string{"--"}, f.closure.Names)
	}
	builds := where.of(cmp.Or(c.Builds, f.root))
	before := timesOf(builds)
	heard, finished := f.during("running " + c.String())
	said, err := f.run(ctx, where, c, heard)
	finished()
	if err != nil {
		return nil, err
	}
	f.how = append(f.how, "built with "+c.String())
	if !reading.IsFolder(builds) {
		place := "the folder it was given"
		if !c.temporary {
			place = f.relative(builds)
		}
		return nil, f.unusable(c, "it ended well, but has left nothing in "+place, said, nil)
	}
	outputs, err := f.read(builds, where, before)
	if err != nil {
		return nil, f.unusable(c, "what it has built cannot be used: "+err.Error(), said, err)
	}
	outputs, stale, err := f.current(outputs)
	if err != nil {
		return nil, err
	}
	if stale != "" {
		return nil, &reading.Error{Origin: c.String(), Kind: compile.ErrStale, Problem: "what it has built is stale: " + stale,
			Remedy: "remove the tool's output and cache folders, or give the right build with --build"}
	}
	for _, o := range outputs {
		if o.Origin = f.relative(where.from(o.Origin)); c.temporary {
			o.Origin = c.String()
		}
		if f.Check == nil {
			continue
		}
		if err := f.Check(ctx, o, true); err != nil {
			return nil, err
		}
	}
	return &Found{Outputs: outputs, How: f.how}, nil
}

// lastLines are the last lines of a tool's output, without colors and other control
// characters, each after a bar: a runner takes lines that start with "::" for commands.
func lastLines(output string) string {
	const shown = 20 // arbitrary: a compiler error with its excerpt
	lines := strings.Split(strings.TrimSpace(printable(output)), "\n")
	if len(lines) > shown {
		lines = append([]string{"…"}, lines[len(lines)-shown:]...)
	}
	return "  | " + strings.Join(lines, "\n  | ")
}
