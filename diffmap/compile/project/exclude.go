package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
)

// This file compiles a project without its tool for one change. What uses a changed file has to
// compile. A test, or a source that the change does not concern, may be left out, and a warning
// says which and why.

// plain is a project that is compiled without its tool.
type plain struct {
	*finder
	tree  *sources.Tree
	graph *graph
	tests map[string]bool // the project's tests, by name
	part  *Closure        // what it leaves out is not compiled; may be nil
	// needed are the sources that use a changed file; nil: all but tests.
	needed map[string]bool
	// left are the sources that are left out, by the reason, in order of discovery.
	left    map[string][]string
	reasons []string
	refused error // why the first of the sources that are left out alone is; nil: none is
	// attempts are how often sources may still be left out, and divisions how often those that are too deep may still be compiled apart:
	// each costs a compilation.
	attempts, divisions int
}

// maxAttempts bounds how often the compiler is asked again without what it refuses. Arbitrary: it
// names several sources at once.
const maxAttempts = 8

// maxDivisions bounds how often what a code generator gives up on is compiled apart from the rest. Arbitrary.
const maxDivisions = 8

// compilePlain compiles a project without its tool: of a Foundry project, what the change concerns, as where
// forge is at hand, unless none of the tests that use it compile. A World is then made of whatever
// contracts there are.
func (f *finder) compilePlain(ctx context.Context) ([]*compile.Output, error) {
	closure := f.closureOfFoundry()
	if closure == nil {
		return f.compileOwn(ctx, &Closure{})
	}
	if !closure.Whole() {
		p, outputs, err := f.compileClosure(ctx, closure)
		if err != nil && (ctx.Err() != nil || errors.Is(err, solc.ErrCompile) || errors.Is(err, sources.ErrImport)) {
			return nil, err // without the rest, it is no better
		}
		if err == nil && p.compilesTests() {
			f.say("compiled the %d sources that use what changed, of %d", len(p.graph.roots), len(closure.Names)+len(closure.Left))
			p.tell()
			return outputs, nil
		}
	}
	return f.compileOwn(ctx, closure)
}

// compileOwn compiles the project's own sources, and the tests of a closure.
func (f *finder) compileOwn(ctx context.Context, closure *Closure) ([]*compile.Output, error) {
	p, outputs, err := f.compileClosure(ctx, &Closure{Tests: closure.Tests})
	if err != nil {
		return nil, err
	}
	p.tell()
	return outputs, nil
}

// compileClosure compiles the project's own sources that a closure does not leave out, and its tests.
func (f *finder) compileClosure(ctx context.Context, closure *Closure) (*plain, []*compile.Output, error) {
	p := &plain{finder: f, part: closure, left: map[string][]string{}, attempts: maxAttempts, divisions: maxDivisions}
	if p.Compilers.Root == "" {
		p.Compilers.Root = f.root
	}
	err := p.open(closure.Tests)
	if err == nil {
		p.chooseTests(1, "solc takes long for so many tests without forge, so those next to the change come first; install forge, which compiles them all")
	}
	if errors.Is(err, reading.ErrTooLarge) && len(p.tests) > 0 {
		err = p.open(nil)
	}
	if err != nil {
		return nil, nil, err
	}
	if p.loose() {
		outputs, err := p.compileAsFarAsItGoes(ctx)
		return p, outputs, err
	}
	units, err := p.units(ctx)
	if err != nil {
		return nil, nil, err
	}
	outputs, err := p.compile(ctx, units)
	return p, outputs, err
}

// loose reports whether sources are compiled as far as they go.
func (p *plain) loose() bool { return p.LeftOut != nil && len(p.tests) == 0 }

// compilesTests reports whether a test is left that a test runner calls.
func (p *plain) compilesTests() bool {
	return slices.ContainsFunc(p.graph.roots, func(root string) bool { return p.tests[root] && hasTests(string(p.graph.texts[root])) })
}

// closureOfFoundry is what the change concerns of a Foundry project; nil where that is not known, or it is
// another's: tests of other tools are not written in Solidity.
func (f *finder) closureOfFoundry() *Closure {
	if _, err := os.Stat(filepath.Join(f.root, settings.FoundryFile)); err != nil {
		return nil
	}
	layout, err := settings.FoundryLayout(f.root, os.Getenv)
	if err != nil {
		return nil // whoever reads it next says what is wrong
	}
	closure, err := ClosureOf(f.root, layout, f.Changed, f.Compilers)
	if err != nil {
		return nil
	}
	return closure
}

// open reads the project's own sources, some tests, and what they import.
func (p *plain) open(tests []string) error {
	var err error
	if p.tree, err = sources.Open(p.root, p.Compilers); err != nil {
		return err
	}
	names, err := p.tree.Names()
	if err != nil {
		return err
	}
	if p.part != nil { // what is not among Foundry's own sources is not left out
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(p.part.Left, name) })
	}
	p.tests = map[string]bool{}
	for _, name := range tests {
		if !slices.Contains(names, name) {
			p.tests[name] = true
		}
	}
	own := len(names)
	names = append(names, slices.Sorted(maps.Keys(p.tests))...)
	if p.graph, err = resolve(p.tree, names); err != nil {
		return err
	}
	p.graph.code = settings.CodeSettings(p.root, os.Getenv)
	p.needed = nil
	if p.Changed != nil {
		p.needed = p.graph.users(p.changedNames())
		p.needOne(names[:own])
	}
	if p.loose() {
		return nil // left out later
	}
	for _, broken := range p.graph.broken {
		users := p.graph.users([]string{broken.name})
		used := slices.ContainsFunc(p.graph.roots, func(root string) bool { return users[root] })
		if used && !p.exclude([]string{broken.name}, broken.err) && !p.leaveLacking(&broken) {
			return broken.err
		}
	}
	return nil
}

// leaveLacking leaves out what cannot be compiled without a dependency that is missing, although the change
// concerns it, and reports whether it has: something else that the change concerns has to be left.
func (p *plain) leaveLacking(broken *brokenSource) bool {
	if p.Lacking == nil || !broken.dependency {
		return false
	}
	isNeeded := func(root string) bool { return !p.tests[root] && (p.needed == nil || p.needed[root]) }
	users := p.graph.users([]string{broken.name})
	if !slices.ContainsFunc(p.graph.roots, func(root string) bool { return !users[root] && isNeeded(root) }) {
		return false
	}
	out := p.graph.usersAmong(users)
	p.graph = p.graph.without(out)
	p.Lacking(slices.DeleteFunc(out, func(name string) bool { return !isNeeded(name) }), oneLine(broken.err.Error()))
	return true
}

// The bytes of tests, without libraries, that are compiled where forge is not at hand. solc's build for
// WebAssembly takes about 2 s for 100 kB without the intermediate language, and a minute for
// Uniswap v4-core's 100 kB with it, where 430 kB did not end in two (measured with 0.8.26 on a busy
// machine, so roughly).
const (
	mostTests      = 500_000
	mostTestsViaIR = 60_000
)

// chooseTests leaves out tests beyond what a compiler takes a reasonable time for: those that changed
// stay first, then those that are the fewest imports from a changed file, the smallest first. times is
// how much faster the compiler is than solc's build for WebAssembly, and why says what people could do.
func (p *plain) chooseTests(times int, why string) {
	var tests []string
	for _, root := range p.graph.roots {
		if p.tests[root] {
			tests = append(tests, root)
		}
	}
	changed := p.changedNames()
	distance := p.graph.distances(changed)
	rank := func(name string) int {
		if n, known := distance[name]; known {
			return n
		}
		if slices.Contains(changed, name) {
			return 0
		}
		return len(p.graph.names) // it names a changed file in a string
	}
	slices.SortStableFunc(tests, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(p.graph.texts[a]), len(p.graph.texts[b])))
	})
	most := mostTests
	if p.graph.code.ViaIR {
		most = mostTestsViaIR
	}
	most *= times
	layout, _ := settings.FoundryLayout(p.root, os.Getenv) // it was read before
	counted, bytes := map[string]bool{}, 0
	for _, name := range p.graph.without(tests).names {
		counted[name] = true
	}
	var out []string
	for _, test := range tests {
		more := 0
		var helpers []string
		for _, name := range p.graph.closure([]string{test}) {
			if !counted[name] && !layout.IsLibrary(name) && !strings.Contains(name, "node_modules/") {
				helpers = append(helpers, name)
				more += len(p.graph.texts[name])
			}
		}
		if bytes > 0 && bytes+more > most {
			out = append(out, test)
			continue
		}
		bytes += more
		for _, name := range helpers {
			counted[name] = true
		}
	}
	out = slices.DeleteFunc(out, func(name string) bool { return counted[name] })
	if len(out) > 0 {
		p.exclude(out, errors.New(why))
	}
}

// size is that of all texts, bytes.
func (g *graph) size() int {
	n := 0
	for _, name := range g.names {
		n += len(g.texts[name])
	}
	return n
}

// distances are how many imports lead from a source to one of the names, at least; a source that
// does not import one is not in it.
func (g *graph) distances(names []string) map[string]int {
	by := g.importers()
	found := map[string]int{}
	queue := slices.Clone(names)
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		for _, importer := range by[name] {
			if _, known := found[importer]; !known && !slices.Contains(names, importer) {
				found[importer] = found[name] + 1
				queue = append(queue, importer)
			}
		}
	}
	return found
}

// changedNames are the names that sources of changed files have.
func (p *plain) changedNames() []string {
	var names []string
	changed := map[string]bool{}
	for _, file := range p.Changed {
		if resolved, err := filepath.EvalSymlinks(filepath.Join(p.root, filepath.FromSlash(file))); err == nil {
			changed[resolved] = true
		}
	}
	for _, name := range p.graph.names {
		if resolved, err := filepath.EvalSymlinks(p.tree.FileOf(name)); err == nil && changed[resolved] {
			names = append(names, name)
		}
	}
	for _, broken := range p.graph.broken { // one that cannot be read has no text in the graph
		if slices.Contains(p.Changed, broken.name) && !slices.Contains(names, broken.name) {
			names = append(names, broken.name)
		}
	}
	return names
}

// needOne sees to it that something is needed: a change of what nothing is compiled from leaves
// no source out.
func (p *plain) needOne(own []string) {
	if !slices.ContainsFunc(own, func(name string) bool { return p.needed[name] }) {
		p.needed = nil
	}
}

// users are the named sources, and those that import one of them, directly or not.
func (g *graph) users(names []string) map[string]bool {
	by := g.importers()
	found := map[string]bool{}
	queue := slices.Clone(names)
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if !found[name] {
			found[name] = true
			queue = append(queue, by[name]...)
		}
	}
	return found
}

// importers are the sources that import each source, in order.
func (g *graph) importers() map[string][]string {
	by := map[string][]string{}
	for _, importer := range g.names {
		for _, name := range g.imports[importer] {
			by[name] = append(by[name], importer)
		}
	}
	return by
}

// exclude leaves sources and their users out of the build, and reports whether it may, and has.
func (p *plain) exclude(names []string, why error) bool {
	users := p.graph.users(names)
	var out []string
	for _, root := range p.graph.roots {
		switch {
		case !users[root]:
		case !p.tests[root] && (p.needed == nil || p.needed[root]):
			return false
		default:
			out = append(out, root)
		}
	}
	if len(out) == 0 {
		return false
	}
	p.graph = p.graph.without(out)
	blamed := func(name string) bool { return slices.Contains(names, name) }
	slices.SortStableFunc(out, func(a, b string) int { // what the reason names comes first
		if blamed(a) == blamed(b) {
			return 0
		}
		if blamed(a) {
			return -1
		}
		return 1
	})
	// Errors that differ in their place alone, such as a missing import of all tests, are one reason.
	reason := why.Error()
	var e *reading.Error
	if errors.As(why, &e) && errors.Is(why, sources.ErrImport) {
		same := *e
		same.Origin, same.Place = "", ""
		reason = same.Error()
	}
	if p.left[reason] == nil {
		p.reasons = append(p.reasons, reason)
	}
	p.left[reason] = append(p.left[reason], out...)
	return true
}

// without is what is compiled without some of what was asked for.
func (g *graph) without(out []string) *graph {
	rest := &graph{texts: g.texts, imports: g.imports, code: g.code, broken: g.broken}
	for _, root := range g.roots {
		if !slices.Contains(out, root) {
			rest.roots = append(rest.roots, root)
		}
	}
	rest.names = rest.closure(rest.roots)
	return rest
}

// tell says what was left out: of tests, in one sentence, however many reasons there are.
func (p *plain) tell() {
	var tests, why []string
	for _, reason := range p.reasons {
		var own []string
		first := ""
		for _, name := range p.left[reason] {
			if p.tests[name] {
				first = cmp.Or(first, name)
				tests = append(tests, name)
			} else {
				own = append(own, name)
			}
		}
		if len(own) > 0 {
			are, them := sentence(own, "it", "them")
			p.warn("%s not compiled, and nothing that changed uses %s: %s", are, them, oneLine(reason))
		}
		switch {
		case first == "":
		case len(why) == 0:
			why = append(why, oneLine(reason))
		default:
			why = append(why, fmt.Sprintf("%s: %s", first, oneLine(reason)))
		}
	}
	if len(tests) == 0 {
		return
	}
	if n := len(why) - mostReasons; n > 0 {
		why = append(why[:mostReasons], fmt.Sprintf("and %d more reasons", n))
	}
	are, their := sentence(tests, "its set-up is", "their set-ups are")
	p.warn("%s not compiled, and %s not used: %s", are, their, strings.Join(why, "; "))
}

// mostReasons bounds why tests are left out in one warning; arbitrary.
const mostReasons = 3

// sentence begins a sentence about sources, "A.sol and 2 more are", and chooses how it goes on.
func sentence(names []string, one, several string) (are, rest string) {
	if len(names) == 1 {
		return names[0] + " is", one
	}
	return fmt.Sprintf("%s and %d more are", names[0], len(names)-1), several
}

// oneLine is a reason without what a compiler quotes: up to the first place that it names.
func oneLine(text string) string {
	if at := strings.Index(text, " --> "); at >= 0 {
		if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
			text = text[:at+end]
		}
	}
	return strings.TrimSuffix(strings.Join(strings.Fields(text), " "), ":")
}

// units finds compilers. One that takes everything comes first; where there is none, tests do not
// decide which compiler the sources under test get.
func (p *plain) units(ctx context.Context) ([]Unit, error) {
	if p.part != nil && !p.part.Whole() {
		if units, err := p.unitsOf(ctx, p.tree, p.graph, p.part); err == nil && len(units) == 1 {
			return units, nil
		}
	}
	units, err := p.graph.units(ctx, p.Compilers, p.tree.Remappings)
	if errors.Is(err, solc.ErrNoCompiler) && p.excludeUncompilable(ctx) {
		units, err = p.graph.units(ctx, p.Compilers, p.tree.Remappings)
	}
	var tests []string
	for _, root := range p.graph.roots {
		if p.tests[root] {
			tests = append(tests, root)
		}
	}
	if err == nil && len(units) == 1 || len(tests) == 0 {
		return units, err
	}
	own, failed := p.graph.without(tests).units(ctx, p.Compilers, p.tree.Remappings)
	if failed != nil {
		return nil, failed
	}
	if len(own) > 1 && err == nil {
		return units, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(own) == 1 {
		return p.joined(ctx, own[0], tests)
	}
	return p.graph.units(ctx, p.Compilers, p.tree.Remappings)
}

// excludeUncompilable leaves out the sources whose pragmas no compiler satisfies, and reports
// whether there were any.
func (p *plain) excludeUncompilable(ctx context.Context) bool {
	any := false
	for _, root := range p.graph.roots {
		if !p.tests[root] && (p.needed == nil || p.needed[root]) {
			continue
		}
		pragmas := p.graph.pragmas(p.graph.closure([]string{root}))
		if _, err := solc.Find(ctx, pragmas, p.Compilers); errors.Is(err, solc.ErrNoCompiler) && ctx.Err() == nil {
			any = p.exclude([]string{root}, err) || any
		}
	}
	return any
}

// joined adds the tests to the unit of the sources under test that its compiler takes; the others
// are units of their own, each with what it imports.
func (p *plain) joined(ctx context.Context, own Unit, tests []string) ([]Unit, error) {
	var others []string
	for _, test := range tests {
		if slices.Contains(p.graph.roots, test) && !solc.Allows(p.graph.pragmas(p.graph.closure([]string{test})), own.Compiler.Number().String()) {
			others = append(others, test)
		}
	}
	names := slices.Sorted(slices.Values(p.graph.without(others).names))
	units := []Unit{{p.graph.input(names, p.tree.Remappings), own.Compiler, p.graph.pragmas(names), names}}
	if len(others) == 0 {
		return units, nil
	}
	alone := &graph{texts: p.graph.texts, imports: p.graph.imports, code: p.graph.code, roots: others}
	alone.names = alone.closure(others)
	more, err := alone.units(ctx, p.Compilers, p.tree.Remappings)
	return append(units, more...), err
}

// compile compiles units, and what is left of one that the compiler refuses.
func (p *plain) compile(ctx context.Context, units []Unit) ([]*compile.Output, error) {
	var outputs []*compile.Output
	for _, unit := range units {
		made, err := p.compileUnit(ctx, &unit)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, made...)
	}
	return outputs, nil
}

func (p *plain) compileUnit(ctx context.Context, unit *Unit) ([]*compile.Output, error) {
	made, err := p.debugBuild(ctx, unit)
	if err == nil {
		return made, nil
	}
	if ctx.Err() != nil || !errors.Is(err, solc.ErrCompile) {
		return nil, err
	}
	if p.attempts > 0 && p.exclude(p.blamed(unit, err), err) {
		p.attempts--
		rest := p.rootsOf(unit)
		if len(rest) == 0 {
			return nil, nil
		}
		p.progress("compiling again without what does not compile")
		units, err := p.graph.only(rest).units(ctx, p.Compilers, p.tree.Remappings)
		if err != nil {
			return nil, err
		}
		return p.compile(ctx, units)
	}
	if errors.Is(err, solc.ErrTrapped) {
		var parts []Unit
		for _, half := range p.halves(p.rootsOf(unit)) {
			parts = append(parts, p.unitOf(unit, half))
		}
		if len(parts) == 0 {
			return nil, err
		}
		return p.compile(ctx, parts)
	}
	if old := unit.compileOlder(ctx, p.Compilers, p.Debug); old != nil {
		return []*compile.Output{old}, nil
	}
	return nil, err
}

func (p *plain) progress(line string) {
	if p.Progress != nil {
		p.Progress(line)
	}
}

// rootsOf are the sources of a unit that are asked for.
func (p *plain) rootsOf(unit *Unit) []string {
	return slices.DeleteFunc(slices.Clone(p.graph.roots), func(root string) bool { return !slices.Contains(unit.names, root) })
}

// namedBy are the sources of a unit that a compiler's error names.
func (p *plain) namedBy(unit *Unit, err error) []string {
	var e *reading.Error
	var named []string
	if errors.As(err, &e) {
		for _, place := range e.Places {
			if slices.Contains(unit.names, place.File) {
				named = append(named, place.File)
			}
		}
	}
	return named
}

// blamed are the sources of a unit that a compiler's error is about. Where it names none, such as a
// WebAssembly that gave up on a large input, they are tests, the larger half of them first; then
// sources that the change does not concern.
func (p *plain) blamed(unit *Unit, err error) []string {
	if named := p.namedBy(unit, err); len(named) > 0 {
		return named
	}
	var tests, others []string
	for _, root := range p.graph.roots {
		switch {
		case !slices.Contains(unit.names, root):
		case p.tests[root]:
			tests = append(tests, root)
		case p.needed != nil && !p.needed[root]:
			others = append(others, root)
		}
	}
	if len(tests) == 0 {
		return others
	}
	size := map[string]int{}
	for _, test := range tests {
		for _, name := range p.graph.closure([]string{test}) {
			size[test] += len(p.graph.texts[name])
		}
	}
	slices.SortStableFunc(tests, func(a, b string) int { return size[b] - size[a] })
	return tests[:(len(tests)+1)/2]
}
