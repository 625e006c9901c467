package compile

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/jsontext"
)

// document is a JSON file that a build tool may have written: the fields that
// tell the formats apart, undecoded.
type document struct {
	Format          string `json:"_format"`
	SolcVersion     string `json:"solcVersion"`
	SolcLongVersion string `json:"solcLongVersion"`

	// Build-infos and solc's standard JSON.
	Input     json.RawMessage `json:"input"`
	Output    json.RawMessage `json:"output"`
	Sources   json.RawMessage `json:"sources"`
	Contracts json.RawMessage `json:"contracts"`
	Errors    json.RawMessage `json:"errors"`
	SourceIDs json.RawMessage `json:"source_id_to_path"`

	// Artifacts, one contract each.
	ABI          json.RawMessage `json:"abi"`
	Bytecode     json.RawMessage `json:"bytecode"`
	ContractName json.RawMessage `json:"contractName"`
	SourceMap    json.RawMessage `json:"sourceMap"`
	AST          json.RawMessage `json:"ast"`
	SourcePath   json.RawMessage `json:"sourcePath"`

	decoded *standardOutput // what Output says, where it has been read already
}

// format is what kind of file a document is.
type format int

const (
	formatOther format = iota
	// formatBuildInfo holds input and output: Hardhat 2, forge --build-info.
	formatBuildInfo
	// formatInput is Hardhat 3's build-info, whose output is in the file next to it.
	formatInput
	// formatSolc is solc's standard-JSON output.
	formatSolc
	// formatSourceIDs is forge's build-info without --build-info: source ids only,
	// the rest is in the artifacts.
	formatSourceIDs
	formatFoundryArtifact
	formatTruffleArtifact
)

// hardhat3Input is the _format of a Hardhat 3 build-info. The number after it is its
// version.
const hardhat3Input = "hh3-sol-build-info-"

// parseDocument reads the outermost level of a file. What is undecoded may be a part of text.
func parseDocument(text []byte) (document, error) {
	if d, ok := quickDocument(text); ok {
		return d, nil
	}
	var d document
	err := reading.DecodeJSON(text, "", &d)
	return d, err
}

// answer is the output of a build-info.
func (d *document) answer() answer { return answer{d.Output, d.decoded} }

func isObject(text json.RawMessage) bool { return len(text) > 0 && text[0] == '{' }

func isString(text json.RawMessage) bool { return len(text) > 0 && text[0] == '"' }

func (d *document) format() format {
	switch {
	case isObject(d.Output):
		return formatBuildInfo
	case strings.HasPrefix(d.Format, hardhat3Input) && isObject(d.Input):
		return formatInput
	case isObject(d.Contracts) && isObject(d.Sources):
		return formatSolc
	case isObject(d.SourceIDs):
		return formatSourceIDs
	case len(d.ABI) > 0 && isObject(d.Bytecode):
		return formatFoundryArtifact
	case len(d.ABI) > 0 && isString(d.Bytecode) && isString(d.ContractName) && (isString(d.SourcePath) || isString(d.SourceMap) && isObject(d.AST)):
		return formatTruffleArtifact
	}
	return formatOther
}

// language is the input's; empty when it says none.
func language(input json.RawMessage) string {
	if fields, ok := jsontext.Fields(input, "language"); ok {
		name, _ := jsontext.String(fields[0])
		return name
	}
	var in struct {
		Language string `json:"language"`
	}
	if json.Unmarshal(input, &in) != nil {
		return ""
	}
	return in.Language
}

// isSolidity reports whether a build can be mapped by its language. Foundry's
// folders may hold Vyper's output too, which has neither this AST nor these source
// maps, and that of Yul sources, which is not enough by itself: its source maps
// are about a text that solc printed (0.8.30), or there are no sources in the
// output (before). With their input they are compiled again, see [mapYul].
func isSolidity(language string) bool {
	return language == "" || language == "Solidity" || language == "SolidityAST"
}

// isNull reports whether a field is absent or null.
func isNull(text json.RawMessage) bool {
	return len(text) == 0 || bytes.Equal(text, []byte("null"))
}
