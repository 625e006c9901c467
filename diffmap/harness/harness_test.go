package harness_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/harness"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestWrite writes harnesses for the declarations that the archives in testdata name ("want"), with
// each of the compilers ("solc"), which have to take them: what they refuse is written again, with
// less. The results are golden files.
func TestWrite(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range archives {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		settings := map[string][]string{}
		for _, line := range strings.Split(string(archive.Comment), "\n") {
			key, value, _ := strings.Cut(line, ": ")
			settings[key] = strings.Fields(value)
		}
		sources := map[string]string{}
		for _, f := range archive.Files {
			sources[f.Name] = string(f.Data)
		}
		for _, version := range settings["solc"] {
			name := strings.TrimSuffix(file, ".txtar") + "-" + version
			t.Run(filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				o := testbuild.Compile(t, version, sources).Output
				o.Compiler = version
				golden.Check(t, filepath.ToSlash(name)+".golden", written(t, o, settings["want"]))
			})
		}
	}
}

// declarations lists the declarations of some names.
func declarations(o *compile.Output, names []string) []*compile.Node {
	var nodes []*compile.Node
	for _, s := range o.Sources {
		s.AST.Walk(func(n *compile.Node) bool {
			if slices.Contains(names, n.Attribute("name")) && n.Type == "ContractDefinition" {
				nodes = append(nodes, n.Children...)
			}
			if slices.Contains(names, n.Attribute("name")) && (n.Type == "FunctionDefinition" || n.Type == "ModifierDefinition" || n.Type == "VariableDeclaration" && n.Attributes.Get("constant") == true) {
				nodes = append(nodes, n)
			}
			return n.Type == "SourceUnit" || n.Type == "ContractDefinition"
		})
	}
	return slices.DeleteFunc(nodes, func(n *compile.Node) bool {
		return n.Type != "FunctionDefinition" && n.Type != "ModifierDefinition" && n.Type != "VariableDeclaration"
	})
}

// written is the text that a compiler takes, and what became of what was wanted.
func written(t *testing.T, o *compile.Output, wanted []string) string {
	t.Helper()
	version, err := solc.ParseVersion(o.Compiler)
	if err != nil {
		t.Fatal(err)
	}
	modules := testfiles.NodeModules(t)
	compilers := solc.Options{NodeModules: []string{modules}, Cache: filepath.Join(modules, "..", "..", "testbuild")}
	h := harness.Write(o, declarations(o, wanted), version)
	for {
		text := h.Source()
		again, err := o.Extend(t.Context(), harness.Folder+"/Harness.sol", text, false, compilers, compile.DebugOptions{Cache: compilers.Cache})
		var refused *compile.RefusedError
		if errors.As(err, &refused) {
			for _, r := range refused.Refusals {
				if !h.Reject(r.At, r.Message) {
					t.Fatalf("%s, which is nothing that may go, of\n%s", r.Message, text)
				}
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, c := range again.Mapped.Contracts {
			if !c.Generated || !c.Deployable() {
				t.Errorf("%s is not a contract of ours that can be deployed", c.UnitName())
			}
		}
		return string(text) + "\n" + described(h)
	}
}

// described is the result as text.
func described(h *harness.Harness) string {
	var b strings.Builder
	for _, c := range h.Contracts() {
		fmt.Fprintf(&b, "%q calls %s of %s: %s\n", c.Name, c.Of, c.Source, strings.Join(c.Wrapped, " "))
		for _, m := range c.Missing {
			fmt.Fprintf(&b, "  without %s: %s\n", m.Name, m.Reason)
		}
	}
	return b.String()
}
