package compile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
)

// readFolder reads every build below root.
func (l reader) readFolder(root string) ([]*Output, error) {
	files, err := l.jsonFiles(root)
	if err != nil {
		return nil, err
	}
	var outputs []*Output
	var rest []string // files of builds that have several
	for _, file := range files {
		text, err := l.ReadFile(file)
		if err != nil {
			return nil, err
		}
		d, err := parseDocument(text)
		broken := errors.Is(err, reading.ErrSyntax)
		if !broken && (err != nil || d.format() == formatOther) {
			continue
		}
		refused, not := l.refused(file)
		switch {
		case not != nil:
			return nil, not
		case refused:
			continue
		case broken: // a build must not be missing because its file is
			return nil, reading.At(file, err)
		}
		switch d.format() {
		case formatSourceIDs, formatFoundryArtifact, formatTruffleArtifact:
			rest = append(rest, file)
			continue
		case formatInput:
			if _, err := os.Stat(outputOf(file)); err == nil {
				continue // it is read with its output
			}
		}
		o, err := l.readDocument(file, d, text)
		if errors.Is(err, reading.ErrNoContracts) { // of another language, or of structs alone
			continue
		}
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, o)
	}
	more, err := l.readArtifacts(root, rest, outputs)
	if err != nil {
		return nil, err
	}
	if outputs = append(outputs, more...); len(outputs) == 0 {
		seen := "there is no *.json file in it"
		if len(files) > 0 {
			seen = fmt.Sprintf("of its *.json files, %d in all, none is a build-info (input and output) or solc's standard-JSON output", len(files))
		}
		return nil, &reading.Error{Origin: root, Kind: reading.ErrNoContracts, Problem: "a folder with no contracts: " + seen,
			Remedy: "give the folder that the build wrote (Foundry: out; Hardhat: artifacts/build-info; truffle: build/contracts)"}
	}
	return outputs, nil
}

// readArtifacts reads builds that have a file for each contract: Foundry's and
// truffle's. Foundry's artifacts whose contracts a build-info holds as well, which is then
// among outputs, are left out.
func (l reader) readArtifacts(root string, files []string, outputs []*Output) ([]*Output, error) {
	held := holding{map[contractName]bool{}, map[string]bool{}}
	for _, o := range outputs {
		for _, c := range o.Contracts {
			held.contracts[contractName{c.Source, c.Name}] = true
		}
		for _, s := range o.Sources {
			held.sources[s.Path] = true
		}
	}
	set, err := l.collectArtifacts(files, held)
	if err != nil {
		return nil, err
	}
	project := foundryProjectOf(root)
	set.attribute(project, l.foundryRuns(project))
	runs, err := groupArtifacts(set.runs, set.foundry)
	if err != nil {
		return nil, err
	}
	var locate func(string) ([]byte, error)
	if len(set.foundry) > 0 {
		if locate, err = sources.Reader(project.root, solc.Options{Limits: l.Limits}); err != nil {
			return nil, err
		}
	}
	var more []*Output
	for _, r := range runs {
		o, err := r.output(l.Limits, locate)
		if err != nil {
			return nil, err
		}
		o.Origin = root
		more = append(more, o)
	}
	relativeNames(set.truffle)
	if runs, err = groupArtifacts(nil, set.truffle); err != nil {
		return nil, err
	}
	for _, r := range runs {
		o, err := r.output(l.Limits, nil)
		if err != nil {
			return nil, err
		}
		o.Origin = root
		more = append(more, o)
	}
	return more, nil
}

// artifactSet holds the artifacts of a folder.
type artifactSet struct {
	runs             []*compilerRun // that files name
	foundry, truffle []*artifact
}

// holding is what builds have already.
type holding struct {
	contracts map[contractName]bool
	sources   map[string]bool
}

// has reports whether an artifact adds nothing. forge writes one for a source that
// has no contract, for its AST: without code and without metadata.
func (h holding) has(a *artifact) bool {
	return h.contracts[a.name] || len(a.contract.Metadata) == 0 && h.sources[a.name.source]
}

// collectArtifacts reads the files, except what is held already.
func (l reader) collectArtifacts(files []string, held holding) (artifactSet, error) {
	var set artifactSet
	var total int64
	for _, file := range files {
		text, err := l.ReadFile(file)
		if err != nil {
			return set, err
		}
		if total += int64(len(text)); total > l.FolderBytes {
			return set, &reading.Error{Origin: file, Kind: reading.ErrTooLarge, Problem: "the artifacts of this folder are together larger than " + reading.SizeText(l.FolderBytes),
				Remedy: "give a build-info (forge build --build-info)"}
		}
		d, err := parseDocument(text)
		if err != nil {
			return set, reading.At(file, err)
		}
		if err := set.add(file, d.format(), text, held); err != nil {
			return set, err
		}
	}
	return set, nil
}

func (set *artifactSet) add(file string, format format, text []byte, held holding) error {
	switch format {
	case formatSourceIDs:
		r, err := parseSourceIDs(file, text)
		if err == nil && r != nil {
			set.runs = append(set.runs, r)
		}
		return err
	case formatFoundryArtifact:
		a, err := parseFoundryArtifact(file, text)
		if err == nil && a != nil && !held.has(a) {
			set.foundry = append(set.foundry, a)
		}
		return err
	case formatTruffleArtifact:
		a, err := parseTruffleArtifact(file, text)
		if err == nil && a != nil {
			set.truffle = append(set.truffle, a)
		}
		return err
	}
	return nil // another process writes the folder
}

// attribute notes the run that made each of Foundry's artifacts, as far as the
// cache file knows it and its build-info is there.
func (set *artifactSet) attribute(project *foundryProject, made map[string]string) {
	known := map[string]bool{}
	for _, r := range set.runs {
		known[r.id] = true
	}
	for _, a := range set.foundry {
		absolute, err := filepath.Abs(a.origin)
		if err != nil {
			continue
		}
		relative, err := filepath.Rel(project.out, absolute)
		if err != nil {
			continue
		}
		if id := made[filepath.ToSlash(relative)]; known[id] {
			a.run = id
		}
	}
}
