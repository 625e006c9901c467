package compile

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// truffleArtifact is build/contracts/X.json. OpenZeppelin's command-line tool
// wrote the same with other settings fields.
type truffleArtifact struct {
	ContractName        string                 `json:"contractName"`
	ABI                 json.RawMessage        `json:"abi"`
	Metadata            string                 `json:"metadata"`
	Bytecode            string                 `json:"bytecode"`
	DeployedBytecode    string                 `json:"deployedBytecode"`
	SourceMap           *string                `json:"sourceMap"`
	DeployedSourceMap   *string                `json:"deployedSourceMap"`
	ImmutableReferences map[string][]codeRange `json:"immutableReferences"`
	Source              *string                `json:"source"`
	SourcePath          string                 `json:"sourcePath"`
	AST                 json.RawMessage        `json:"ast"`
	Compiler            struct {
		Name       string           `json:"name"`
		Version    string           `json:"version"`
		EVMVersion string           `json:"evmVersion"`
		Optimizer  *json.RawMessage `json:"optimizer"`
	} `json:"compiler"`
}

// parseTruffleArtifact reads one; nil for what solc has not compiled.
func parseTruffleArtifact(file string, text []byte) (*artifact, error) {
	var raw truffleArtifact
	if err := reading.DecodeJSON(text, "", &raw); err != nil {
		return nil, reading.At(file, err)
	}
	if name := raw.Compiler.Name; name != "" && !strings.HasPrefix(name, "solc") {
		return nil, nil
	}
	ast := outermost(raw.AST)
	a := &artifact{origin: file, id: ast.file, text: raw.Source, ast: raw.AST, compiler: solc.LongVersion.FindString(raw.Compiler.Version)}
	a.contract.ABI = raw.ABI
	a.contract.EVM.Bytecode = &outputCode{Object: raw.Bytecode, SourceMap: raw.SourceMap}
	a.contract.EVM.DeployedBytecode = &outputCode{Object: raw.DeployedBytecode, SourceMap: raw.DeployedSourceMap, ImmutableReferences: raw.ImmutableReferences}
	a.readMetadata(raw.Metadata)
	if a.settings == nil {
		a.settings = raw.settings()
	}
	// The AST has the name that the compiler knew; sourcePath may be the file's.
	a.name = contractName{cmp.Or(ast.AbsolutePath, a.name.source, raw.SourcePath), raw.ContractName}
	return a, nil
}

// settings are those next to the compiler's name; nil when there are none.
func (raw *truffleArtifact) settings() json.RawMessage {
	if raw.Compiler.Optimizer == nil {
		return nil
	}
	settings := map[string]any{"optimizer": raw.Compiler.Optimizer}
	if raw.Compiler.EVMVersion != "" {
		settings["evmVersion"] = raw.Compiler.EVMVersion
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return nil // a fragment that is not JSON cannot have been decoded
	}
	return text
}

// truffleProject is what truffle 5.2 and newer write for the project's folder.
const truffleProject = "project:/"

// relativeNames makes the sources' names relative to the project: truffle gives
// the compiler absolute paths of the machine it runs on. All sources below the
// project lose the same beginning, so that relative imports mean the same.
func relativeNames(artifacts []*artifact) {
	prefix := projectPrefix(artifacts)
	if prefix == "" {
		return
	}
	for _, a := range artifacts {
		a.name.source = strings.TrimPrefix(a.name.source, prefix)
		hashes := map[string]string{}
		for name, hash := range a.hashes {
			hashes[strings.TrimPrefix(name, prefix)] = hash
		}
		a.hashes = hashes
	}
}

// projectPrefix is the folder, with its slash, that holds the contracts folder
// of all absolute names; empty when there are none.
func projectPrefix(artifacts []*artifact) string {
	var folders []string
	for _, a := range artifacts {
		name := a.name.source
		if strings.HasPrefix(name, truffleProject) {
			return truffleProject
		}
		if (strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':') && !strings.Contains(name, "/node_modules/") {
			folders = append(folders, path.Dir(name))
		}
	}
	if len(folders) == 0 {
		return ""
	}
	common := strings.Split(folders[0], "/")
	for _, folder := range folders[1:] {
		components := strings.Split(folder, "/")
		n := 0
		for n < len(common) && n < len(components) && common[n] == components[n] {
			n++
		}
		common = common[:n]
	}
	for i, component := range slices.Backward(common) {
		if component == "contracts" {
			common = common[:i]
			break
		}
	}
	if len(common) == 0 {
		return ""
	}
	return strings.Join(common, "/") + "/"
}
