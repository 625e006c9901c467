package change

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
	"github.com/sightline-evm/sightline/report/lcov"
)

// This file finds out from LCOV tracefiles which of the changed lines the project's own tests reach.

// howToTrace is how a tracefile is made.
const howToTrace = "make it on the head, with forge coverage --report lcov or npx hardhat coverage"

// tracefile is one that was read.
type tracefile struct {
	name    string // as it was given
	folder  string // that holds it, absolute, without links
	sources []lcov.File
}

// traced is what tracefiles say of the changed files.
type traced struct {
	hits  map[string]map[int]uint64 // by path in the repository
	files []report.Tracefile
}

// readTracefiles reads the tracefiles. Links are not followed below the working directory, since
// a stranger's could lead to a file of which an error would show a line.
func (c *Change) readTracefiles() error {
	for _, name := range c.options.Tracefiles {
		t := tracefile{name: name, folder: filepath.Dir(name)}
		folder, err := files.OpenFolder(t.folder, false)
		var text []byte
		if err == nil {
			text, err = files.ReadIn(folder, filepath.Base(name), lcov.MaxSize)
			err = errors.Join(err, folder.Close())
		}
		if errors.Is(err, os.ErrNotExist) {
			return exit.BadInput("--lcov %s: there is no such file; %s", human.Printable(name), howToTrace)
		}
		if err != nil {
			return exit.BadInput("--lcov %s: %w; name the tracefile itself", human.Printable(name), files.Plain(err))
		}
		if t.sources, err = lcov.Read(text); err != nil {
			place := exit.Place{File: filepath.ToSlash(name), Text: err.Error()}
			var wrong *lcov.Error
			if errors.As(err, &wrong) {
				place.Line, place.Text = wrong.Line, wrong.What
			}
			return exit.At(exit.BadInput("--lcov %s: %w", human.Printable(name), err), place)
		}
		if t.folder, err = filepath.Abs(t.folder); err != nil {
			return exit.BadInput("--lcov %s: %w", human.Printable(name), err)
		}
		t.folder = files.Resolve(t.folder)
		c.tracefiles = append(c.tracefiles, t)
	}
	return nil
}

// TestsReach is whether the project's own tests reach a line, as [report.Line.Tests] has it.
func (c *Change) TestsReach(at bytecode.Position) string {
	if len(c.tracefiles) == 0 {
		return ""
	}
	hits, counted := c.trace().hits[at.File][at.Line]
	switch {
	case !counted:
		return report.TestsUnknown
	case hits > 0:
		return report.TestsReach
	}
	return report.TestsMiss
}

// Tracefiles describes the tracefiles that were given. It warns of those that are of other
// sources, as far as that shows.
func (c *Change) Tracefiles() []report.Tracefile {
	if len(c.tracefiles) == 0 {
		return nil
	}
	return c.trace().files
}

// trace looks the changed lines up in the tracefiles, once.
func (c *Change) trace() *traced {
	if c.traced != nil {
		return c.traced
	}
	c.traced = &traced{hits: map[string]map[int]uint64{}}
	lines, code := c.linesByFile()
	found := false
	for i := range c.tracefiles {
		t := &c.tracefiles[i]
		of := report.Tracefile{File: filepath.ToSlash(t.name), Sources: len(t.sources)}
		counted := c.countedIn(t, lines)
		var wrong []string
		for _, file := range slices.Sorted(maps.Keys(counted)) {
			found = true
			if why := c.contradicts(file, counted[file]); why != "" {
				wrong = append(wrong, why)
				continue
			}
			hits := c.traced.hits[file]
			if hits == nil {
				hits = map[int]uint64{}
				c.traced.hits[file] = hits
			}
			for line, n := range counted[file] {
				hits[line] = max(hits[line], n) // whether any is above 0 is all that counts
			}
			for _, line := range lines[file] {
				if _, ok := counted[file][line]; ok {
					of.Lines++
				}
			}
		}
		if len(wrong) > 0 {
			c.log.Warn("--lcov %s is of other sources than those on disk: %s; what it says of such a file is not used: %s", human.Printable(t.name), human.First(wrong, maxNamed), howToTrace)
		}
		c.traced.files = append(c.traced.files, of)
	}
	if !found && code {
		c.warnForeign()
	}
	return c.traced
}

// maxNamed bounds what a warning about tracefiles names. Arbitrary.
const maxNamed = 3

// warnForeign warns that no tracefile has a changed file.
func (c *Change) warnForeign() {
	var has []string
	for i := range c.tracefiles {
		for _, s := range c.tracefiles[i].sources {
			has = append(has, human.Printable(s.Path))
		}
	}
	subject := "--lcov " + human.Printable(c.tracefiles[0].name) + " says"
	if n := len(c.tracefiles) - 1; n > 0 {
		subject = fmt.Sprintf("--lcov %s and %d more say", human.Printable(c.tracefiles[0].name), n)
	}
	c.log.Warn("%s nothing of the changed files, but of %s: whether your tests reach the changed lines is not known; %s, in the project's folder", subject, human.First(has, maxNamed), howToTrace)
}

// linesByFile are the lines of the change by file; code is set if any has code.
func (c *Change) linesByFile() (lines map[string][]int, code bool) {
	lines = map[string][]int{}
	if c.Mapping == nil {
		return lines, false
	}
	for i := range c.Mapping.Lines {
		l := &c.Mapping.Lines[i]
		if l.Position.File == "" {
			continue
		}
		lines[l.Position.File] = append(lines[l.Position.File], l.Position.Line)
		code = code || l.Unused || l.Status != diffmap.NoBytecode
	}
	for _, t := range c.Mapping.Targets { // of --target
		if at := t.Position; at.File != "" && !slices.Contains(lines[at.File], at.Line) {
			lines[at.File] = append(lines[at.File], at.Line)
			code = true
		}
	}
	return lines, code
}

// countedIn are the hits of changed files in a tracefile, by path in the repository.
func (c *Change) countedIn(t *tracefile, changed map[string][]int) map[string]map[int]uint64 {
	counted := map[string]map[int]uint64{}
	bases := map[string]bool{}
	for file := range changed {
		bases[path.Base(file)] = true
	}
	var unclear []string
	foreign := map[string]map[int]uint64{} // by absolute path in another checkout
	for i := range t.sources {
		name, hits := path.Clean(strings.ReplaceAll(t.sources[i].Path, `\`, "/")), t.sources[i].Hits
		if isAbsolute(name) {
			if file, inside := c.asInCheckout(name); inside {
				add(counted, file, hits, changed)
			} else {
				foreign[name] = hits
			}
			continue
		}
		if !bases[path.Base(name)] { // most of them
			continue
		}
		file, several := c.whereIs(t, name)
		if several {
			unclear = append(unclear, human.Printable(t.sources[i].Path))
			continue
		}
		add(counted, file, hits, changed)
	}
	for folder := commonFolder(foreign); len(foreign) > 0; folder = path.Dir(folder) {
		for file := range changed {
			if hits := foreign[path.Join(folder, file)]; hits != nil && counted[file] == nil {
				add(counted, file, hits, changed)
			}
		}
		if folder == "/" || folder == "." {
			break
		}
	}
	if len(unclear) > 0 {
		c.log.Warn("--lcov %s: several projects have %s, and it does not say which it means: keep each project's tracefile in its folder", human.Printable(t.name), human.First(unclear, maxNamed))
	}
	return counted
}

// commonFolder is the folder that absolute paths of another checkout have in common, such as that
// of an earlier job. The checkout's is this one, or one above it.
func commonFolder(foreign map[string]map[int]uint64) string {
	folder := ""
	for name := range foreign {
		if folder == "" {
			folder = path.Dir(name)
		}
		for folder != "/" && folder != "." && !strings.HasPrefix(name, folder+"/") {
			folder = path.Dir(folder)
		}
	}
	return folder
}

// add adds hits of a file, if it is a changed one.
func add(counted map[string]map[int]uint64, file string, hits map[int]uint64, changed map[string][]int) {
	if changed[file] == nil {
		return
	}
	if counted[file] == nil {
		counted[file] = map[int]uint64{}
	}
	for line, n := range hits {
		counted[file][line] = max(counted[file][line], n)
	}
}

// isAbsolute reports whether a path with slashes is absolute, on any system.
func isAbsolute(name string) bool {
	return path.IsAbs(name) || len(name) > 2 && name[1] == ':' && name[2] == '/'
}

// asInCheckout is an absolute path as one in the repository; false for one elsewhere.
func (c *Change) asInCheckout(name string) (string, bool) {
	if file, ok := belowRoot(name, filepath.ToSlash(c.Paths.Checkout)); ok {
		return file, true
	}
	file, ok := belowRoot(name, filepath.ToSlash(c.Root))
	return path.Join(filepath.ToSlash(c.Paths.Root), file), ok
}

// whereIs is a source that a tracefile names by a relative path, as a path in the repository;
// empty if there is none. It is relative to the folder of the tracefile or one above it in the
// repository, or else to that of a project, where several is set if more than one has it.
func (c *Change) whereIs(t *tracefile, name string) (file string, several bool) {
	there := func(folder string) bool {
		file = path.Join(folder, name)
		if !filepath.IsLocal(filepath.FromSlash(file)) {
			return false
		}
		_, err := c.Head(file)
		return err == nil
	}
	if rel, err := filepath.Rel(c.Paths.Checkout, t.folder); err == nil && filepath.IsLocal(rel) {
		for folder := filepath.ToSlash(rel); ; folder = path.Dir(folder) {
			if there(folder) {
				return file, false
			}
			if folder == "." {
				break
			}
		}
	}
	if there(filepath.ToSlash(c.Paths.Root)) {
		return file, false
	}
	var in []string
	for _, folder := range c.folders {
		if there(path.Join(filepath.ToSlash(c.Paths.Root), folder)) && !slices.Contains(in, file) {
			in = append(in, file)
		}
	}
	if len(in) > 1 {
		return "", true
	}
	if len(in) == 1 {
		return in[0], false
	}
	if there(".") {
		return file, false
	}
	return "", false
}

// contradicts says how the text of a file shows that hits are of another text: they have lines
// beyond its end. Empty if it does not.
func (c *Change) contradicts(file string, hits map[int]uint64) string {
	text, err := c.Head(file)
	if err != nil || len(hits) == 0 {
		return ""
	}
	end := strings.Count(string(text), "\n")
	if !strings.HasSuffix(string(text), "\n") {
		end++
	}
	if last := slices.Max(slices.Collect(maps.Keys(hits))); last > end {
		return fmt.Sprintf("it has line %d of %s, which has %d", last, human.Printable(file), end)
	}
	return ""
}
