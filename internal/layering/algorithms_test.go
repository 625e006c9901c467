package layering

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// algorithms are the functions whose comment is an algorithm of a paper, with a pointer for each of its lines, by file.
var algorithms = map[string]string{
	"fuzzer/campaign.go":           "Run",     // Algorithm 1
	"fuzzer/lookahead/analysis.go": "Analyze", // Algorithm 2
}

// pointers finds methods and fields in a line of an algorithm.
var pointers = regexp.MustCompile(`\b[A-Za-z]\w*\.[A-Za-z]\w*\b`)

// minPointers: both algorithms have more lines than that. A comment without would pass otherwise.
const minPointers = 8

// TestAlgorithmsPointAtCode: what an algorithm's lines point at is there.
func TestAlgorithmsPointAtCode(t *testing.T) {
	for path, name := range algorithms {
		comment, known := "", map[string]bool{}
		set := token.NewFileSet()
		all, err := filepath.Glob(filepath.Join(root, filepath.Dir(path), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range all {
			if strings.HasSuffix(source, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(set, source, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range tree.Decls {
				members(d, known)
				if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == name && filepath.Base(source) == filepath.Base(path) {
					comment = f.Doc.Text()
				}
			}
		}
		found := 0
		for _, line := range strings.Split(comment, "\n") {
			if !strings.HasPrefix(line, "\t") {
				continue
			}
			for _, pointer := range pointers.FindAllString(line, -1) {
				found++
				if !known[pointer] {
					t.Errorf("%s: the algorithm above %s points at %s, which is not there", path, name, pointer)
				}
			}
		}
		if found < minPointers {
			t.Errorf("%s: the algorithm above %s has %d pointers into the code, at least %d are wanted", path, name, found, minPointers)
		}
	}
}

// members adds the methods and fields of a declaration, as Type.name.
func members(d ast.Decl, known map[string]bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return
		}
		receiver := d.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		if id, ok := receiver.(*ast.Ident); ok {
			known[id.Name+"."+d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			declared, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			if of, ok := declared.Type.(*ast.StructType); ok {
				for _, field := range of.Fields.List {
					for _, id := range field.Names {
						known[declared.Name.Name+"."+id.Name] = true
					}
				}
			}
		}
	}
}
