package layering

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the module's folder, seen from a test of this package.
const root = "../.."

// file is one Go file of the repository.
type file struct {
	path  string // relative to root
	text  []byte
	set   *token.FileSet
	tree  *ast.File
	lines int
}

// isTest reports whether only tests compile it.
func (f *file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

func (f *file) line(n ast.Node) int { return f.set.Position(n.Pos()).Line }

// files parses every Go file of the repository, for whatever platform it is.
func files(t *testing.T) []*file {
	t.Helper()
	var all []*file
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			// As the go command does, leave out hidden folders and testdata.
			if hidden := strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_"); path != root && (hidden || d.Name() == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		all = append(all, &file{filepath.ToSlash(name), text, set, tree, bytes.Count(text, []byte("\n"))})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// maxMethods of an interface: small ones, declared by whoever needs them. An
// embedded interface counts as one.
const maxMethods = 3

func TestInterfacesAreSmall(t *testing.T) {
	for _, f := range files(t) {
		ast.Inspect(f.tree, func(n ast.Node) bool {
			i, ok := n.(*ast.InterfaceType)
			if !ok {
				return true
			}
			methods := 0
			for _, field := range i.Methods.List {
				methods += max(1, len(field.Names))
			}
			if methods > maxMethods {
				t.Errorf("%s:%d: an interface of %d methods, at most %d", f.path, f.line(i), methods, maxMethods)
			}
			return true
		})
	}
}

// maxLines of a file and of main.go: a file that needs more holds more than one
// concern. Both arbitrary.
const (
	maxLines     = 700
	maxMainLines = 20
)

func TestFilesAreShort(t *testing.T) {
	for _, f := range files(t) {
		most := maxLines
		if strings.HasPrefix(f.path, "cmd/") && filepath.Base(f.path) == "main.go" {
			most = maxMainLines
		}
		if f.lines >= most {
			t.Errorf("%s has %d lines, at most %d", f.path, f.lines, most-1)
		}
	}
}

// TestNoTestPassesByNotRunning: a test that skips where a tool is missing says
// "ok" about what it did not look at. What a platform cannot do is the exception
// and is listed here.
func TestNoTestPassesByNotRunning(t *testing.T) {
	exceptions := []string{
		"diffmap/compile/solc/compiler_test.go", // changing the user needs root, and Unix
		"diffmap/compile/project/user_test.go",  // likewise
		"diffmap/git/owner_test.go",             // giving files away does, too
		"report/page/browser_test.go",           // where ./test can neither find nor install a browser, it says so and sets a variable
	}
	for _, f := range files(t) {
		if !f.isTest() || slices.Contains(exceptions, f.path) {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, s.Sel.Name) {
				if on, ok := s.X.(*ast.Ident); ok && slices.Contains([]string{"t", "b", "f", "tb"}, on.Name) {
					t.Errorf("%s:%d: the test skips: fail with what is missing and how to get it", f.path, f.line(call))
				}
			}
			return true
		})
	}
}

// TestCampaignHasNoLocks: one goroutine owns the campaign's state, workers send
// it what they found.
func TestCampaignHasNoLocks(t *testing.T) {
	for _, f := range files(t) {
		if filepath.ToSlash(filepath.Dir(f.path)) != "fuzzer" || f.isTest() {
			continue
		}
		for _, i := range f.tree.Imports {
			if path := strings.Trim(i.Path.Value, `"`); path == "sync" || path == "sync/atomic" {
				t.Errorf("%s:%d: %s in the campaign: send it to the owner instead", f.path, f.line(i), path)
			}
		}
	}
}

// maxLoopLines: the paper's Algorithm 1 fits a page, and so does ours.
const maxLoopLines = 60

func TestCampaignLoopFitsAPage(t *testing.T) {
	for _, f := range files(t) {
		if f.path != "fuzzer/campaign.go" {
			continue
		}
		for _, d := range f.tree.Decls {
			run, ok := d.(*ast.FuncDecl)
			if !ok || run.Name.Name != "Run" {
				continue
			}
			if lines := f.set.Position(run.End()).Line - f.line(run) + 1; lines > maxLoopLines {
				t.Errorf("Campaign.Run has %d lines, at most %d", lines, maxLoopLines)
			}
			return
		}
	}
	t.Error("fuzzer/campaign.go has no Run")
}
