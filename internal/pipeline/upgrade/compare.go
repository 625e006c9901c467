package upgrade

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/layout"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/report"
)

// Clash is a report's clash with the parts of its id.
type Clash struct {
	report.Clash
	variable string // the first place's, with its namespace
	changes  []layout.Change
}

// Compare reports how the change affects the storage layouts of contracts that are made to
// be upgraded; d is nil where nothing was deployed. If only bodies of functions changed,
// there is nothing to compare. A contract that cannot be compared causes a warning. Compare
// returns the report's clashes, in their order.
func Compare(ctx context.Context, c *change.Change, d *deploy.Deployment, r *report.Report, log *progress.Log) []Clash {
	if !c.HasBase() || !c.Redeclared {
		return nil
	}
	list := upgradables(c.Outputs, d)
	if len(list) == 0 {
		return nil
	}
	sides, err := c.Base(ctx)
	if ctx.Err() != nil {
		return nil
	}
	l := &layoutComparer{change: c, report: r, units: map[*compile.Output]*layout.Unit{}, failed: map[*compile.Output]error{}, unknown: map[string][]string{}}
	for i := range list {
		l.upgrade(ctx, &list[i], sides, err)
	}
	l.finish(log)
	if len(r.Upgrades) > 0 {
		log.Line("layout  %s", describeUpgrades(r))
	}
	return l.clashes
}

func describeUpgrades(r *report.Report) string {
	counts := map[string]int{}
	for i := range r.Upgrades {
		counts[r.Upgrades[i].Result]++
	}
	return fmt.Sprintf("%s compared with the base, %d clash, %d unknown", human.Plural(len(r.Upgrades), "contract")+" that may be upgraded",
		counts[report.LayoutClash], counts[report.LayoutUnknown])
}

// layoutComparer carries results from one contract to the next.
type layoutComparer struct {
	change  *change.Change
	report  *report.Report
	units   map[*compile.Output]*layout.Unit // of the base's builds with the head's names
	failed  map[*compile.Output]error        // why a build has no layouts
	clashes []Clash
	reasons []string            // why contracts could not be compared, in order
	unknown map[string][]string // those contracts
}

// upgrade compares one contract. why is the error about the base's builds, if any.
func (c *layoutComparer) upgrade(ctx context.Context, u *upgradable, sides []diffmap.BaseSide, why error) {
	entry := report.Upgrade{Contract: u.contract.QualifiedName(), Because: u.because, Result: report.LayoutUnknown}
	at := slices.IndexFunc(sides, func(s diffmap.BaseSide) bool { return slices.Contains(s.Head.Contracts, u.contract) })
	var side diffmap.BaseSide
	switch {
	case slices.ContainsFunc(sides, func(s diffmap.BaseSide) bool { return slices.Contains(s.LeftOut, u.contract.QualifiedName()) }):
		c.cannot(&entry, "its base version does not compile")
		return
	case at >= 0:
		side = sides[at]
	case why != nil:
		c.cannot(&entry, human.OneLine(change.NoBuild(why)))
		return
	case u.from != "":
		side = diffmap.BaseSide{Head: u.output, Base: u.output} // everything in the change is new
	default:
		return // its project did not change
	}
	before, from, err := u.predecessor(side.Base, side.Renamed)
	switch {
	case err != nil:
		c.cannot(&entry, human.OneLine(err))
		return
	case before == nil:
		return // it is new
	case u.presumed && !mayRunBehindProxy(before, from):
		return // its upgrades begin with this version
	}
	base, err := c.layoutOf(ctx, before, from, side)
	if err != nil {
		c.cannot(&entry, human.OneLine(err))
		return
	}
	head, err := c.layoutOf(ctx, u.contract, u.output, side)
	if err != nil {
		c.cannot(&entry, human.OneLine(err))
		return
	}
	comparison := layout.Compare(base, head)
	entry.Result, entry.Notes = report.LayoutCompatible, comparison.Notes
	if len(comparison.Changes) > 0 {
		entry.Result = report.LayoutClash
		c.add(u, comparison.Changes, &blame{unit: c.units[u.output], base: c.units[from], before: before, side: side, change: c.change})
	}
	c.report.Upgrades = append(c.report.Upgrades, entry)
}

// cannot says that a contract could not be compared.
func (c *layoutComparer) cannot(entry *report.Upgrade, reason string) {
	entry.Reason = reason
	if c.unknown[reason] == nil {
		c.reasons = append(c.reasons, reason)
	}
	c.unknown[reason] = append(c.unknown[reason], bytecode.ShortName(entry.Contract))
	c.report.Upgrades = append(c.report.Upgrades, *entry)
}

// layoutOf is the layout of a contract of one of the builds.
func (c *layoutComparer) layoutOf(ctx context.Context, contract *compile.Contract, o *compile.Output, side diffmap.BaseSide) (*layout.Layout, error) {
	err, tried := c.failed[o]
	if !tried {
		err = o.AddStorageLayouts(ctx, c.change.Compilers, c.change.Debug)
		c.failed[o] = err
	}
	if err != nil {
		return nil, err
	}
	if c.units[o] == nil {
		renamed := side.Renamed
		if o != side.Base {
			renamed = nil
		}
		c.units[o] = layout.NewUnit(o, renamed)
	}
	l, err := c.units[o].Layout(contract)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Origin, err)
	}
	return l, nil
}

// add adds the clash of a contract, or the contract to the clash at the same place:
// inherited variables clash in all contracts that inherit them.
func (c *layoutComparer) add(u *upgradable, changes []layout.Change, b *blame) {
	at := b.position(u, &changes[0])
	name := u.contract.QualifiedName()
	for i := range c.clashes {
		if known := &c.clashes[i]; known.File == at.File && known.Line == at.Line && at.File != "" {
			known.Contracts = append(known.Contracts, name)
			return
		}
	}
	found := Clash{variable: changes[0].Space + "." + changes[0].Before.Name, changes: changes}
	found.Clash = report.Clash{Severity: severityOf(changes), File: at.File, Line: at.Line, Contracts: []string{name}, Message: describeChanges(changes)}
	for i := range changes {
		found.Places = append(found.Places, placeOf(&changes[i]))
	}
	c.clashes = append(c.clashes, found)
}

// finish gives the clashes their ids, and says what could not be compared.
func (c *layoutComparer) finish(log *progress.Log) {
	for i := range c.clashes {
		c.report.Clashes = append(c.report.Clashes, c.clashes[i].Clash)
		c.report.Clashes[i].ID, c.report.Clashes[i].Fingerprint = c.clashes[i].id(c.report.Clashes[:i])
	}
	for _, reason := range c.reasons {
		names := c.unknown[reason]
		const shown = 3 // of a line's length; arbitrary
		log.Warn("whether an upgrade clashes with the base version's storage is unknown for %s: %s",
			human.First(names, shown), reason)
	}
}

// id is made of what stays the same when lines and variables move: the contract, and the first
// variable that is not read as it was written. It is longer than a finding's by a
// digit, so that no two are alike.
func (c *Clash) id(taken []report.Clash) (id, fingerprint string) {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "storage-layout\x00%s\x00%s\x00%d", c.Contracts[0], c.variable, n))
		id := "SL-" + hex.EncodeToString(sum[:3])[:5]
		if !slices.ContainsFunc(taken, func(t report.Clash) bool { return t.ID == id }) {
			return id, hex.EncodeToString(sum[:16]) // as long as a finding's
		}
	}
}

// severityOf is high where the head reads a value that was not written for it. A variable
// that was only removed is low: no code reads its place until another one is declared there.
func severityOf(changes []layout.Change) string {
	if slices.ContainsFunc(changes, func(c layout.Change) bool { return c.Kind != layout.Removed }) {
		return "high"
	}
	return "low"
}

// describeChanges says in a sentence what the first change means, and how many more
// there are.
func describeChanges(changes []layout.Change) string {
	first := changes[0]
	if at := slices.IndexFunc(changes, func(c layout.Change) bool { return c.Kind != layout.Removed }); at > 0 {
		first = changes[at]
	}
	text := "After an upgrade " + describeChange(&first)
	if n := len(changes) - 1; n > 0 {
		text += fmt.Sprintf("; %s clash", human.Plural(n, "more variable"))
		if n == 1 {
			text += "es"
		}
	}
	return text
}

func describeChange(c *layout.Change) string {
	before := named(c.Before)
	switch {
	case c.Kind == layout.Retyped:
		return fmt.Sprintf("%s is read in a different form than it was written: %s", c.Before.Name, c.Detail)
	case c.Kind == layout.Removed:
		return fmt.Sprintf("nothing reads %s any more, and its place keeps the old value", before)
	case c.Kind == layout.Shared:
		return fmt.Sprintf("%s reads part of what was written as %s, which is shorter now", named(c.After), before)
	case c.After != nil && c.Now != c.After:
		return fmt.Sprintf("%s reads what was written as %s", named(c.After), before)
	}
	return fmt.Sprintf("what was written as %s is no longer found: the new code looks for it %s", before, whereIs(c))
}

// named is a variable with its type, as tables show it.
func named(v *layout.Variable) string { return fmt.Sprintf("%s (%s)", v.Name, v.Type.Label) }

// whereIs says where the head has a variable that moved.
func whereIs(c *layout.Change) string {
	text := "in slot " + c.Now.Slot.String()
	if c.Now.Offset > 0 {
		text += fmt.Sprintf(", byte %d", c.Now.Offset)
	}
	if c.NowSpace != "" {
		text += " of the namespace " + c.NowSpace
	}
	return text
}

// placeOf is a change in a report's terms.
func placeOf(c *layout.Change) report.StoragePlace {
	p := report.StoragePlace{Space: c.Space, Slot: c.Before.Slot.String(), Offset: c.Before.Offset, Before: named(c.Before)}
	if c.After != nil {
		p.After = named(c.After)
	}
	switch c.Kind {
	case layout.Moved:
		p.Change = fmt.Sprintf("%s is %s", c.Before.Name, whereIs(c))
	case layout.Retyped:
		p.Change = c.Detail
	case layout.Replaced:
		p.Change = c.Before.Name + " is gone"
	case layout.Shared:
		p.Change = c.Before.Name + " is shorter"
	case layout.Removed:
		p.Change = c.Before.Name + " is gone, and nothing takes its place"
	}
	return p
}

// blame finds the line that makes a layout clash.
type blame struct {
	change     *change.Change
	unit, base *layout.Unit
	before     *compile.Contract
	side       diffmap.BaseSide
}

// position is the line of a change: of the variable that takes another's place, or, if that
// is inherited or from a dependency, of the contract's base list; for a removed variable, the
// changed line next to where it was.
func (b *blame) position(u *upgradable, change *layout.Change) bytecode.Position {
	declaration := b.unit.Declaration(u.contract.UnitName())
	culprit := change.Deepest
	if culprit == nil {
		culprit = change.Now
	}
	if culprit == nil || culprit.Node == nil {
		return b.nearDeletion(u, change, declaration)
	}
	if by := b.inheritance(declaration, culprit); by != nil {
		return b.at(u, by)
	}
	at := b.at(u, culprit.Node)
	if declaration != nil && dependency(at.File) { // a member of a dependency's struct
		return b.at(u, declaration)
	}
	return at
}

// dependency reports whether a source belongs to a dependency.
func dependency(file string) bool {
	role, _ := world.RoleOf(&bytecode.Contract{Source: file})
	return role == world.Dependency
}

func (b *blame) at(u *upgradable, n *compile.Node) bytecode.Position {
	at, ok := diffmap.NodePosition(u.output, n, b.change.Paths)
	if !ok {
		return bytecode.Position{}
	}
	return at
}

// inheritance is the entry of a contract's base list that puts a variable where it is: the
// base version does not inherit from it, or it belongs to a dependency, or the order
// differs. nil where the list is not to blame.
func (b *blame) inheritance(declaration *compile.Node, v *layout.Variable) *compile.Node {
	if declaration == nil || v.Contract == "" {
		return nil
	}
	now := b.unit.Bases(declaration)
	then := b.base.Bases(b.base.Declaration(b.beforeName()))
	through := !slices.Contains(then, v.Contract) || dependency(v.Contract)
	if !through && slices.Equal(shared(now, then), shared(then, now)) {
		return nil
	}
	var first *compile.Node
	for _, n := range declaration.Children {
		if n.Type != "InheritanceSpecifier" {
			continue
		}
		if first == nil {
			first = n
		}
		if through && slices.Contains(b.unit.Bases(b.unit.Inherited(n)), v.Contract) {
			return n
		}
	}
	return first
}

// beforeName is the name of the contract's base version, in the head's terms.
func (b *blame) beforeName() string {
	source := b.before.Source
	if head, ok := b.side.Renamed[source]; ok {
		source = head
	}
	return source + ":" + b.before.Name
}

// shared lists those of a that b has, too.
func shared(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(name string) bool { return !slices.Contains(b, name) })
}

// nearDeletion is the first changed line of the contract that had a variable, from the
// declaration that has it no more: a deletion is anchored at what follows it.
func (b *blame) nearDeletion(u *upgradable, change *layout.Change, declaration *compile.Node) bytecode.Position {
	if owner := b.unit.Declaration(change.Before.Contract); owner != nil {
		declaration = owner
	}
	if declaration == nil {
		return bytecode.Position{}
	}
	first := b.at(u, declaration)
	last := first
	if n := len(declaration.Children); n > 0 {
		last = b.at(u, declaration.Children[n-1])
	}
	for _, l := range b.change.Mapping.Lines {
		if l.Position.File == first.File && first.Line < l.Position.Line && l.Position.Line <= last.Line && l.Kind == unified.DeletionAnchor {
			return l.Position
		}
	}
	return first
}
