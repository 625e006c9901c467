package diffmap

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testdiff"
)

// pair is a small pull request of testdata/pairs: files base/X.sol and
// head/Y.sol. The archive's comment says in a line what it is about, then behind
// "compile:" with what. The other files are what comes out, named by the builds
// that agree on it.
type pair struct {
	name     string // "ternary"
	file     string // of the archive
	archive  *txtar.Archive
	versions []string
	heads    map[string][]byte // by path in the compilation: "ternary/C.sol"
	changes  []unified.ChangedLine
}

func readPairs(t *testing.T) []pair {
	t.Helper()
	files, err := filepath.Glob("testdata/pairs/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	var list []pair
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, versions, ok := strings.Cut(string(archive.Comment), "compile: ")
		if !ok {
			t.Fatalf("%s: no compile: line", file)
		}
		p := pair{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), file: file, archive: archive,
			versions: strings.Fields(versions), heads: map[string][]byte{}}
		p.diff(t)
		list = append(list, p)
	}
	return list
}

// diff lets git compare the two trees, as it does two commits.
func (p *pair) diff(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for _, f := range p.archive.Files {
		side, name, _ := strings.Cut(f.Name, "/")
		if side != "base" && side != "head" {
			continue
		}
		if side == "head" {
			p.heads[p.name+"/"+name] = f.Data
		}
		if err := os.MkdirAll(filepath.Join(dir, side), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, side, name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	diff, err := unified.Parse(testdiff.Git(t, dir, "-M", "base", "head"), unified.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	for _, f := range diff.Files {
		f.NewPath = p.name + "/" + strings.TrimPrefix(f.NewPath, "head/")
		changes, err := f.Changes(p.heads[f.NewPath])
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		p.changes = append(p.changes, changes...)
	}
}

// TestPairsGolden maps every pair with every compiler that its forms are for, all
// pairs of a compiler in one compilation.
func TestPairsGolden(t *testing.T) {
	pairs := readPairs(t)
	got := map[string]map[string]string{} // by pair and version
	for _, version := range pairVersions(pairs) {
		sources, bases := map[string]string{}, map[string]string{}
		for _, p := range pairs {
			if !slices.Contains(p.versions, version) {
				continue
			}
			for _, f := range p.archive.Files { // the base too: it should be Solidity
				if side, name, _ := strings.Cut(f.Name, "/"); side == "base" {
					bases[path.Join(p.name, name)] = string(f.Data)
				} else if side == "head" {
					sources[path.Join(p.name, name)] = string(f.Data)
				}
			}
		}
		outputs := []*compile.Output{}
		for side, texts := range map[string]map[string]string{"base": bases, "head": sources} {
			for _, name := range slices.Sorted(maps.Keys(texts)) { // solc takes one Yul source at a time
				if path.Ext(name) != ".yul" {
					continue
				}
				o := compileYul(t, version, name, texts[name])
				if side == "head" { // the base is a build of its own, of another version
					outputs = append(outputs, o)
				}
				delete(texts, name)
			}
		}
		if len(bases) > 0 {
			checkSources(t, version, bases)
		}
		if len(sources) > 0 {
			outputs = append(outputs, compileSources(t, version, sources))
		}
		table := bytecode.NewTable(compile.Contracts(outputs))
		for _, p := range pairs {
			if !slices.Contains(p.versions, version) {
				continue
			}
			m, err := Map(outputs, table, p.changes, Options{Heads: p.heads})
			if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			if got[p.name] == nil {
				got[p.name] = map[string]string{}
			}
			got[p.name][version] = p.describe(m, outputs, table)
		}
	}
	for _, p := range pairs {
		t.Run(p.name, func(t *testing.T) { p.compare(t, got[p.name]) })
	}
}

func pairVersions(pairs []pair) []string {
	var versions []string
	for _, p := range pairs {
		versions = append(versions, p.versions...)
	}
	slices.Sort(versions)
	return slices.Compact(versions)
}

// describe prints the lines of a mapping with the sources of their entries.
func (p *pair) describe(m *Mapping, outputs []*compile.Output, table *bytecode.Table) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.heads)) {
		part := &Mapping{Targets: m.Targets}
		for _, l := range m.Lines {
			if l.Position.File == name {
				part.Lines = append(part.Lines, l)
			}
		}
		b.WriteString(targetSources(part, outputs, table, p.heads[name]))
	}
	return b.String()
}

// compare holds the answers of all versions against the archive.
func (p *pair) compare(t *testing.T, got map[string]string) {
	t.Helper()
	var files []txtar.File
	for _, f := range p.archive.Files {
		if strings.HasPrefix(f.Name, "base/") || strings.HasPrefix(f.Name, "head/") {
			files = append(files, f)
		}
	}
	var texts []string
	agree := map[string][]string{}
	for _, version := range p.versions {
		text := got[version]
		if agree[text] == nil {
			texts = append(texts, text)
		}
		agree[text] = append(agree[text], version)
	}
	for _, text := range texts {
		files = append(files, txtar.File{Name: strings.Join(agree[text], " "), Data: []byte(text)})
	}
	want := txtar.Format(p.archive)
	have := txtar.Format(&txtar.Archive{Comment: p.archive.Comment, Files: files})
	if *golden.Update {
		if err := os.WriteFile(p.file, have, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(want) != string(have) {
		t.Errorf("%s differs (go test -update rewrites it)\ngot:\n%s", p.file, have)
	}
}
