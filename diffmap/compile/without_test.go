package compile

import (
	"slices"
	"testing"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestWithout: what imports a source that is left out goes with it, if by way of others, and nothing else.
func TestWithout(t *testing.T) {
	source := func(path string, imports ...string) *Source {
		s := &Source{Path: path, AST: &Node{Type: "SourceUnit"}}
		for _, to := range imports {
			s.AST.Children = append(s.AST.Children, &Node{Type: "ImportDirective", Attributes: Attributes{{"absolutePath", to}}})
		}
		return s
	}
	o := &Output{Sources: []*Source{
		source("src/A.sol"), source("src/B.sol", "src/A.sol"), source("src/Round.sol", "test/Round.sol"),
		source("test/Base.sol", "src/B.sol"), source("test/Round.sol", "src/Round.sol", "test/Base.sol"), source("src/Other.sol"), {Path: "src/Plain.sol"},
	}}
	for _, s := range o.Sources {
		o.Contracts = append(o.Contracts, &Contract{Contract: bytecode.Contract{Source: s.Path, Name: "C"}})
	}
	for _, test := range []struct{ lacks, left, rest []string }{
		{nil, nil, []string{"src/A.sol", "src/B.sol", "src/Round.sol", "test/Base.sol", "test/Round.sol", "src/Other.sol", "src/Plain.sol"}},
		{[]string{"src/Other.sol"}, nil, []string{"src/A.sol", "src/B.sol", "src/Round.sol", "test/Base.sol", "test/Round.sol", "src/Plain.sol"}},
		{[]string{"src/A.sol"}, []string{"src/B.sol", "src/Round.sol", "test/Base.sol", "test/Round.sol"}, []string{"src/Other.sol", "src/Plain.sol"}},
		{[]string{"src/A.sol", "test/Base.sol"}, []string{"src/B.sol", "src/Round.sol", "test/Round.sol"}, []string{"src/Other.sol", "src/Plain.sol"}},
	} {
		rest, left := o.Without(func(s string) bool { return slices.Contains(test.lacks, s) })
		var sources, contracts []string
		for _, s := range rest.Sources {
			sources = append(sources, s.Path)
		}
		for _, c := range rest.Contracts {
			contracts = append(contracts, c.Source)
		}
		if !slices.Equal(left, test.left) || !slices.Equal(sources, test.rest) || !slices.Equal(contracts, test.rest) {
			t.Errorf("without %q: left %q, sources %q, contracts %q", test.lacks, left, sources, contracts)
		}
	}
	if len(o.Sources) != 7 || len(o.Contracts) != 7 {
		t.Error("the output itself has changed")
	}
}
