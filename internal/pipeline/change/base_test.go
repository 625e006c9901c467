package change

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/progress"
	"github.com/sightline-evm/sightline/internal/testing/testbuild"
)

// output is a build of contracts, "source:name".
func output(origin, compiler, folder string, contracts ...string) *compile.Output {
	o := &compile.Output{Origin: origin, Compiler: compiler, Folder: folder}
	for _, c := range contracts {
		source, name, _ := strings.Cut(c, ":")
		o.Contracts = append(o.Contracts, &compile.Contract{Contract: bytecode.Contract{Source: source, Name: name}})
	}
	return o
}

// TestNearestBase: the base's build with the most contracts in common, and none that has
// no contract in common.
func TestNearestBase(t *testing.T) {
	head := output("out/head.json", "0.8.30", "packages/core", "a.sol:A", "b.sol:B")
	one, both := output("one.json", "0.8.30", "", "a.sol:A"), output("both.json", "0.8.20", "", "a.sol:A", "b.sol:B")
	sameCompiler := output("compiler.json", "0.8.30", "", "a.sol:A", "b.sol:B")
	sameFolder := output("base/packages/core/out.json", "0.8.30", "", "a.sol:A", "b.sol:B")
	other := output("base/packages/core/other.json", "0.8.30", "packages/core", "c.sol:C", "b.sol:A")
	for _, c := range []struct {
		name  string
		bases []*compile.Output
		want  *compile.Output
	}{
		{"none", nil, nil},
		{"of another project", []*compile.Output{other}, nil},
		{"the only one", []*compile.Output{other, one}, one},
		{"the most contracts", []*compile.Output{one, both, other}, both},
		{"the same compiler", []*compile.Output{both, sameCompiler}, sameCompiler},
		{"the same folder", []*compile.Output{sameCompiler, sameFolder, both}, sameFolder},
		{"the first of equals", []*compile.Output{sameCompiler, output("again.json", "0.8.30", "", "a.sol:A", "b.sol:B")}, sameCompiler},
	} {
		if got := nearestBase(head, c.bases); got != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestBaseIsAskedOnce: whoever asks first, the base is built once, and what is wrong with
// its settings is a warning of the run.
func TestBaseIsAskedOnce(t *testing.T) {
	failed := errors.New("one of them does not compile")
	asked := 0
	head, base := output("head.json", "0.8.30", "", "a.sol:A"), output("base.json", "0.8.30", "", "a.sol:A")
	base.Settings.ViaIR = true
	c := &Change{log: progress.NewLog(io.Discard, time.Now), base: func(context.Context) ([]diffmap.BaseSide, error) {
		asked++
		return []diffmap.BaseSide{{Head: head, Base: base}}, failed
	}}
	for range 2 {
		sides, err := c.Base(t.Context())
		if len(sides) != 1 || !errors.Is(err, failed) {
			t.Errorf("%d sides, %v", len(sides), err)
		}
	}
	if warnings := c.log.Warnings(); asked != 1 || len(warnings) != 1 || !strings.HasPrefix(warnings[0], "head.json and base.json could not be compiled with the same settings") {
		t.Errorf("asked %d times, warnings %q", asked, warnings)
	}
}

// TestAddTexts: a base's source gets the text that fits it: as the diff, read backwards,
// or the head has it.
func TestAddTexts(t *testing.T) {
	const changed, kept, gone = "contract A {\n    uint256 a;\n}\n", "library L {\n    function f() internal {}\n}\n", "contract Gone {}\n"
	sources := map[string]string{"src/A.sol": changed, "lib/L.sol": kept, "src/Gone.sol": gone}
	base := testbuild.Compile(t, "0.8.30", sources).Output
	for _, s := range base.Sources {
		s.Text = nil
	}
	head := testbuild.Compile(t, "0.8.30", map[string]string{"src/A.sol": "contract A {\n    uint256 b;\n    uint256 a;\n}\n", "lib/L.sol": kept}).Output
	c := &Change{Root: t.TempDir(), options: &Options{}}
	texts := &diffmap.BaseSources{Texts: map[string][]byte{"src/A.sol": []byte(changed)}, Others: map[string][]byte{"src/Gone.sol": []byte(gone)}}
	if lacking := c.addTexts(base, head, texts); lacking != "" {
		t.Errorf("%s has no text", lacking)
	}
	for _, s := range base.Sources {
		if string(s.Text) != sources[s.Path] {
			t.Errorf("%s: %q", s.Path, s.Text)
		}
	}
	for _, wrong := range []string{"\n" + changed, "contract B {\n    uint256 a;\n}\n", "contract A {\n    uint256 bb;\n}\n", "contract A {", ""} {
		at := slices.IndexFunc(base.Sources, func(s *compile.Source) bool { return s.Path == "src/A.sol" })
		base.Sources[at].Text = nil
		texts.Texts["src/A.sol"] = []byte(wrong)
		if lacking := c.addTexts(base, head, texts); lacking != "src/A.sol" || base.Sources[at].Text != nil {
			t.Errorf("%q is taken for the text, or %q lacks one", wrong, lacking)
		}
	}
}

// TestNoBuild says once that a build is missing.
func TestNoBuild(t *testing.T) {
	for want, err := range map[string]error{
		"the base version of a has no build: it does not compile":                                                                      &unbuiltError{problems: []string{" of a has no build: it does not compile"}},
		"the base has no build: foundry.toml changed, and with it how the base is compiled: pass the base's own build as --base-build": &unbuiltError{unknown: []string{"foundry.toml"}},
		"the base has no build: late": errors.New("late"),
	} {
		if got := NoBuild(err).Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
