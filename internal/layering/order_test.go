package layering

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ordered are packages whose doc.go lists their files in an order: code calls what is further down, and nothing further
// up. Each has the exceptions, "caller.go → callee.go".
var ordered = map[string][]string{
	"diffmap": {
		"artifact.go → sourcetree.go", // what a node is
		"message.go → sourcetree.go",
		"status.go → targets.go", // a line of the mapping that is judged
		"status.go → yul.go",     // what differs for another language
	},
	"fuzzer":       {},
	"fuzzer/world": {},
	"report":       {},
}

// maxExceptions bounds them, for each package: an order with more is none.
const maxExceptions = 10

// TestOrder: reading a package from the top down, a reader meets callers before what they call.
func TestOrder(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(ordered)) {
		exceptions := ordered[name]
		if len(exceptions) > maxExceptions {
			t.Errorf("%s has %d exceptions, at most %d", name, len(exceptions), maxExceptions)
		}
		place := placesOf(t, filepath.Join(root, name, "doc.go"))
		calls, files := callsBetween(t, name)
		for _, file := range files {
			if _, ok := place[file]; !ok && file != "doc.go" {
				t.Errorf("%s/doc.go does not list %s", name, file)
			}
		}
		for file := range place {
			if !slices.Contains(files, file) {
				t.Errorf("%s/doc.go lists %s, which is not there", name, file)
			}
		}
		used := map[string]bool{}
		for _, call := range slices.Sorted(maps.Keys(calls)) {
			from, to, _ := strings.Cut(call, " → ")
			switch {
			case place[from] < place[to]:
			case slices.Contains(exceptions, call):
				used[call] = true
			default:
				t.Errorf("%s: %s, which doc.go lists before it: %s", name, call, calls[call])
			}
		}
		for _, call := range exceptions {
			if !used[call] {
				t.Errorf("%s: no exception is needed for %s", name, call)
			}
		}
	}
}

// fileNames finds the names of files at the beginning of an indented line of a doc comment.
var fileNames = regexp.MustCompile(`(?m)^//\t((?:\w+\.go(?:, )?)+)`)

// placesOf are the files that a doc.go lists, with their places in its order.
func placesOf(t *testing.T, doc string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]int{}
	for _, match := range fileNames.FindAllStringSubmatch(string(text), -1) {
		for _, file := range strings.Split(strings.TrimSuffix(match[1], ", "), ", ") {
			if _, twice := place[file]; twice {
				t.Errorf("%s lists %s twice", doc, file)
			}
			place[file] = len(place)
		}
	}
	return place
}

// callsBetween type-checks a package, and lists its files, and which call functions and methods of which others, each with
// one that does.
func callsBetween(t *testing.T, name string) (calls map[string]string, files []string) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles", "./"+name)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports := map[string]string{}
	var dir string
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Export, Dir string
			GoFiles                 []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		dir, files = p.Dir, p.GoFiles // the package itself comes last
	}
	set := token.NewFileSet()
	var syntax []*ast.File
	for _, file := range files {
		f, err := parser.ParseFile(set, filepath.Join(dir, file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		syntax = append(syntax, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	pkg, err := config.Check(module+"/"+name, set, syntax, &info)
	if err != nil {
		t.Fatal(err)
	}
	calls = map[string]string{}
	for i, f := range syntax {
		for _, declaration := range f.Decls {
			caller, ok := declaration.(*ast.FuncDecl)
			if !ok || caller.Body == nil {
				continue
			}
			ast.Inspect(caller.Body, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				callee, ok := info.Uses[id].(*types.Func)
				if !ok || callee.Pkg() != pkg {
					return true
				}
				if receiver := callee.Signature().Recv(); receiver != nil && types.IsInterface(receiver.Type()) {
					return true // who implements it is anywhere
				}
				if to := filepath.Base(set.Position(callee.Pos()).Filename); to != files[i] {
					calls[files[i]+" → "+to] = fmt.Sprintf("%s calls %s", caller.Name.Name, callee.Name())
				}
				return true
			})
		}
	}
	return calls, files
}
