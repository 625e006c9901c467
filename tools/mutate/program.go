package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// program is the tests of some packages with all mistakes in them that can be behind switches.
type program struct {
	root   string
	dir    string // of what is made
	run    *regexp.Regexp
	skip   *regexp.Regexp
	slack  time.Duration // that tests may take longer than three times what they took
	suites []suite
	tests  []test
	lines  map[string]map[int][]int // the switches on the lines of the files that the compiler reads
}

// suite is the compiled tests of a package.
type suite struct{ binary, folder string }

// test is one test function, with what it took and the switches it comes past.
type test struct {
	suite suite
	name  string
	took  time.Duration
	work  time.Duration // of processors: the same whatever else the machine does
	seen  map[int]bool
}

// newProgram compiles the tests. A mistake that the compiler refuses loses its edits, so that it is compiled on its own.
func newProgram(ctx context.Context, root, dir string, packages []string, mutants []mutant, run, skip string) (*program, error) {
	p := &program{root: root, dir: dir, slack: 10 * time.Second} // arbitrary: a machine that does other things, too
	var err error
	if p.run, err = regexp.Compile(run); err != nil {
		return nil, err
	}
	if p.skip, err = regexp.Compile(cmp.Or(skip, "^$")); err != nil {
		return nil, err
	}
	for {
		if err := p.write(mutants); err != nil {
			return nil, err
		}
		out, err := p.compile(ctx, packages)
		if err == nil {
			break
		}
		if !p.refuse(mutants, out) {
			return nil, fmt.Errorf("%w:\n%s", err, out)
		}
	}
	return p, p.watch(ctx)
}

// write makes the texts with switches, and the overlay that puts them in the place of the files.
func (p *program) write(mutants []mutant) error {
	files := map[string][]edit{}
	texts := map[string][]byte{}
	for i, m := range mutants {
		texts[m.file] = m.original
		if m.edits == nil {
			continue
		}
		for _, e := range m.edits(i + 1) {
			e.id = i + 1
			files[m.file] = append(files[m.file], e)
		}
	}
	replace := map[string]string{}
	put := func(name string, text []byte) (file string, err error) {
		file = filepath.Join(p.dir, strconv.Itoa(len(replace))+".go")
		replace[filepath.Join(p.root, name)] = file
		return file, os.WriteFile(file, text, 0o600)
	}
	p.lines = map[string]map[int][]int{}
	for name, edits := range files {
		text, lines := apply(texts[name], edits)
		parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("with switches: %w", err)
		}
		file, err := put(name, text)
		if err != nil {
			return err
		}
		p.lines[file] = lines
		if _, err := put(filepath.Join(filepath.Dir(name), "mutate_switches.go"), helpers(parsed.Name.Name, len(mutants))); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.dir, "overlay.json"), text, 0o600)
}

func (p *program) compile(ctx context.Context, packages []string) (out []byte, err error) {
	p.suites = nil
	list := exec.CommandContext(ctx, "go", append([]string{"list", "-f", "{{.ImportPath}}\t{{.Dir}}"}, packages...)...)
	list.Dir = p.root
	names, err := list.Output()
	if err != nil {
		return names, err
	}
	for line := range strings.Lines(string(names)) {
		name, folder, _ := strings.Cut(strings.TrimSpace(line), "\t")
		s := suite{binary: filepath.Join(p.dir, strconv.Itoa(len(p.suites))+".test"), folder: folder}
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-gcflags=-e", "-ldflags=-s -w", "-overlay", filepath.Join(p.dir, "overlay.json"), "-o", s.binary, name)
		cmd.Dir = p.root
		if out, err := cmd.CombinedOutput(); err != nil {
			return out, err
		}
		if _, err := os.Stat(s.binary); err == nil { // else the package has no tests
			p.suites = append(p.suites, s)
		}
	}
	return nil, nil
}

// place begins a line of the compiler: far to the right it says no column.
var place = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):(?:\d+:)? `)

// refuse takes the edits of those mistakes that are on lines with errors: of numbers and arithmetic first, whose type is
// not known here. It reports whether there are any.
func (p *program) refuse(mutants []mutant, out []byte) bool {
	found := false
	for _, m := range place.FindAllSubmatch(out, -1) {
		line, err := strconv.Atoi(string(m[2]))
		if err != nil {
			continue
		}
		file := string(m[1])
		if !filepath.IsAbs(file) {
			file = filepath.Join(p.root, file)
		}
		ids := p.lines[file][line]
		typed := slices.DeleteFunc(slices.Clone(ids), func(id int) bool {
			m := mutants[id-1]
			return m.edits == nil || !slices.ContainsFunc(m.edits(id), func(e edit) bool {
				return strings.HasPrefix(e.text, "mutate") && !strings.HasPrefix(e.text, "mutateIs")
			})
		})
		if len(typed) > 0 {
			ids = typed
		}
		for _, id := range ids {
			if mutants[id-1].edits != nil {
				mutants[id-1].edits, found = nil, true
			}
		}
	}
	return found
}

// watch runs every test on its own, for what it takes and which switches it comes past.
func (p *program) watch(ctx context.Context) error {
	for _, s := range p.suites {
		list := exec.CommandContext(ctx, s.binary, "-test.list", ".")
		list.Dir = s.folder
		out, err := list.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", s.folder, err)
		}
		for name := range strings.Lines(string(out)) {
			name = strings.TrimSpace(name)
			if strings.HasPrefix(name, "Benchmark") || !p.run.MatchString(name) || p.skip.MatchString(name) {
				continue
			}
			t := test{suite: s, name: name, seen: map[int]bool{}}
			seen := filepath.Join(p.dir, "seen")
			start := time.Now()
			ran, err := p.try(ctx, []test{t}, time.Hour, "MUTATE_SEEN="+seen)
			if err != nil {
				return err
			}
			if !ran.passed {
				return fmt.Errorf("%s fails without a mistake:\n%s", name, ran.out)
			}
			t.took, t.work = time.Since(start), ran.work
			text, err := os.ReadFile(seen)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			for id := range strings.FieldsSeq(string(text)) {
				if n, err := strconv.Atoi(id); err == nil {
					t.seen[n] = true
				}
			}
			if err := os.RemoveAll(seen); err != nil {
				return err
			}
			p.tests = append(p.tests, t)
		}
	}
	slices.SortStableFunc(p.tests, func(a, b test) int { return cmp.Compare(a.work, b.work) })
	return nil
}

// noticed reports whether some test fails with a switch on, and whether any comes past it. Those that come past it run:
// the quick ones of each package together, then one after the other.
func (p *program) noticed(ctx context.Context, id int) (noticed, seen bool, err error) {
	const quick = 300 * time.Millisecond // arbitrary: about what starting a program of tests takes
	var groups [][]test
	bySuite := map[suite]int{}
	for _, t := range p.tests {
		if !t.seen[id] {
			continue
		}
		i, ok := bySuite[t.suite]
		if t.work > quick || !ok {
			i = len(groups)
			groups = append(groups, nil)
			if t.work <= quick {
				bySuite[t.suite] = i
			}
		}
		groups[i] = append(groups[i], t)
	}
	for _, group := range groups {
		limit := p.slack
		for _, t := range group {
			limit += 3 * t.took
		}
		ran, err := p.try(ctx, group, limit, "MUTATE_ON="+strconv.Itoa(id))
		if err == nil && ran.late && ran.work < limit/4 { // other programs kept it from running
			ran, err = p.try(ctx, group, 8*limit, "MUTATE_ON="+strconv.Itoa(id))
		}
		if err != nil {
			return false, true, err
		}
		if !ran.passed {
			return true, true, nil
		}
	}
	return false, len(groups) > 0, nil
}

// attempt is what came of running tests.
type attempt struct {
	passed, late bool // late: they took longer than the limit
	out          string
	work         time.Duration // of processors
}

// try runs tests of one package.
func (p *program) try(ctx context.Context, tests []test, limit time.Duration, env string) (ran attempt, err error) {
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return ran, err
	}
	defer os.RemoveAll(dir)
	names := make([]string, 0, len(tests))
	for _, t := range tests {
		names = append(names, t.name)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(limited, tests[0].suite.binary, "-test.failfast", "-test.timeout", "0", "-test.run", "^("+strings.Join(names, "|")+")$")
	cmd.Dir = tests[0].suite.folder
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, env)
	cmd.WaitDelay = time.Minute // arbitrary: programs that tests have started hold the pipe
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	err = cmd.Run()
	ran.out = text.String()
	if cmd.ProcessState != nil {
		ran.work = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ran, ctx.Err()
	case err == nil:
		ran.passed = true
		return ran, nil
	case limited.Err() != nil || errors.Is(err, exec.ErrWaitDelay):
		ran.late = true
		return ran, nil
	case errors.As(err, &exit):
		return ran, nil
	}
	return ran, err
}
