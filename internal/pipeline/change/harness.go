package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/harness"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// This file makes changed code callable that no deployable contract of the build calls, see
// package harness. A harness is compiled with what it imports, as a build of its own next to the
// one whose sources those are.

// maxHarnessTries bounds how often a source is written again, with less, because a compiler did not
// take it. Each time, what the compiler's errors are about goes; arbitrary.
const maxHarnessTries = 12

// maxHarnessDivisions bounds how often harnesses of a build are divided, since a code generator gives up on some: each costs a
// compilation. Arbitrary.
const maxHarnessDivisions = 4

// addHarnesses adds builds of harnesses for changed code that is in no deployable contract, and maps
// the change again.
func (c *Change) addHarnesses(ctx context.Context) error {
	if c.Mapping == nil || len(c.About.Explicit) > 0 {
		return nil
	}
	c.unlinked = unlinked(c.Table.Contracts())
	underTest := func(file string) bool { return !c.ignored(file) && roleOfFile(file) == world.UnderTest }
	unused := c.Mapping.Unused(c.Outputs, c.Paths, underTest, func(contract string) bool { return c.unlinked[contract] })
	before := len(c.Outputs)
	for i, o := range slices.Clone(c.Outputs) {
		nodes := slices.DeleteFunc(unused[o], func(n *compile.Node) bool { return c.ofTest(o, n) })
		if len(nodes) == 0 || i >= len(c.Given) {
			continue
		}
		if err := c.addHarness(ctx, c.Given[i], o, nodes, maxHarnessDivisions); err != nil {
			return err
		}
	}
	if len(c.Outputs) == before {
		c.explainMissing()
		return nil
	}
	c.noteSizes()
	c.Table = bytecode.NewTable(compile.Contracts(c.Outputs))
	if err := c.mapTargets(ctx, nil); err != nil {
		return err
	}
	c.leaveToOthers()
	c.settleExposed()
	c.explainMissing()
	return nil
}

// unlinked are the libraries, by name, that no deployable contract is linked to.
func unlinked(contracts []*bytecode.Contract) map[string]bool {
	libraries := map[string]*bytecode.Contract{}
	for _, contract := range contracts {
		if contract.Library {
			libraries[contract.QualifiedName()] = contract
		}
	}
	left := map[string]bool{}
	for name := range libraries {
		left[name] = true
	}
	var link func(contract *bytecode.Contract)
	link = func(contract *bytecode.Contract) {
		for _, l := range contract.Creation.Links {
			if left[l.Library] {
				delete(left, l.Library)
				link(libraries[l.Library])
			}
		}
	}
	for _, contract := range contracts {
		if contract.Deployable() && !contract.Library {
			link(contract)
		}
	}
	return left
}

// OnlyHarnessed reports whether nothing but harnesses calls a contract of a qualified name: Sightline wrote it, or it is a
// library that no other is linked to.
func (c *Change) OnlyHarnessed(contract string) bool {
	return c.IsGenerated(contract) || len(c.generated) > 0 && c.unlinked[contract]
}

// settleExposed takes lines back that seem unused, of functions that harnesses call: nothing of the
// function's code is theirs, as of a comment that was deleted above it.
func (c *Change) settleExposed() {
	type function struct{ file, name string }
	called := map[function]bool{}
	for i := range c.Mapping.Lines {
		if l := &c.Mapping.Lines[i]; l.Function != "" && slices.ContainsFunc(l.Targets, func(t int) bool { return c.IsGenerated(c.Mapping.Targets[t].Contract) }) {
			called[function{l.Position.File, l.Function}] = true
		}
	}
	for i := range c.Mapping.Lines {
		if l := &c.Mapping.Lines[i]; l.Unused && len(l.Targets) == 0 && called[function{l.Position.File, l.Function}] {
			l.Unused, l.Reason = false, "no code of "+human.Printable(l.Function)+" is of this line"
		}
	}
}

// explainMissing says of lines that no contract holds why no harness calls them.
func (c *Change) explainMissing() {
	for i := range c.Mapping.Lines {
		l := &c.Mapping.Lines[i]
		if !l.Unused || len(l.Targets) > 0 {
			continue
		}
		if why := c.missing(l.Position.File, l.Function); why != "" {
			l.Reason += ", and no harness can call it: " + human.Printable(why)
		}
	}
}

// missing is the reason why no harness exposes a function of a file; empty where none is known.
func (c *Change) missing(file, function string) string {
	for _, h := range c.Harnesses {
		for _, contract := range h.Contracts {
			if !strings.HasSuffix("/"+file, "/"+contract.OfFile) {
				continue
			}
			for _, m := range contract.Missing {
				if m.Name == function || contract.Contract == "" && m.Name == contract.Of {
					return m.Reason
				}
			}
		}
	}
	return ""
}

// ofTest reports whether a declaration is of a contract that is a test.
func (c *Change) ofTest(o *compile.Output, n *compile.Node) bool {
	for n != nil && n.Type != "ContractDefinition" {
		n = n.Parent
	}
	if n == nil {
		return false
	}
	for _, contract := range o.Contracts {
		if contract.Name != n.Attribute("name") || !slices.ContainsFunc(o.Sources, func(s *compile.Source) bool { return s.ID == n.File && s.Path == contract.Source }) {
			continue
		}
		kind, _ := c.TestRole(&contract.Contract)
		return kind != ""
	}
	return false
}

// addHarness writes and compiles harnesses for declarations of a build, if there are any. Those that are too deep for the stack are
// compiled apart from the others, so many times.
func (c *Change) addHarness(ctx context.Context, given, o *compile.Output, nodes []*compile.Node, divisions int) error {
	version, err := solc.ParseVersion(o.Compiler)
	if err != nil {
		return nil //nolint:nilerr // of a compiler that is not known, nothing can be made
	}
	debug := c.Debug
	debug.OneGenerator = divisions > 0
	h := harness.Write(o, nodes, version)
	source := harnessName(c.Outputs)
	var again *compile.Again
	failed := ""
	for range maxHarnessTries {
		text := h.Source()
		if text == nil {
			break
		}
		again, err = given.Extend(ctx, source, text, given != o, c.compilersIn(o.Folder), debug)
		if ctx.Err() != nil {
			return exit.CannotFuzz("%w", context.Cause(ctx))
		}
		var refused *compile.RefusedError
		if err == nil || !errors.As(err, &refused) {
			break
		}
		for _, r := range refused.Refusals {
			if !h.Reject(r.At, r.Message) {
				failed = r.Message
			}
		}
		if failed != "" {
			break
		}
	}
	if errors.Is(err, compile.ErrGaveUp) {
		return c.divideHarness(ctx, given, o, nodes, divisions, err)
	}
	if err != nil {
		failed = human.OneLine(err)
	}
	c.describeHarness(source, o, h, again, failed)
	if again == nil || failed != "" {
		return nil
	}
	again.Own.Origin, again.Mapped.Origin = source, source
	c.generated[again.Mapped] = true
	c.Given, c.Outputs = append(c.Given, again.Own), append(c.Outputs, again.Mapped)
	return nil
}

// divideHarness adds harnesses for the declarations that do not use a source on which a code generator has given up, and others for those
// that do. Where it names none, since the code is the compiler's own, for either half of the sources.
func (c *Change) divideHarness(ctx context.Context, given, o *compile.Output, nodes []*compile.Node, divisions int, gaveUp error) error {
	var e *reading.Error
	if !errors.As(gaveUp, &e) {
		return c.addHarness(ctx, given, o, nodes, 0)
	}
	deep := o.Users(func(source string) bool {
		return slices.ContainsFunc(e.Places, func(p exit.Place) bool { return p.File == source })
	})
	ofDeep, known := map[int]bool{}, len(deep) > 0
	for i, file := range filesOf(nodes) {
		ofDeep[file] = !known && i%2 > 0 || slices.ContainsFunc(o.Sources, func(s *compile.Source) bool { return s.ID == file && deep[s.Path] })
	}
	isDeep := func(n *compile.Node) bool { return ofDeep[n.File] }
	shallow := slices.DeleteFunc(slices.Clone(nodes), isDeep)
	if len(shallow) == 0 || len(shallow) == len(nodes) {
		return c.addHarness(ctx, given, o, nodes, 0)
	}
	if err := c.addHarness(ctx, given, o, shallow, divisions-1); err != nil {
		return err
	}
	left := divisions - 1
	if known {
		left = 0 // all of these are too deep
	}
	return c.addHarness(ctx, given, o, slices.DeleteFunc(slices.Clone(nodes), func(n *compile.Node) bool { return !isDeep(n) }), left)
}

// filesOf are the ids of the sources of declarations, in order.
func filesOf(nodes []*compile.Node) []int {
	var files []int
	for _, n := range nodes {
		files = append(files, n.File)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// harnessName is the path of a source that no build has.
func harnessName(outputs []*compile.Output) string {
	for n := 1; ; n++ {
		name := harness.Folder + "/Harness.sol"
		if n > 1 {
			name = fmt.Sprintf("%s/Harness%d.sol", harness.Folder, n)
		}
		if !slices.ContainsFunc(outputs, func(o *compile.Output) bool {
			return slices.ContainsFunc(o.Sources, func(s *compile.Source) bool { return s.Path == name })
		}) {
			return name
		}
	}
}

// describeHarness notes for the report what was written, and of which code there is no harness.
func (c *Change) describeHarness(source string, o *compile.Output, h *harness.Harness, again *compile.Again, failed string) {
	if failed != "" {
		again = nil
	}
	out := report.Harness{File: source}
	if again != nil {
		out.Source = string(h.Source())
	}
	var of []string
	for _, contract := range h.Contracts() {
		described := report.HarnessContract{Of: contract.Of, OfFile: contract.Source, Functions: append([]string{}, contract.Wrapped...)}
		if again != nil && contract.Name != "" {
			described.Contract = (&bytecode.Contract{Name: contract.Name, Source: source, Folder: o.Folder}).QualifiedName()
			of = append(of, human.Printable(contract.Of))
		}
		for _, m := range contract.Missing {
			described.Missing = append(described.Missing, report.HarnessMissing{Name: m.Name, Reason: m.Reason})
		}
		if described.Contract == "" && contract.Name != "" {
			described.Missing = append(described.Missing, report.HarnessMissing{Name: contract.Of, Reason: failed})
		}
		out.Contracts = append(out.Contracts, described)
	}
	if len(of) > 0 {
		c.log.Line("harness %s, written to call code of %s that no deployable contract calls", source, human.First(of, 3))
	}
	if len(out.Contracts) > 0 {
		c.Harnesses = append(c.Harnesses, out)
	}
}

// leaveToOthers takes from harnesses the targets of lines that contracts of the project hold, too. The first harness that inherits
// from all of these keeps its own: a token that only its heirs can mint has nothing to transfer by itself. A library that only
// harnesses are linked to does not count as holding a line.
func (c *Change) leaveToOthers() {
	contracts := map[string]*bytecode.Contract{}
	for _, contract := range c.Table.Contracts() {
		contracts[contract.QualifiedName()] = contract
	}
	generated := func(target int) bool {
		contract := contracts[c.Mapping.Targets[target].Contract]
		return contract != nil && contract.Generated
	}
	inheritsAll := func(target int, own []int) bool {
		implements := contracts[c.Mapping.Targets[target].Contract].Implements
		return !slices.ContainsFunc(own, func(i int) bool {
			base := contracts[c.Mapping.Targets[i].Contract]
			return base == nil || len(implements) == 0 || !slices.Contains(implements[1:], base.Name)
		})
	}
	c.Mapping.Exclude(diffmap.NoBytecode, func(l *diffmap.Line, t *bytecode.Target) string {
		if t == nil || contracts[t.Contract] == nil || !contracts[t.Contract].Generated {
			return ""
		}
		var own []int
		heir := ""
		for _, i := range l.Targets {
			if !generated(i) && !c.unlinked[c.Mapping.Targets[i].Contract] {
				own = append(own, i)
			}
		}
		if i := slices.IndexFunc(l.Targets, func(i int) bool { return generated(i) && inheritsAll(i, own) }); i >= 0 {
			heir = c.Mapping.Targets[l.Targets[i]].Contract
		}
		if len(own) == 0 || t.Contract == heir {
			return ""
		}
		return "a contract of the project has it"
	})
}
