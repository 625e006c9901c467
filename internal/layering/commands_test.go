package layering

import (
	"go/ast"
	"path"
	"strings"
	"testing"
)

// shared are the files of the program that every command may use; all others belong to
// one command, named by what comes before the first underscore.
var shared = []string{"main", "program"}

// TestCommandsAreApart: the files of one command call nothing of another's. What two need
// belongs into a package below.
func TestCommandsAreApart(t *testing.T) {
	owner := map[string]string{} // of package-level names and methods, the command
	var program []*file
	for _, f := range files(t) {
		if path.Dir(f.path) != "cmd/sightline" || f.isTest() {
			continue
		}
		program = append(program, f)
		for _, d := range f.tree.Decls {
			for _, name := range declared(d) {
				owner[name] = command(f)
			}
		}
	}
	if len(program) == 0 {
		t.Fatal("cmd/sightline has no files")
	}
	for _, f := range program {
		own := command(f)
		ast.Inspect(f.tree, func(n ast.Node) bool {
			name, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			other, known := owner[name.Name]
			registers := own == "" && strings.HasSuffix(name.Name, "Command") // program.go adds all commands
			if known && other != "" && other != own && !registers {
				t.Errorf("%s:%d: %s belongs to the command %s", f.path, f.line(name), name.Name, other)
			}
			return true
		})
	}
}

// command is the command that a file belongs to; empty for a shared one.
func command(f *file) string {
	name, _, _ := strings.Cut(strings.TrimSuffix(path.Base(f.path), ".go"), "_")
	for _, s := range shared {
		if name == s {
			return ""
		}
	}
	return name
}

// declared are the names of a package-level declaration.
func declared(d ast.Decl) []string {
	var names []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		names = append(names, d.Name.Name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// The program's own code is small: the work is in the packages.
const (
	maxCommandLines = 300   // of a file of cmd
	maxProgramLines = 2_000 // of all of them
)

func TestCommandsAreSmall(t *testing.T) {
	total := 0
	for _, f := range files(t) {
		if !strings.HasPrefix(f.path, "cmd/") || f.isTest() {
			continue
		}
		total += f.lines
		if f.lines > maxCommandLines {
			t.Errorf("%s has %d lines, at most %d", f.path, f.lines, maxCommandLines)
		}
	}
	if total > maxProgramLines {
		t.Errorf("cmd has %d lines, at most %d", total, maxProgramLines)
	}
}

// maxSteps of the job: it reads on one page.
const maxSteps = 40 // lines

func TestJobFitsAPage(t *testing.T) {
	for _, f := range files(t) {
		if f.path != "internal/pipeline/run.go" {
			continue
		}
		for _, d := range f.tree.Decls {
			run, ok := d.(*ast.FuncDecl)
			if !ok || run.Name.Name != "Run" || run.Recv != nil {
				continue
			}
			if lines := f.set.Position(run.End()).Line - f.line(run) + 1; lines > maxSteps {
				t.Errorf("pipeline.Run has %d lines, at most %d", lines, maxSteps)
			}
			return
		}
	}
	t.Error("internal/pipeline/run.go has no Run")
}
