package compile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// ReadOptions are the options of [Read]. Zero values are the defaults.
type ReadOptions struct {
	Limits reading.Limits
	// Refuse says whether a file must not be taken for a build: it is an error then, or, with
	// Skipped, which is told of it, passed over. nil: all may be.
	Refuse  func(file string) error
	Skipped func(file string)
}

// Read reads compiler output: a file, every file of a folder and of those below
// it, or what the tools of a project's root have written. The formats are
//
//   - solc's standard-JSON output; the input of X.output.json is expected
//     next to it in X.input.json;
//   - build-infos of Hardhat 2 and 3 and of forge build --build-info;
//   - Foundry's artifacts (out/X.sol/X.json), with or without their build-info;
//   - truffle's artifacts (build/contracts/X.json).
//
// A single artifact is not enough: its source map refers to files that only
// others name. Outputs come by path, those made of artifacts last. The error is
// an [*reading.Error].
func Read(path string, options ReadOptions) ([]*Output, error) {
	l := reader{options.Limits.WithDefaults(), options.Refuse, options.Skipped}
	info, err := os.Stat(path)
	if err != nil {
		return nil, reading.Unreadable(path, err)
	}
	if !info.IsDir() {
		o, err := l.readFormat(path)
		if err != nil {
			return nil, err
		}
		return []*Output{o}, nil
	}
	for _, p := range settings.Detect(path, os.Getenv) {
		if reading.IsFolder(p.Builds) {
			return l.readFolder(p.Builds)
		}
	}
	return l.readFolder(path)
}

// reader reads within limits.
type reader struct {
	reading.Limits
	refuse  func(file string) error
	skipped func(file string)
}

// refused reports whether a file must not be taken for a build, with an error unless it is passed over.
func (l reader) refused(file string) (bool, error) {
	if l.refuse == nil {
		return false, nil
	}
	err := l.refuse(file)
	if err != nil && l.skipped != nil {
		l.skipped(file)
		return true, nil
	}
	return err != nil, err
}

// readFormat reads a file that holds a whole output.
func (l reader) readFormat(path string) (*Output, error) {
	if refused, err := l.refused(path); refused {
		return nil, err
	}
	text, err := l.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d, err := parseDocument(text)
	if err != nil {
		return nil, reading.At(path, err)
	}
	return l.readDocument(path, d, text)
}

func (l reader) readDocument(path string, d document, text []byte) (*Output, error) {
	switch d.format() {
	case formatBuildInfo:
		return l.readPair(path, d, d.answer())
	case formatInput:
		output, err := l.outputBeside(path)
		if err != nil {
			return nil, err
		}
		return l.readPair(path, d, output)
	case formatSourceIDs, formatFoundryArtifact, formatTruffleArtifact:
		return nil, &reading.Error{Origin: path, Kind: reading.ErrFormat, Problem: "one file of a build that has several",
			Remedy: "give the folder that holds them all (Foundry: out; truffle: build/contracts)"}
	}
	if d.format() != formatSolc && len(d.Errors) == 0 && !isObject(d.Sources) {
		return nil, &reading.Error{Origin: path, Kind: reading.ErrFormat,
			Problem: "neither a build-info (input and output) nor solc's standard-JSON output (sources and contracts)",
			Remedy:  "give what the compiler wrote; one contract's artifact is not enough, its build-info is"}
	}
	return l.readPair(path, d, answer{text: text})
}

// readPair reads an output with the input that the document, or the file next to it,
// holds.
func (l reader) readPair(path string, d document, output answer) (*Output, error) {
	if isNull(d.Input) {
		var err error
		if d, err = l.inputBeside(path, d); err != nil {
			return nil, err
		}
	}
	if name := language(d.Input); name != yulLanguage && !isSolidity(name) {
		return nil, notSolidity(path, name)
	}
	o, err := output.read(d.Input, path, l.Limits)
	if err != nil {
		return nil, err
	}
	// forge leaves the commit out; metadata has it.
	if version := cmp.Or(d.SolcLongVersion, d.SolcVersion); version != "" && !strings.HasPrefix(o.Compiler, version+"+") {
		o.Compiler = version
	}
	return o, nil
}

func notSolidity(path, language string) error {
	return &reading.Error{Origin: path, Kind: reading.ErrNoContracts, Problem: fmt.Sprintf("its language is %q, which cannot be mapped", reading.Shorten(language)),
		Remedy: "give the build of the Solidity sources"}
}

const (
	outputSuffix = ".output.json"
	inputSuffix  = ".input.json"
)

// inputBeside adds to the output X.output.json what its input says: X.input.json,
// which is solc's, or Hardhat 3's X.json.
func (l reader) inputBeside(path string, d document) (document, error) {
	stem, ok := strings.CutSuffix(path, outputSuffix)
	if !ok {
		return d, nil
	}
	if _, err := os.Stat(stem + inputSuffix); err == nil {
		if refused, err := l.refused(stem + inputSuffix); refused {
			return d, err
		}
		d.Input, err = l.ReadFile(stem + inputSuffix)
		return d, err
	}
	text, err := l.ReadFile(stem + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return d, err
	}
	beside, err := parseDocument(text)
	if err != nil {
		return d, reading.At(stem+".json", err)
	}
	if beside.format() == formatInput {
		if refused, err := l.refused(stem + ".json"); refused {
			return d, err
		}
		d.Input, d.SolcVersion, d.SolcLongVersion = beside.Input, beside.SolcVersion, beside.SolcLongVersion
	}
	return d, nil
}

// outputOf is the file of the output that belongs to Hardhat 3's X.json.
func outputOf(path string) string { return strings.TrimSuffix(path, ".json") + outputSuffix }

// outputBeside is the output that belongs to Hardhat 3's X.json.
func (l reader) outputBeside(path string) (output answer, err error) {
	file := outputOf(path)
	if refused, err := l.refused(file); refused {
		return output, err
	}
	text, err := l.ReadFile(file)
	if err != nil {
		return output, &reading.Error{Origin: path, Kind: reading.ErrFormat, Cause: err,
			Problem: "a build-info without its output, " + filepath.Base(file), Remedy: "build again: npx hardhat build --force"}
	}
	d, err := parseDocument(text)
	if err != nil {
		return output, reading.At(file, err)
	}
	if !isObject(d.Output) {
		return output, &reading.Error{Origin: file, Kind: reading.ErrFormat, Problem: `it has no "output"`, Remedy: "build again: npx hardhat build --force"}
	}
	return d.answer(), nil
}

// Contracts lists the contracts of several outputs, output by output, each by
// source path and name. A contract that is in two outputs is listed twice.
func Contracts(outputs []*Output) []*bytecode.Contract {
	var contracts []*bytecode.Contract
	for _, o := range outputs {
		for _, c := range o.Contracts {
			contracts = append(contracts, &c.Contract)
		}
	}
	return contracts
}

// jsonFiles lists the *.json files below root, inputs that belong to an output
// not among them, in order of path.
func (l reader) jsonFiles(root string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path != root && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if entry.Type().IsRegular() && strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, inputSuffix) {
			files = append(files, path)
		}
		if len(files) > l.Files {
			return &reading.Error{Kind: reading.ErrTooLarge, Problem: fmt.Sprintf("more than %d *.json files", l.Files),
				Remedy: "give the folder that holds the build-infos alone"}
		}
		return nil
	})
	if err != nil {
		var e *reading.Error
		if errors.As(err, &e) {
			return nil, reading.At(root, e)
		}
		return nil, reading.Unreadable(root, err)
	}
	slices.Sort(files)
	return files, nil
}
