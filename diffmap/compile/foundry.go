package compile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/settings"
)

// foundryArtifact is out/X.sol/X.json.
type foundryArtifact struct {
	ABI              json.RawMessage `json:"abi"`
	Bytecode         *outputCode     `json:"bytecode"`
	DeployedBytecode *outputCode     `json:"deployedBytecode"`
	RawMetadata      string          `json:"rawMetadata"`
	Metadata         json.RawMessage `json:"metadata"` // the same, decoded; older forge writes it alone
	StorageLayout    json.RawMessage `json:"storageLayout"`
	AST              json.RawMessage `json:"ast"`
	ID               *int            `json:"id"` // of its source
}

// parseFoundryArtifact reads one; nil for what solc has not compiled.
func parseFoundryArtifact(file string, text []byte) (*artifact, error) {
	raw, ok := quickFoundryArtifact(text)
	if !ok {
		raw = foundryArtifact{}
		if err := reading.DecodeJSON(text, "", &raw); err != nil {
			return nil, reading.At(file, err)
		}
	}
	a := &artifact{origin: file, id: -1, ast: raw.AST}
	a.contract.ABI, a.contract.StorageLayout = raw.ABI, raw.StorageLayout
	a.contract.EVM.Bytecode, a.contract.EVM.DeployedBytecode = raw.Bytecode, raw.DeployedBytecode
	metadata := raw.RawMetadata
	if metadata == "" && isObject(raw.Metadata) {
		metadata = string(raw.Metadata)
	}
	a.readMetadata(metadata)
	ast := outermost(raw.AST)
	if a.name.contract == "" {
		// Without metadata the file is named by the contract, and by version and
		// profile where there are several: "Vault.0.8.30.json".
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		a.name = contractName{ast.AbsolutePath, name}
	}
	if a.name.source == "" {
		return nil, nil // Vyper's, or of a contract that was linked by hand
	}
	a.id = ast.file
	if raw.ID != nil && *raw.ID >= 0 {
		a.id = *raw.ID
	}
	return a, nil
}

// outermostNode is what is read of an AST before it is parsed.
type outermostNode struct {
	AbsolutePath string `json:"absolutePath"`
	Src          string `json:"src"`
	Attributes   struct {
		AbsolutePath string `json:"absolutePath"`
	} `json:"attributes"`
	Children []struct {
		Src string `json:"src"`
	} `json:"children"`
	file int // −1 when unknown
}

func outermost(ast json.RawMessage) outermostNode {
	n, ok := quickOutermost(ast)
	if !ok {
		n = outermostNode{}
		if json.Unmarshal(ast, &n) != nil {
			return outermostNode{file: -1}
		}
	}
	n.file = -1
	// The old form: attributes apart, and before 0.4.12 none of the source's own.
	n.AbsolutePath = cmp.Or(n.AbsolutePath, n.Attributes.AbsolutePath)
	if n.Src == "" && len(n.Children) > 0 {
		n.Src = n.Children[0].Src
	}
	if _, _, file, err := parseRange(n.Src); err == nil {
		n.file = file
	}
	return n
}

// parseSourceIDs reads the build-info that forge writes without --build-info:
// the source ids of one compiler run. It is nil for other languages' runs.
func parseSourceIDs(file string, text []byte) (*compilerRun, error) {
	var raw struct {
		ID       string            `json:"id"`
		Paths    map[string]string `json:"source_id_to_path"`
		Language string            `json:"language"`
	}
	if err := reading.DecodeJSON(text, "", &raw); err != nil {
		return nil, reading.At(file, err)
	}
	if !isSolidity(raw.Language) {
		return nil, nil
	}
	r := newRun(cmp.Or(raw.ID, strings.TrimSuffix(filepath.Base(file), ".json")))
	r.closed = true
	for digits, path := range raw.Paths {
		id, err := strconv.ParseUint(digits, 10, offsetBits)
		if err != nil {
			return nil, &reading.Error{Origin: file, Kind: reading.ErrFormat, Problem: fmt.Sprintf("%q is not a source id", reading.Shorten(digits)), Remedy: "give the file as forge wrote it"}
		}
		if other, twice := r.ids[path]; twice {
			return nil, &reading.Error{Origin: file, Kind: reading.ErrFormat, Problem: fmt.Sprintf("%s has the source ids %d and %d", reading.Shorten(path), other, id), Remedy: "give the file as forge wrote it"}
		}
		r.paths[int(id)], r.ids[path] = path, int(id)
	}
	return r, nil
}

// foundryRuns reads which run made which artifact, by the artifact's path below
// the out folder, from forge's cache file. Without it the artifacts' own source
// ids must do.
func (l reader) foundryRuns(project *foundryProject) map[string]string {
	text, err := l.ReadFile(project.cacheFile)
	if err != nil {
		return nil
	}
	var cache struct {
		Files map[string]struct {
			// By contract, version and profile. Before forge 1.0 a path stood in the
			// place of the profiles.
			Artifacts map[string]map[string]json.RawMessage `json:"artifacts"`
		} `json:"files"`
	}
	if json.Unmarshal(text, &cache) != nil {
		return nil
	}
	runs := map[string]string{}
	for _, file := range cache.Files {
		for _, versions := range file.Artifacts {
			for _, profiles := range versions {
				var made map[string]struct {
					Path    string `json:"path"`
					BuildID string `json:"build_id"`
				}
				if json.Unmarshal(profiles, &made) != nil {
					continue
				}
				for _, m := range made {
					runs[filepath.ToSlash(filepath.Clean(m.Path))] = m.BuildID
				}
			}
		}
	}
	return runs
}

// foundryProject is what artifacts need of the project they belong to.
type foundryProject struct {
	root      string
	out       string // artifacts are named relative to it
	cacheFile string
}

// foundryProjectOf is the project whose out folder is, is in or holds folder:
// the nearest folder upwards with a foundry.toml, else the one above.
func foundryProjectOf(folder string) *foundryProject {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		absolute = folder
	}
	for root := absolute; ; root = filepath.Dir(root) {
		if paths, err := settings.FoundryPaths(root, os.Getenv); err == nil || settings.IsRefused(err) {
			return &foundryProject{root: root, out: paths.Out, cacheFile: filepath.Join(paths.Cache, foundryCacheFile)}
		} else if !errors.Is(err, fs.ErrNotExist) || root == filepath.Dir(root) {
			break
		}
	}
	root := filepath.Dir(absolute)
	return &foundryProject{root: root, out: absolute, cacheFile: filepath.Join(root, "cache", foundryCacheFile)}
}

const foundryCacheFile = "solidity-files-cache.json" // in the cache folder
