package replay

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// TestsOptions say which tests are written, and where.
type TestsOptions struct {
	Out    string // output folder of the run
	Root   string // folder of the project, or of a repository with several projects, as the run had it
	Folder string // that the tests are written to
	Check  bool   // nothing is written
}

// Bounds of the folder; arbitrary. The size is that of the largest code that a test has
// (maxTestCode), as digits, and a hundred times the rest.
const (
	maxKeptFiles = 10_000
	maxKeptSize  = 1 << 20 // bytes
)

// maxID bounds the id of a finding, in characters, since a file is named after it; arbitrary: Sightline's have 7.
const maxID = 60

// keptSuffix is how the names of the files end.
const keptSuffix = ".t.sol"

// Tests writes findings and reached lines of a run as Foundry tests into a folder that the project keeps:
// a file for each finding, and for each contract a few that together reach all of its lines that the run did, but for those
// that tests in the folder reach already. It prints what it does, and reports whether the folder is
// or would be changed. Errors carry an exit code.
func Tests(out io.Writer, o TestsOptions) (changed bool, err error) {
	w := &testWriter{o: o, out: out, made: map[string]string{}}
	if err := w.load(); err != nil {
		return false, err
	}
	if err := w.locate(); err != nil {
		return false, err
	}
	if err := w.readFolder(); err != nil {
		return false, err
	}
	targets, sequences := w.reproducers()
	if w.space != nil { // after the programs are cut at the targets: a machine numbers their blocks
		if w.machine, err = (&loaded{snapshot: w.snapshot, table: w.table}).machine(); err != nil {
			return false, exit.BadInput("%s: %w", filepath.Join(o.Out, SnapshotFile), err)
		}
	}
	w.findings()
	if err := w.reached(targets, sequences); err != nil {
		return false, err
	}
	return w.write()
}

// testWriter writes the tests of a run.
type testWriter struct {
	o        TestsOptions
	out      io.Writer
	report   *report.Report
	snapshot *Snapshot
	table    *bytecode.Table
	space    *input.Space
	machine  evm.Machine

	project string // folder of the project, as bytecode.Contract.Folder
	folder  string // of the tests, relative to it, with slashes

	kept map[string]*keptFile // the files of the folder, by name
	made map[string]string    // what the run gives, by name
	said map[string]string    // what each is, for people
	left []string             // what is left out, and why

	lines, covered int // reached lines, and those that tests reach
}

// load reads the output folder.
func (w *testWriter) load() error {
	const again = "name the output folder of a run with --out"
	name := filepath.Join(w.o.Out, report.JSONFile)
	data, err := files.ReadBounded(name, report.MaxSize)
	if err != nil {
		return exit.BadInput("%s: %v; %s", name, files.Plain(err), again)
	}
	if w.report, err = report.Read(data); err != nil {
		return exit.BadInput("%s: %w", name, err)
	}
	name = filepath.Join(w.o.Out, SnapshotFile)
	data, err = files.ReadBounded(name, maxSnapshot)
	if errors.Is(err, fs.ErrNotExist) && !slices.ContainsFunc(named(w.report), func(path string) bool { return path != "" }) {
		w.snapshot, w.table = &Snapshot{}, bytecode.NewTable(nil) // the run had nothing to fuzz
		return nil
	}
	if err != nil {
		return exit.BadInput("%s: %v; %s", name, files.Plain(err), again)
	}
	if w.snapshot, w.table, err = ReadSnapshot(data); err != nil {
		return exit.BadInput("%s: %w; make it again with `sightline run`", name, err)
	}
	if w.space, err = input.NewSpace(w.snapshot.World, input.SpaceOptions{Constructors: w.snapshot.Deployable}); err != nil {
		return exit.BadInput("%s: %w; make it again with `sightline run`", name, err)
	}
	return nil
}

// locate finds the project that the folder is in.
func (w *testWriter) locate() error {
	folder, err := filepath.Abs(w.o.Folder)
	if err != nil {
		return exit.BadInput("--write %s: %w", w.o.Folder, err)
	}
	root, err := filepath.Abs(w.o.Root)
	if err != nil {
		return exit.BadInput("--root %s: %w", w.o.Root, err)
	}
	projects := map[string]bool{"": true}
	for _, c := range w.snapshot.Contracts {
		projects[c.Folder] = true
	}
	found := false
	for _, p := range slices.Sorted(maps.Keys(projects)) { // of folders in folders, the last is the innermost
		rel, err := filepath.Rel(filepath.Join(root, filepath.FromSlash(p)), folder)
		if err != nil || !filepath.IsLocal(rel) || rel == "." {
			continue
		}
		if solidityPath(filepath.ToSlash(rel)) {
			w.project, w.folder, found = p, filepath.ToSlash(rel), true
		}
	}
	if !found {
		return exit.BadInput("--write %s: not a folder in the project at %s, from which tests import sources; name one below its tests, such as %s, or the run's --root",
			human.Printable(w.o.Folder), human.Printable(w.o.Root), filepath.Join(w.o.Root, "test", "sightline"))
	}
	return nil
}

// solidityPath reports whether imports can be written of a folder's path.
func solidityPath(name string) bool {
	_, ok := (&imports{within: "."}).importable(name + "/a.sol")
	return ok && !strings.HasPrefix(name, "@")
}

// readFolder reads the tests that are there.
func (w *testWriter) readFolder() error {
	w.kept = map[string]*keptFile{}
	folder, err := files.OpenFolder(w.o.Folder, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return exit.BadInput("--write %s: %v; name another folder", human.Printable(w.o.Folder), files.Plain(err))
	}
	defer folder.Close()
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return exit.BadInput("--write %s: %v", human.Printable(w.o.Folder), files.Plain(err))
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), keptSuffix) {
			continue
		}
		if len(w.kept) == maxKeptFiles {
			return exit.BadInput("--write %s: it has more than %d tests; name a folder that has no others", human.Printable(w.o.Folder), maxKeptFiles)
		}
		text, err := files.ReadIn(folder, e.Name(), maxKeptSize)
		if err != nil { // whatever it is, it is not replaced
			w.kept[e.Name()] = &keptFile{}
			continue
		}
		w.kept[e.Name()] = readKept(string(text))
	}
	return nil
}

// loaded is a reproducer on the run's World.
func (w *testWriter) loaded(name string) (*loaded, error) {
	if !fs.ValidPath(name) || path.Dir(name) != ReproducerFolder {
		return nil, fmt.Errorf("report.json names %q, which is not a reproducer", human.Printable(name))
	}
	l, err := loadClaim(filepath.Join(w.o.Out, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	l.snapshot, l.table, l.space, l.report = w.snapshot, w.table, w.space, w.report
	return l, l.prepare()
}

// leave notes what no test is written of.
func (w *testWriter) leave(what string, why error) {
	w.left = append(w.left, human.Printable(what)+": "+human.OneLine(why))
}

// add adds a test.
func (w *testWriter) add(id, text, said string) {
	name := id + keptSuffix
	if w.said == nil {
		w.said = map[string]string{}
	}
	w.made[name], w.said[name] = sealed(text), said
}

// findings makes the tests of findings.
func (w *testWriter) findings() {
	for i := range w.report.Findings {
		f := &w.report.Findings[i]
		if f.Reproducer == "" {
			continue
		}
		err := w.finding(f)
		if err != nil {
			w.leave(f.ID, err)
		}
	}
}

func (w *testWriter) finding(f *report.Finding) error {
	if f.Test != nil && f.Test.Text == "" {
		return errors.New(f.Test.Reason)
	}
	l, err := w.loaded(f.Reproducer)
	if err != nil {
		return err
	}
	id := solidityName(f.ID)
	if id == "" || len(id) > maxID {
		return errors.New("its id is none of Sightline's")
	}
	text, fails, err := w.text(l, id, l.reproducer.Claim.describe(f.Reproducer), false)
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), l.path+": "))
	}
	if !fails {
		return errors.New("no call of it fails, so that a test would pass while it happens; `sightline replay` shows it")
	}
	w.add(id, text, fmt.Sprintf("fails until %s is mended: %s at %s:%d", f.ID, f.Oracle, f.Location.File, f.Location.Line))
	return nil
}

// text is the test of a reproducer.
func (w *testWriter) text(l *loaded, id, said string, reaches bool) (text string, fails bool, err error) {
	keep := &keeping{project: w.project, folder: w.folder, id: id, said: said, reaches: reaches}
	l.path = path.Join(ReproducerFolder, id+".json")
	if input.IsTest(l.sequence) {
		text, err := w.testRun(l, keep)
		return text, true, err
	}
	exec, err := w.machine.Run(w.space.Encode(l.sequence, nil))
	if err != nil {
		return "", false, err
	}
	t, err := newFoundryTestIn(l, exec, keep)
	if err != nil {
		return "", false, err
	}
	text, fails = t.source(exec)
	return text, fails, nil
}

// testRun is the test of a finding that a fuzz test of the project shows.
func (w *testWriter) testRun(l *loaded, keep *keeping) (string, error) {
	t, err := NewFuzzTestRun(w.space, l.sequence)
	if err != nil {
		return "", err
	}
	source, ok := (&imports{within: w.folder}).importable(t.Contract.Source)
	if !ok || t.Contract.Folder != w.project {
		return "", fmt.Errorf("%s cannot be imported: it is in another project, or its name has unusual characters", human.Printable(t.Contract.QualifiedName()))
	}
	setUp := ""
	if m, ok := t.Contract.ABI.Methods["setUp"]; ok && m.Sig == "setUp()" {
		setUp = m.Sig
	}
	return keep.head(l, true) + t.keptBody(keep.id, source, setUp), nil
}

// reachedTarget is a line that the run reached.
type reachedTarget struct {
	*report.Target
	entries bytecode.Target
	kept    bool // in a call that succeeds
	line    int  // index of the first target of the same line: contracts that inherit it have it, too
}

// reachedBy is a sequence of the run, with a reproducer that has it.
type reachedBy struct {
	*loaded
	contract string
}

// reached makes the tests of reached lines.
func (w *testWriter) reached(targets []reachedTarget, sequences []reachedBy) error {
	list := make([]coverable, len(sequences))
	for i, s := range sequences {
		covers, err := w.covers(s.sequence, targets)
		if err != nil {
			return err
		}
		list[i] = coverable{len(s.sequence), s.reproducer.Claim.File + s.loaded.path, covers}
	}
	shown, err := w.shown(targets)
	if err != nil {
		return err
	}
	var contracts []string
	for _, s := range sequences {
		if !slices.Contains(contracts, s.contract) {
			contracts = append(contracts, s.contract)
		}
	}
	roles := map[string]world.Role{}
	for _, c := range w.snapshot.Contracts {
		roles[c.QualifiedName()], _ = world.RoleOf(c)
	}
	slices.SortFunc(contracts, func(a, b string) int { return cmp.Or(cmp.Compare(roles[a], roles[b]), cmp.Compare(a, b)) })
	for _, c := range contracts {
		w.contract(c, targets, sequences, list, shown)
	}
	for i, t := range targets {
		if t.line != i {
			continue
		}
		if w.lines++; shown[i] {
			w.covered++
		}
	}
	return nil
}

// reproducers are the reached lines of the project, and the different sequences that reach them.
func (w *testWriter) reproducers() (targets []reachedTarget, sequences []reachedBy) {
	var entries []bytecode.Location
	known, first, fuzzed := map[string]bool{}, map[string]int{}, map[string]bool{}
	for i := range w.report.Targets {
		t := &w.report.Targets[i]
		if t.Status != report.Reached && t.Status != report.OnlyReverts || t.Reproducer == "" || t.File == "" {
			continue
		}
		what := fmt.Sprintf("%s:%d", t.File, t.Line)
		l, err := w.loaded(t.Reproducer)
		if err != nil {
			w.leave(what, err)
			continue
		}
		if input.IsTest(l.sequence) {
			fuzzed[what] = true
			continue
		}
		if _, known := first[what]; !known {
			first[what] = len(targets)
		}
		targets = append(targets, reachedTarget{t, l.target, l.reproducer.Claim.Kept, first[what]})
		entries = append(entries, l.target.Entries...)
		if text := t.Contract + "\n" + input.Format(w.space, l.sequence); !known[text] {
			known[text] = true
			sequences = append(sequences, reachedBy{l, t.Contract})
		}
	}
	maps.DeleteFunc(fuzzed, func(what string, _ bool) bool { _, other := first[what]; return other })
	if len(fuzzed) > 0 {
		w.left = append(w.left, human.Plural(len(fuzzed), "line")+" that only fuzz tests of the project reach")
	}
	w.table.Cut(entries)
	return targets, sequences
}

// covers are the targets that a sequence reaches.
func (w *testWriter) covers(seq input.Sequence, targets []reachedTarget) ([]int, error) {
	exec, err := w.machine.Run(w.space.Encode(seq, nil))
	if err != nil {
		return nil, exit.CannotFuzz("%w", err)
	}
	var list []int
	for i := range targets {
		if entered, kept := fuzzer.Enters(w.table, &targets[i].entries, exec); entered && (kept || !targets[i].kept) {
			list = append(list, i)
		}
	}
	return list, nil
}

// shown are the lines that tests of the folder reach already.
func (w *testWriter) shown(targets []reachedTarget) (map[int]bool, error) {
	shown := map[int]bool{}
	for _, name := range slices.Sorted(maps.Keys(w.kept)) {
		text := w.kept[name].calls()
		if text == "" || w.space == nil {
			continue
		}
		seq, err := input.Parse(w.space, text)
		if err != nil || len(seq) == 0 || input.IsTest(seq) {
			continue // of a contract that is otherwise now
		}
		covers, err := w.covers(seq, targets)
		if err != nil {
			return nil, err
		}
		for _, t := range covers {
			shown[targets[t].line] = true
		}
	}
	return shown, nil
}

// contract makes the tests of a contract's lines, and adds what they reach to shown.
func (w *testWriter) contract(name string, targets []reachedTarget, sequences []reachedBy, all []coverable, shown map[int]bool) {
	var own []int // of all
	var list []coverable
	for i, s := range sequences {
		if s.contract != name {
			continue
		}
		c := all[i]
		c.covers = nil
		for _, t := range all[i].covers {
			if line := targets[t].line; targets[t].Contract == name && !slices.Contains(c.covers, line) {
				c.covers = append(c.covers, line)
			}
		}
		own, list = append(own, i), append(list, c)
	}
	texts := map[int]string{}
	usable := func(i int) bool {
		s := sequences[own[i]]
		text, _, err := w.text(s.loaded, w.idOf(&s), "It reaches "+linesOf(list[i].covers, targets), true)
		if err != nil {
			w.leave(linesOf(list[i].covers, targets), errors.New(strings.TrimPrefix(err.Error(), s.loaded.path+": ")))
			return false
		}
		texts[i] = text
		return true
	}
	for _, i := range cover(list, shown, usable) {
		s := sequences[own[i]]
		w.add(w.idOf(&s), texts[i], "passes: reaches "+linesOf(list[i].covers, targets))
		for _, t := range all[own[i]].covers {
			shown[targets[t].line] = true
		}
	}
}

// idOf names a test of reached lines by the contract, the last function that is called, and a hash of the
// calls: line numbers move, and tests stay.
func (w *testWriter) idOf(s *reachedBy) string {
	last := &s.sequence[len(s.sequence)-1]
	sum := sha256.Sum256([]byte(input.Format(w.space, s.sequence)))
	const most = 40 // characters of a name; arbitrary
	short := func(text string) string { text = solidityName(text); return text[:min(len(text), most)] }
	return fmt.Sprintf("%s_%s_%x", short(bytecode.ShortName(s.contract)), short(last.Function.Name), sum[:3])
}

// linesOf lists the lines of targets: "src/A.sol:3, 5–7; src/B.sol:1".
func linesOf(list []int, targets []reachedTarget) string {
	lines := map[string][]int{}
	for _, t := range list {
		lines[targets[t].File] = append(lines[targets[t].File], targets[t].Line)
	}
	var parts []string
	for _, file := range slices.Sorted(maps.Keys(lines)) {
		numbers := slices.Compact(slices.Sorted(slices.Values(lines[file])))
		var ranges []string
		for i := 0; i < len(numbers); {
			j := i
			for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
				j++
			}
			if ranges = append(ranges, fmt.Sprint(numbers[i])); j > i {
				ranges[len(ranges)-1] += fmt.Sprintf("-%d", numbers[j])
			}
			i = j + 1
		}
		parts = append(parts, file+":"+strings.Join(ranges, ", "))
	}
	return strings.Join(parts, "; ")
}

// write writes what is new or otherwise, and says so.
func (w *testWriter) write() (changed bool, err error) {
	var folder *os.Root
	counts := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(w.made)) {
		is := w.change(name)
		counts[is]++
		if is != fileSame {
			fmt.Fprintf(w.out, "%-9s %s  %s\n", is, path.Join(filepath.ToSlash(w.o.Folder), name), human.Printable(w.saidOf(name, is)))
		}
		if is != fileNew && is != fileChanged {
			continue
		}
		changed = true
		if w.o.Check {
			continue
		}
		if folder == nil {
			if folder, err = files.OpenFolder(w.o.Folder, true); err != nil {
				return false, exit.BadInput("--write %s: %v; name a folder that can be written", human.Printable(w.o.Folder), files.Plain(err))
			}
			defer folder.Close()
		}
		if err := atomicfile.WriteIn(folder, name, []byte(w.made[name])); err != nil {
			return false, exit.BadInput("%s cannot be written: %v", filepath.Join(w.o.Folder, name), files.Plain(err))
		}
	}
	for i, text := range w.left {
		if i == maxLeft {
			fmt.Fprintf(w.out, "%-9s %d more\n", "left out", len(w.left)-i)
			break
		}
		fmt.Fprintf(w.out, "%-9s %s\n", "left out", text)
	}
	w.summarize(counts)
	return changed, nil
}

// maxLeft bounds what is said to be left out, in lines; arbitrary.
const maxLeft = 20

// What becomes of a file.
const (
	fileNew     = "new"
	fileChanged = "changed"
	fileSame    = "same"
	fileByHand  = "by hand"
	fileForeign = "not ours"
)

// change is what becomes of a file.
func (w *testWriter) change(name string) string {
	there := w.kept[name]
	switch {
	case there == nil:
		return fileNew
	case there.id == "":
		return fileForeign
	case strings.ReplaceAll(there.text, "\r\n", "\n") == w.made[name]:
		return fileSame
	case there.byHand:
		return fileByHand
	}
	return fileChanged
}

// saidOf is what is said of a file.
func (w *testWriter) saidOf(name, is string) string {
	switch is {
	case fileByHand:
		return "it was changed by hand and stays as it is; delete it to have it written again"
	case fileForeign:
		return "Sightline did not write it, so that it stays as it is; rename it to get the test of this name"
	}
	return w.said[name]
}

// summarize prints the last line.
func (w *testWriter) summarize(counts map[string]int) {
	stay := 0
	for name, f := range w.kept {
		if f.id != "" && w.made[name] == "" {
			stay++
		}
	}
	var parts []string
	for _, is := range []string{fileNew, fileChanged, fileSame, fileByHand, fileForeign} {
		if n := counts[is]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, is))
		}
	}
	if stay > 0 {
		parts = append(parts, fmt.Sprintf("%d stay as they are", stay))
	}
	text := strings.Join(parts, ", ")
	if text == "" {
		text = "no tests"
	}
	if w.o.Check {
		text += " (nothing was written)"
	}
	if w.lines > 0 {
		text += fmt.Sprintf("; the tests reach %d of %s that the run reached", w.covered, human.Plural(w.lines, "line"))
	}
	fmt.Fprintf(w.out, "%s: %s\n", human.Printable(w.o.Folder), text)
}
