package compile

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
	"github.com/sightline-evm/sightline/diffmap/solidity"
)

// artifact is one contract as Foundry and truffle keep it: a file each, with
// the source ids of the compiler run that made it.
type artifact struct {
	origin   string // its file
	name     contractName
	id       int     // of its source; −1 when unknown
	text     *string // of its source; nil when the file does not hold it
	ast      json.RawMessage
	contract outputContract
	compiler string
	settings json.RawMessage   // of its metadata, as an input's; nil when unknown
	hashes   map[string]string // of the sources it depends on, from its metadata
	run      string            // the id of the run that made it; empty when unknown
}

// readMetadata takes over what an artifact's metadata says. Files that tools
// have not written themselves may hold anything: what cannot be read is unknown.
func (a *artifact) readMetadata(text string) {
	var m struct {
		Compiler struct {
			Version string `json:"version"`
		} `json:"compiler"`
		Settings map[string]json.RawMessage `json:"settings"`
		Sources  map[string]struct {
			Keccak256 string `json:"keccak256"`
		} `json:"sources"`
	}
	if json.Unmarshal([]byte(text), &m) != nil {
		return
	}
	a.contract.Metadata, _ = json.Marshal(text)
	a.compiler = cmp.Or(m.Compiler.Version, a.compiler)
	var target map[string]string
	if json.Unmarshal(m.Settings["compilationTarget"], &target) == nil && len(target) == 1 {
		for source, contract := range target {
			a.name = contractName{source, contract}
		}
	}
	if m.Settings != nil {
		// What an input has no such setting for, or in another form.
		delete(m.Settings, "compilationTarget")
		delete(m.Settings, "libraries")
		a.settings, _ = json.Marshal(m.Settings)
	}
	a.hashes = map[string]string{}
	for path, source := range m.Sources {
		a.hashes[path] = strings.TrimPrefix(source.Keccak256, "0x")
	}
}

// compilerRun collects the artifacts that one run of the compiler has made.
type compilerRun struct {
	id        string // empty for a run that no file names
	compiler  string
	settings  json.RawMessage
	paths     map[int]string
	ids       map[string]int
	closed    bool // paths holds every source of the run
	texts     map[string]string
	asts      map[string]json.RawMessage
	artifacts []*artifact
	names     map[contractName]bool
}

func newRun(id string) *compilerRun {
	return &compilerRun{id: id, paths: map[int]string{}, ids: map[string]int{}, texts: map[string]string{},
		asts: map[string]json.RawMessage{}, names: map[contractName]bool{}}
}

// takes reports whether the artifact can be of this run: source ids mean the same
// files in both, and nothing else disagrees.
func (r *compilerRun) takes(a *artifact) bool {
	if r.names[a.name] || a.run != "" && a.run != r.id {
		return false
	}
	if len(r.artifacts) > 0 && (r.compiler != a.compiler || !bytes.Equal(r.settings, a.settings)) {
		return false
	}
	path, taken := r.paths[a.id]
	id, known := r.ids[a.name.source]
	if taken && path != a.name.source || known && id != a.id || r.closed && !taken {
		return false
	}
	if text, known := r.texts[a.name.source]; known && a.text != nil && text != *a.text {
		return false
	}
	if a.run != "" {
		return true
	}
	for path, hash := range a.hashes {
		if _, known := r.ids[path]; r.closed && !known {
			return false
		}
		if text, known := r.texts[path]; known && hash != keccak(text) {
			return false
		}
	}
	return !r.closed || r.maps(a)
}

// maps reports whether the artifact's source maps refer to the sources that it
// depends on, as far as its metadata tells these.
func (r *compilerRun) maps(a *artifact) bool {
	if len(a.hashes) == 0 {
		return true
	}
	for _, code := range []*outputCode{a.contract.EVM.Bytecode, a.contract.EVM.DeployedBytecode} {
		if code == nil || code.SourceMap == nil {
			continue
		}
		entries, err := ParseSourceMap(*code.SourceMap)
		if err != nil {
			continue // reported where the map is read
		}
		for i := range entries {
			if path, known := r.paths[entries.At(i).File]; known && a.hashes[path] == "" {
				return false
			}
		}
	}
	return true
}

func keccak(text string) string { return hex.EncodeToString(crypto.Keccak256([]byte(text))) }

func (r *compilerRun) add(a *artifact) {
	r.compiler, r.settings = a.compiler, a.settings
	r.paths[a.id], r.ids[a.name.source] = a.name.source, a.id
	if a.text != nil {
		r.texts[a.name.source] = *a.text
	}
	if isObject(a.ast) {
		r.asts[a.name.source] = a.ast
	}
	r.names[a.name] = true
	r.artifacts = append(r.artifacts, a)
}

// groupArtifacts divides artifacts into runs: each joins the first that takes
// it. runs are those that files name; more are made as they are needed.
func groupArtifacts(runs []*compilerRun, artifacts []*artifact) ([]*compilerRun, error) {
	for _, a := range artifacts {
		if a.id < 0 {
			return nil, &reading.Error{Origin: a.origin, Kind: ErrNoAST, Problem: "nothing says which number its source has in source maps: it has neither an id nor an AST",
				Remedy: "build again with the AST (foundry.toml: ast = true)"}
		}
		i := slices.IndexFunc(runs, func(r *compilerRun) bool { return r.takes(a) })
		if i < 0 {
			if len(runs) >= maxRuns {
				return nil, &reading.Error{Origin: a.origin, Kind: reading.ErrTooLarge,
					Problem: fmt.Sprintf("the folder's artifacts are of more than %d compiler runs", maxRuns), Remedy: "remove the folder and build again"}
			}
			i = len(runs)
			runs = append(runs, newRun(""))
		}
		runs[i].add(a)
	}
	return slices.DeleteFunc(runs, func(r *compilerRun) bool { return len(r.artifacts) == 0 }), nil
}

// maxRuns bounds the compiler runs of a folder's artifacts: each artifact is
// held against each run. Real folders have some ten; the bound is arbitrary.
const maxRuns = 200

// output makes an output of a run. locate finds the texts of sources that are
// not in the artifacts; nil when there is nowhere to look.
func (r *compilerRun) output(limits reading.Limits, locate func(name string) ([]byte, error)) (*Output, error) {
	c := compilation{out: standardOutput{Sources: map[string]outputSource{}, Contracts: map[string]map[string]outputContract{}}}
	for id, path := range r.paths {
		c.out.Sources[path] = outputSource{ID: &id, AST: r.asts[path]}
	}
	for _, a := range r.artifacts {
		if c.out.Contracts[a.name.source] == nil {
			c.out.Contracts[a.name.source] = map[string]outputContract{}
		}
		c.out.Contracts[a.name.source][a.name.contract] = a.contract
	}
	if len(r.settings) > 0 && json.Unmarshal(r.settings, &c.in.Settings) == nil {
		c.settings = true
	}
	texts := r.sourceTexts(locate, c.in.Settings.Remappings)
	c.in.Sources = map[string]inputSource{}
	for path, text := range texts.found {
		c.in.Sources[path] = inputSource{Content: &text}
	}
	if len(texts.missing) == 0 && c.settings {
		c.input = rebuiltInput(texts.found, r.settings)
	}
	o, err := c.output(limits)
	if errors.Is(err, ErrNoAST) && len(texts.missing) > 0 {
		return nil, texts.cannotCompile(err)
	}
	if err != nil {
		return nil, reading.At(r.artifacts[0].origin, err)
	}
	o.Compiler = r.compiler
	if !r.closed {
		r.forgetForeign(o, texts)
	}
	return o, nil
}

// forgetForeign takes the file from source map entries that lead to a source
// that the contract does not import. A run whose ids are known from artifacts
// alone may lack some; an artifact of another run may then have the id.
func (r *compilerRun) forgetForeign(o *Output, texts runTexts) {
	for _, c := range o.Contracts {
		own := texts.closure(c.Source)
		for _, m := range []SourceMap{c.CreationMap, c.RuntimeMap} {
			for i := range m {
				if file := m.At(i).File; file >= 0 && !own[r.paths[file]] {
					m[i].file = -1
				}
			}
		}
	}
}

// rebuiltInput is the standard-JSON input of the texts with a metadata's
// settings.
func rebuiltInput(texts map[string]string, settings json.RawMessage) json.RawMessage {
	sources := map[string]map[string]string{}
	for path, text := range texts {
		sources[path] = map[string]string{"content": text}
	}
	input, err := json.Marshal(map[string]any{"language": "Solidity", "sources": sources, "settings": settings})
	if err != nil {
		panic(err) // strings, and settings that were decoded before
	}
	return input
}

// runTexts are the texts of a run's sources and of what these import.
type runTexts struct {
	found     map[string]string
	imports   map[string][]string
	missing   []string
	differing []string // those of missing that are there with other texts
}

// cannotCompile is the error for a run without ASTs, whose sources are not there
// to be compiled again. cause is what else could be done.
func (t runTexts) cannotCompile(cause error) error {
	e := &reading.Error{Place: t.missing[0], Kind: ErrNoAST, Cause: cause,
		Problem: "the artifacts have no AST, and the source to compile again was not found", Remedy: remedyAST}
	if len(t.differing) > 0 {
		e.Place, e.Kind = t.differing[0], ErrStale
		e.Problem = "the source does not match the build, which has no AST"
		e.Remedy = "build again, or give the build of this checkout"
	}
	return e
}

// closure is a source with everything it imports.
func (t runTexts) closure(name string) map[string]bool {
	own := map[string]bool{name: true}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		for _, imported := range t.imports[queue[0]] {
			if !own[imported] {
				own[imported] = true
				queue = append(queue, imported)
			}
		}
	}
	return own
}

// sourceTexts collects the texts that the run's contracts were compiled from. A
// text from elsewhere counts only when its hash is that of the metadata, where
// this holds one.
func (r *compilerRun) sourceTexts(locate func(name string) ([]byte, error), remapped []string) runTexts {
	remappings := parseRemappings(remapped)
	hashes := map[string]string{}
	for _, a := range r.artifacts {
		maps.Copy(hashes, a.hashes)
	}
	texts := runTexts{found: map[string]string{}, imports: map[string][]string{}}
	seen := map[string]bool{}
	var queue []string
	for _, a := range r.artifacts {
		queue = append(queue, a.name.source)
	}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		text, ok := r.texts[name]
		if !ok && locate != nil {
			found, err := locate(name)
			text = string(found)
			ok = err == nil && (hashes[name] == "" || hashes[name] == keccak(text))
			if err == nil && !ok {
				texts.differing = append(texts.differing, name)
			}
		}
		if !ok {
			texts.missing = append(texts.missing, name)
			continue
		}
		texts.found[name] = text
		for _, imported := range solidity.Imports([]byte(text)) {
			other := sources.UnitName(remappings, imported.Path, name)
			texts.imports[name] = append(texts.imports[name], other)
			queue = append(queue, other)
		}
	}
	return texts
}
