package change

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
	"github.com/sightline-evm/sightline/report"
)

// trace is a section of a tracefile in which line 1 is reached, and line 2 is not.
func trace(path string) string { return "SF:" + path + "\nDA:1,7\nDA:2,0\nend_of_record\n" }

// TestTestsReach: which changed lines tests reach, by tracefiles with paths of all kinds. Of each changed file, line 1 is
// reached, 2 is not, and 3 is not counted.
func TestTestsReach(t *testing.T) {
	const three = "one\ntwo\nthree\n"
	for name, c := range map[string]struct {
		root    string            // of the project, in the repository
		folders []string          // of projects below it; nil: the root alone
		sources []string          // with three lines, that the repository has
		changed []string          // of these
		traces  map[string]string // tracefiles; REPOSITORY is the repository's folder
		known   string            // of the changed files, those of which the tracefiles say something
		warning string            // a part of the only one; empty: there is none
	}{
		"relative":   {"", nil, []string{"src/A.sol"}, []string{"src/A.sol"}, map[string]string{"lcov.info": trace("src/A.sol")}, "src/A.sol", ""},
		"with a dot": {"", nil, []string{"src/A.sol"}, []string{"src/A.sol"}, map[string]string{"lcov.info": trace("./src/../src/A.sol")}, "src/A.sol", ""},
		"of Windows": {"", nil, []string{"src/A.sol"}, []string{"src/A.sol"}, map[string]string{"lcov.info": trace(`src\A.sol`)}, "src/A.sol", ""},
		"absolute":   {"", nil, []string{"src/A.sol"}, []string{"src/A.sol"}, map[string]string{"lcov.info": trace("REPOSITORY/src/A.sol")}, "src/A.sol", ""},
		"another checkout": {"", nil, []string{"src/A.sol"}, []string{"src/A.sol"},
			map[string]string{"lcov.info": "SF:/ci/jobs/r/r/lib/x/src/A.sol\nDA:1,0\nDA:2,1\nend_of_record\n" + trace("/ci/jobs/r/r/src/A.sol")}, "src/A.sol", ""},
		"a library elsewhere": {"", nil, []string{"src/A.sol"}, []string{"src/A.sol"},
			map[string]string{"lcov.info": trace("/ci/jobs/r/r/lib/x/src/A.sol") + trace("/ci/jobs/r/r/src/B.sol")}, "", "says nothing of the changed files"},
		"the root of a system": {"", nil, []string{"src/A.sol"}, []string{"src/A.sol"}, map[string]string{"lcov.info": trace("/src/A.sol") + trace("/lib/B.sol")}, "src/A.sol", ""},
		"two drives":           {"", nil, []string{"src/A.sol"}, []string{"src/A.sol"}, map[string]string{"lcov.info": trace("C:/src/A.sol") + trace("D:/src/A.sol")}, "", "says nothing of the changed files"},
		"of a drive":           {"", nil, []string{"src/A.sol"}, []string{"src/A.sol"}, map[string]string{"lcov.info": trace(`D:\a\r\r\src\A.sol`)}, "src/A.sol", ""},
		"a folder below":       {"contracts", nil, []string{"contracts/src/A.sol"}, []string{"contracts/src/A.sol"}, map[string]string{"lcov.info": trace("src/A.sol")}, "contracts/src/A.sol", ""},
		"of the repository":    {"contracts", nil, []string{"contracts/src/A.sol"}, []string{"contracts/src/A.sol"}, map[string]string{"lcov.info": trace("contracts/src/A.sol")}, "contracts/src/A.sol", ""},
		"in a folder": {"", []string{"core", "edge"}, []string{"core/src/A.sol", "edge/src/A.sol"}, []string{"core/src/A.sol", "edge/src/A.sol"},
			map[string]string{"edge/coverage/lcov.info": trace("src/A.sol")}, "edge/src/A.sol", ""},
		"in each": {"", []string{"core", "edge"}, []string{"core/src/A.sol", "edge/src/A.sol"}, []string{"core/src/A.sol", "edge/src/A.sol"},
			map[string]string{"core/lcov.info": trace("src/A.sol"), "edge/lcov.info": trace("src/A.sol")}, "core/src/A.sol edge/src/A.sol", ""},
		"of the one that has it": {"", []string{"core", "edge"}, []string{"core/src/A.sol", "edge/src/B.sol"}, []string{"edge/src/B.sol"},
			map[string]string{"lcov.info": trace("src/B.sol")}, "edge/src/B.sol", ""},
		"unclear": {"", []string{"core", "edge"}, []string{"core/src/A.sol", "edge/src/A.sol", "src/B.sol"}, []string{"core/src/A.sol", "src/B.sol"},
			map[string]string{"lcov.info": trace("src/A.sol") + trace("src/B.sol")}, "src/B.sol", "several projects have src/A.sol, and it does not say which it means"},
		"of one that did not change": {"", []string{"core", "edge"}, []string{"core/src/A.sol", "edge/src/A.sol", "edge/src/B.sol"}, []string{"core/src/A.sol", "edge/src/B.sol"},
			map[string]string{"edge/lcov.info": trace("src/A.sol") + trace("src/B.sol")}, "edge/src/B.sol", ""},
		"out of the repository": {"", nil, []string{"src/A.sol"}, []string{"src/A.sol"}, map[string]string{"lcov.info": trace("../../src/A.sol")}, "", "says nothing of the changed files, but of ../../src/A.sol: whether"},
		"no changed file": {"", nil, []string{"src/A.sol", "src/B.sol"}, []string{"src/A.sol"}, map[string]string{"lcov.info": trace("src/B.sol"), "two.info": trace("src/C.sol")}, "",
			"lcov.info and 1 more say nothing of the changed files, but of src/B.sol, src/C.sol: whether your tests reach the changed lines is not known; make it on the head, with forge coverage --report lcov or npx hardhat coverage, in the project's folder"},
		"beyond the end": {"", nil, []string{"src/A.sol", "src/B.sol"}, []string{"src/A.sol", "src/B.sol"}, map[string]string{"lcov.info": "SF:src/A.sol\nDA:1,1\nDA:4,0\nend_of_record\n" + trace("src/B.sol")}, "src/B.sol",
			"lcov.info is of other sources than those on disk: it has line 4 of src/A.sol, which has 3; what it says of such a file is not used: make it on the head"},
		"at the end":      {"", nil, []string{"src/A.sol"}, []string{"src/A.sol"}, map[string]string{"lcov.info": trace("src/A.sol") + "SF:src/A.sol\nDA:3,0\nend_of_record\n"}, "src/A.sol+3", ""},
		"put together":    {"", nil, []string{"src/A.sol"}, []string{"src/A.sol"}, map[string]string{"a.info": "SF:src/A.sol\nDA:1,0\nend_of_record\n", "b.info": trace("src/A.sol")}, "src/A.sol", ""},
		"under two names": {"", nil, []string{"src/A.sol"}, []string{"src/A.sol"}, map[string]string{"a.info": "SF:src/A.sol\nDA:1,0\nDA:2,0\nend_of_record\n" + "SF:./src/A.sol\nDA:1,3\nend_of_record\n"}, "src/A.sol", ""},
	} {
		t.Run(name, func(t *testing.T) {
			top := files.Resolve(t.TempDir())
			change := &Change{Root: filepath.Join(top, c.root), options: &Options{}, read: files.Below(top), folders: []string{"."}, Mapping: &diffmap.Mapping{}}
			if c.folders != nil {
				change.folders = c.folders
			}
			change.Paths.Checkout, change.Paths.Root = top, c.root
			log := progress.NewLog(&strings.Builder{}, func() time.Time { return time.Time{} })
			change.log = log
			for _, file := range c.sources {
				testfiles.Write(t, filepath.Join(top, file), three)
			}
			for _, file := range c.changed {
				for line := 1; line <= 3; line++ {
					change.Mapping.Lines = append(change.Mapping.Lines, diffmap.Line{Position: bytecode.Position{File: file, Line: line}})
				}
			}
			for name, text := range c.traces {
				testfiles.Write(t, filepath.Join(top, name), strings.ReplaceAll(text, "REPOSITORY", filepath.ToSlash(top)))
				change.options.Tracefiles = append(change.options.Tracefiles, filepath.Join(top, name))
			}
			slices.Sort(change.options.Tracefiles)
			if err := change.readTracefiles(); err != nil {
				t.Fatal(err)
			}
			var known []string
			counted := 0
			for _, file := range c.changed {
				at := func(line int) string { return change.TestsReach(bytecode.Position{File: file, Line: line}) }
				switch got := fmt.Sprint(at(1), at(2), at(3)); got {
				case report.TestsReach + report.TestsMiss + report.TestsUnknown:
					known = append(known, file)
				case report.TestsReach + report.TestsMiss + report.TestsMiss:
					known = append(known, file+"+3")
				case report.TestsUnknown + report.TestsUnknown + report.TestsUnknown:
				default:
					t.Errorf("%s: %s", file, got)
				}
			}
			if got := strings.Join(known, " "); got != c.known {
				t.Errorf("known %q, want %q", got, c.known)
			}
			for _, of := range change.Tracefiles() {
				counted += of.Lines
			}
			if (counted > 0) != (c.known != "") {
				t.Errorf("%d lines are counted", counted)
			}
			warnings := log.Warnings()
			if c.warning == "" && len(warnings) > 0 || c.warning != "" && (len(warnings) != 1 || !strings.Contains(warnings[0], c.warning)) {
				t.Errorf("warnings %q, want %q", warnings, c.warning)
			}
		})
	}
}

// TestNoTracefile: without one, nothing is said of tests; and one without a changed file is no fault of a change
// without code.
func TestNoTracefile(t *testing.T) {
	c := &Change{options: &Options{}}
	if got := c.TestsReach(bytecode.Position{File: "src/A.sol", Line: 1}); got != "" || c.Tracefiles() != nil {
		t.Errorf("%q, %v", got, c.Tracefiles())
	}
	dir := t.TempDir()
	testfiles.Write(t, filepath.Join(dir, "lcov.info"), trace("src/B.sol"))
	c = &Change{options: &Options{Tracefiles: []string{filepath.Join(dir, "lcov.info")}}, log: progress.NewLog(&strings.Builder{}, time.Now), read: files.Below(dir),
		Mapping: &diffmap.Mapping{Lines: []diffmap.Line{{Position: bytecode.Position{File: "src/A.sol", Line: 1}, Status: diffmap.NoBytecode}}}}
	if err := c.readTracefiles(); err != nil {
		t.Fatal(err)
	}
	if got := c.Tracefiles(); len(got) != 1 || got[0].Sources != 1 || got[0].Lines != 0 || len(c.log.Warnings()) > 0 {
		t.Errorf("%v, warnings %q", got, c.log.Warnings())
	}
}

// TestTracefileErrors name the file, the line and what is wrong, and where the line is, as bad input. No link is followed.
func TestTracefileErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"bad.info": "SF:a\nDA:x,1\n", "cut.info": "SF:a\n", "secret": "key=1\n", "folder/lcov.info": trace("src/A.sol")} {
		testfiles.Write(t, name, text)
	}
	for name, to := range map[string]string{"link.info": "secret", "linked": "folder"} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"bad.info":         `--lcov bad.info: line 2: "x" is not the number of a line: want an integer from 1 to 10000000`,
		"cut.info":         "--lcov cut.info: it ends within the section of a, which begins at line 1: it was cut short, or another program still writes it",
		"none.info":        "--lcov none.info: there is no such file; make it on the head, with forge coverage --report lcov or npx hardhat coverage",
		"none/lcov.info":   "--lcov none/lcov.info: there is no such file",
		"folder":           "--lcov folder: it is not a regular file; name the tracefile itself",
		"link.info":        "--lcov link.info: it is not a regular file; name the tracefile itself",
		"linked/lcov.info": "--lcov linked/lcov.info: linked is a symbolic link; name the tracefile itself",
	} {
		c := &Change{options: &Options{Tracefiles: []string{name}}}
		err := c.readTracefiles()
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "key") || exit.Code(err, 0) != exit.Input {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
		if places := exit.Places(err); name == "bad.info" && (len(places) != 1 || places[0].Line != 2 || places[0].File != name) {
			t.Errorf("%s: places %v", name, places)
		}
	}
}
