package compile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// fixtures are the folders of testdata/builds, made by the real tools, see
// make.mjs there.
func fixtures(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join("testdata", "builds"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() != "src" {
			names = append(names, entry.Name())
		}
	}
	return names
}

func fixture(name string) string { return filepath.Join("testdata", "builds", name) }

// TestBuilds compares what is read of every fixture with a golden file.
func TestBuilds(t *testing.T) {
	for _, name := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			outputs, err := Read(fixture(name), ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			for _, o := range outputs {
				origin, err := filepath.Rel(fixture(name), o.Origin)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&text, "%s\n%s\n", filepath.ToSlash(origin), summarize(o))
			}
			golden.Check(t, "testdata/builds/"+name+".txt", text.String())
		})
	}
}

// summarize describes an output without its ASTs.
func summarize(o *Output) string {
	var text strings.Builder
	fmt.Fprintf(&text, "compiler %s\nsettings %+v\ninput %v\nobstacle %q\n", o.Compiler, o.Settings, o.Input != nil, o.Obstacle())
	for _, s := range o.Sources {
		fmt.Fprintf(&text, "source %d %s: %d bytes, AST %v, hash %v\n", s.ID, s.Path, len(s.Text), s.AST != nil, s.Keccak256 != nil)
	}
	for _, c := range o.Contracts {
		fmt.Fprintf(&text, "contract %s (%s): methods %s\n", c.QualifiedName(), c.Kind, strings.Join(methodNames(c), " "))
		if c.Deployable() {
			fmt.Fprintf(&text, "  creation: %d bytes, links %v\n", len(c.Creation.Bytes), c.Creation.Links)
			fmt.Fprintf(&text, "  runtime: %d bytes, links %v, maps to %s\n", len(c.Runtime.Bytes), c.Runtime.Links, mappedPlaces(o, c))
		}
	}
	return text.String()
}

// mappedPlaces are the files and lines on which ranges of single lines start.
func mappedPlaces(o *Output, c *Contract) string {
	places := map[string]bool{}
	for _, e := range c.RuntimeMap.Instructions(c.Runtime.Bytes) {
		i := slices.IndexFunc(o.Sources, func(s *Source) bool { return s.ID == e.File })
		if e.File < 0 || o.Sources[i].Text == nil {
			continue
		}
		text := o.Sources[i].Text
		if !bytes.Contains(text[e.Start:e.Start+e.Length], []byte("\n")) {
			places[fmt.Sprintf("%s:%d", filepath.Base(o.Sources[i].Path), 1+bytes.Count(text[:e.Start], []byte("\n")))] = true
		}
	}
	var list []string
	for place := range places {
		list = append(list, place)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestRebuiltInput compiles the inputs that were made of artifacts: the code is
// that of the artifacts.
func TestRebuiltInput(t *testing.T) {
	t.Parallel()
	for name, version := range map[string]string{
		"foundry-split": "0.8.30", "foundry-plain": "0.8.30", "foundry-two-runs": "0.8.30", "truffle": "0.5.17",
	} {
		outputs, err := Read(fixture(name), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outputs {
			again := compileAgain(t, o, compiler(t, version))
			for _, c := range o.Contracts {
				i := slices.IndexFunc(again.Contracts, func(other *Contract) bool { return other.QualifiedName() == c.QualifiedName() })
				if i < 0 {
					t.Errorf("%s: no %s", name, c.QualifiedName())
					continue
				}
				// truffle's names are not those that it gave the compiler, and its
				// metadata, whose hash is in the code, has them.
				if a := again.Contracts[i]; a.RuntimeMap.String() != c.RuntimeMap.String() ||
					name != "truffle" && !bytes.Equal(a.Runtime.Bytes, c.Runtime.Bytes) {
					t.Errorf("%s: %s differs", name, c.QualifiedName())
				}
			}
		}
	}
}

// compileAgain compiles an output's input with its own settings.
func compileAgain(t testing.TB, o *Output, c *solc.Compiler) *Output {
	t.Helper()
	text, err := debugInput(decoded(t, o.Input), attempt{}, c.Number())
	if err != nil {
		t.Fatal(err)
	}
	output, err := compileCached(t.Context(), text, c, kept(t).Cache, reading.Limits{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadSolc(text, output, "again", reading.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// TestForDebug: every fixture has lines that can be told apart in the end, each
// contract once.
func TestForDebug(t *testing.T) {
	t.Parallel()
	for _, name := range fixtures(t) {
		outputs, err := Read(fixture(name), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, o := range outputs {
			mapped, note, err := o.ForDebug(t.Context(), compilers(t), kept(t))
			if err != nil {
				t.Fatal(err)
			}
			if note != "" || mapped.Obstacle() != "" {
				t.Errorf("%s: note %q, obstacle %q", name, note, mapped.Obstacle())
			}
			for _, c := range mapped.Contracts {
				names = append(names, c.Name)
				if places := mappedPlaces(mapped, c); c.Name == "Counter" && !strings.Contains(places, "Counter.sol:10 Counter.sol:11") {
					t.Errorf("%s: Counter maps to %s", name, places)
				}
			}
		}
		slices.Sort(names)
		want := []string{"Counter", "Step"}
		if name == "foundry-two-runs" {
			want = []string{"Adder", "Counter", "Step"}
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: contracts %v", name, names)
		}
	}
}

// TestFileWithoutContract: what forge writes of a file with structs alone is no
// build of its own beside the build-info.
func TestFileWithoutContract(t *testing.T) {
	root := testfiles.Copy(t, fixture("foundry"))
	before, err := Read(root, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ast := fmt.Sprintf(`{"absolutePath":"src/Step.sol","id":7,"nodeType":"SourceUnit","nodes":[],"src":"0:10:%d"}`,
		before[0].Sources[slices.IndexFunc(before[0].Sources, func(s *Source) bool { return s.Path == "src/Step.sol" })].ID)
	testfiles.Write(t, filepath.Join(root, "out", "Step.sol", "Types.json"),
		`{"abi":[],"bytecode":{"object":"0x","linkReferences":{}},"deployedBytecode":{"object":"0x","linkReferences":{}},"ast":`+ast+`}`)
	after, err := Read(root, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(after) != len(before) || len(Contracts(after)) != len(Contracts(before)) || after[0].Obstacle() != before[0].Obstacle() {
		t.Errorf("%d outputs with %d contracts, before %d with %d", len(after), len(Contracts(after)), len(before), len(Contracts(before)))
	}
}

// TestTwoRuns: the same id means different files in two runs of forge. Without
// its cache file the artifacts themselves tell which run is theirs.
func TestTwoRuns(t *testing.T) {
	with, err := Read(fixture("foundry-two-runs"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	root := testfiles.Copy(t, fixture("foundry-two-runs"))
	if err := os.RemoveAll(filepath.Join(root, "cache")); err != nil {
		t.Fatal(err)
	}
	without, err := Read(root, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// Nor are the build-infos needed.
	if err := os.RemoveAll(filepath.Join(root, "out", "build-info")); err != nil {
		t.Fatal(err)
	}
	alone, err := Read(root, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range [][]*Output{without, alone} {
		if len(other) != len(with) {
			t.Fatalf("%d outputs, want %d", len(other), len(with))
		}
		if got, want := placesByName(other), placesByName(with); got != want {
			t.Errorf("places\n%s, want\n%s", got, want)
		}
	}
}

func placesByName(outputs []*Output) string {
	var lines []string
	for _, o := range outputs {
		for _, c := range o.Contracts {
			lines = append(lines, c.Name+" "+mappedPlaces(o, c)+"\n")
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}
