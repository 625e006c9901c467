package build

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Read reads the build at path with the default limits, see [Limits.Read].
func Read(path string) ([]*Output, error) { return Limits{}.Read(path) }

// Read reads compiler output: a file, or every file of a folder and of those
// below it that is one. A file is a build-info (input and output in one, as
// Hardhat and Foundry write it) or solc's standard-JSON output; beside
// X.output.json its input is looked for in X.input.json. Outputs come by path.
func (l Limits) Read(path string) ([]*Output, error) {
	l = l.withDefaults()
	info, err := os.Stat(path)
	if err != nil {
		return nil, &Error{Origin: path, Kind: ErrFormat, Problem: "cannot be read", Cause: err,
			Remedy: "give a file or a folder with compiler output"}
	}
	if !info.IsDir() {
		text, err := l.readFile(path)
		if err != nil {
			return nil, err
		}
		o, err := l.parse(path, text)
		if err != nil {
			return nil, err
		}
		return []*Output{o}, nil
	}
	return l.readFolder(path)
}

func (l Limits) readFolder(root string) ([]*Output, error) {
	files, err := l.jsonFiles(root)
	if err != nil {
		return nil, err
	}
	var outputs []*Output
	for _, file := range files {
		text, err := l.readFile(file)
		if err != nil {
			return nil, err
		}
		if !looksLikeOutput(text) {
			continue
		}
		o, err := l.parse(file, text)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, o)
	}
	if len(outputs) == 0 {
		return nil, &Error{Origin: root, Kind: ErrNoContracts,
			Problem: fmt.Sprintf("a folder with no contracts: none of its %d *.json files is a build-info (input and output) or solc's standard-JSON output", len(files)),
			Remedy:  "give the folder that the build wrote (Foundry: out/build-info after forge build --build-info; Hardhat: artifacts/build-info)"}
	}
	return outputs, nil
}

// jsonFiles lists the *.json files below root, inputs that belong to an output
// not among them, in order of path.
func (l Limits) jsonFiles(root string) ([]string, error) {
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
		if entry.Type().IsRegular() && strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, ".input.json") {
			files = append(files, path)
		}
		if len(files) > l.Files {
			return &Error{Kind: ErrTooLarge, Problem: fmt.Sprintf("more than %d *.json files", l.Files),
				Remedy: "give the folder that holds the build-infos alone"}
		}
		return nil
	})
	if err != nil {
		if e, ok := err.(*Error); ok {
			return nil, at(root, e)
		}
		return nil, &Error{Origin: root, Kind: ErrFormat, Problem: "cannot be read", Cause: err}
	}
	slices.Sort(files)
	return files, nil
}

func (l Limits) readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &Error{Origin: path, Kind: ErrFormat, Problem: "cannot be read", Cause: err}
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, l.FileBytes+1))
	if err != nil {
		return nil, &Error{Origin: path, Kind: ErrFormat, Problem: "cannot be read", Cause: err}
	}
	if int64(len(text)) > l.FileBytes {
		return nil, at(path, tooLarge(l))
	}
	return text, nil
}

// envelope is what tells the kinds of files apart.
type envelope struct {
	SolcVersion     string          `json:"solcVersion"`
	SolcLongVersion string          `json:"solcLongVersion"`
	Input           json.RawMessage `json:"input"`
	Output          json.RawMessage `json:"output"`
	Sources         json.RawMessage `json:"sources"`
	Contracts       json.RawMessage `json:"contracts"`
	Errors          json.RawMessage `json:"errors"`
}

// looksLikeOutput tells compiler output from other JSON files of a folder, such
// as artifacts and package descriptions. What is not JSON at all is looked at
// closer, so that a broken build is not skipped.
func looksLikeOutput(text []byte) bool {
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil {
		return !json.Valid(text)
	}
	return isObject(e.Output) || isObject(e.Contracts) && isObject(e.Sources)
}

func isObject(text json.RawMessage) bool { return len(text) > 0 && text[0] == '{' }

// parse reads one file's text.
func (l Limits) parse(path string, text []byte) (*Output, error) {
	var e envelope
	if err := decodeJSON(text, "", &e); err != nil {
		return nil, at(path, err)
	}
	switch {
	case isObject(e.Output):
		o, err := ReadSolc(e.Input, e.Output, path, l)
		if err != nil {
			return nil, err
		}
		if version := firstOf(e.SolcLongVersion, e.SolcVersion); version != "" {
			o.Compiler = version
		}
		return o, nil
	case isObject(e.Contracts) || isObject(e.Sources) || len(e.Errors) > 0:
		input, err := l.inputBeside(path)
		if err != nil {
			return nil, err
		}
		return ReadSolc(input, text, path, l)
	}
	return nil, &Error{Origin: path, Kind: ErrFormat,
		Problem: "neither a build-info (input and output) nor solc's standard-JSON output (sources and contracts)",
		Remedy:  "give what the compiler wrote; one contract's artifact is not enough, its build-info is"}
}

// inputBeside is the input that belongs to X.output.json; nil when there is none.
func (l Limits) inputBeside(path string) ([]byte, error) {
	stem, ok := strings.CutSuffix(path, ".output.json")
	if !ok {
		return nil, nil
	}
	input := stem + ".input.json"
	if _, err := os.Stat(input); err != nil {
		return nil, nil
	}
	return l.readFile(input)
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
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
