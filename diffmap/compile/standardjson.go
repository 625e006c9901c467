package compile

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// standardInput is what is read of solc's standard-JSON input.
type standardInput struct {
	Language string                 `json:"language"`
	Sources  map[string]inputSource `json:"sources"`
	Settings standardSettings       `json:"settings"`
}

type inputSource struct {
	Content *string `json:"content"`
}

type standardSettings struct {
	Optimizer  optimizerSettings `json:"optimizer"`
	ViaIR      bool              `json:"viaIR"`
	EVMVersion string            `json:"evmVersion"`
	Remappings []string          `json:"remappings"`
	// Libraries holds addresses, by file and name; a contract's metadata has them
	// by both in one, which is why the values are not looked at.
	Libraries map[string]json.RawMessage `json:"libraries"`
}

type optimizerSettings struct {
	Enabled bool           `json:"enabled"`
	Details map[string]any `json:"details"`
}

// active reports whether anything runs that merges or moves code. The peephole
// optimizer and the jumpdest remover run in every build.
func (o optimizerSettings) active() bool {
	for name, value := range o.Details {
		if on, ok := value.(bool); ok && on && name != "peephole" && name != "jumpdestRemover" {
			return true
		}
	}
	return o.Enabled
}

// standardOutput is what is read of solc's standard-JSON output.
type standardOutput struct {
	Errors    []diagnostic                         `json:"errors"`
	Sources   map[string]outputSource              `json:"sources"`
	Contracts map[string]map[string]outputContract `json:"contracts"`
}

type outputSource struct {
	ID  *int            `json:"id"`
	AST json.RawMessage `json:"ast"`
	// LegacyAST is the old form, the only one that 0.4.11 has.
	LegacyAST json.RawMessage `json:"legacyAST"`
}

type outputContract struct {
	ABI           json.RawMessage `json:"abi"`
	Metadata      json.RawMessage `json:"metadata"` // a string that holds JSON
	StorageLayout json.RawMessage `json:"storageLayout"`
	EVM           outputEVM       `json:"evm"`
}

type outputEVM struct {
	Bytecode         *outputCode `json:"bytecode"`
	DeployedBytecode *outputCode `json:"deployedBytecode"`
}

type outputCode struct {
	Object              string                            `json:"object"`
	SourceMap           *string                           `json:"sourceMap"`
	LinkReferences      map[string]map[string][]codeRange `json:"linkReferences"`
	ImmutableReferences map[string][]codeRange            `json:"immutableReferences"`
}

type codeRange struct {
	Start  int `json:"start"`
	Length int `json:"length"`
}

// ReadSolc reads the standard-JSON output of one solc run. input is the
// standard-JSON input of the same run; without it (nil) the sources' texts and
// the settings are unknown. origin names the output in messages. The error is
// an [*reading.Error].
func ReadSolc(input, output []byte, origin string, limits reading.Limits) (*Output, error) {
	return answer{text: output}.read(input, origin, limits)
}

// answer is solc's standard-JSON output, and what it says, where that has been read already.
type answer struct {
	text    []byte
	decoded *standardOutput
}

// read is [ReadSolc].
func (a answer) read(input []byte, origin string, limits reading.Limits) (*Output, error) {
	o, err := readSolc(input, a, limits.WithDefaults())
	if err != nil {
		return nil, reading.At(origin, err)
	}
	o.Origin = origin
	return o, nil
}

func readSolc(input []byte, output answer, limits reading.Limits) (*Output, error) {
	c, err := decodeSolc(input, output, limits)
	switch {
	case err != nil:
		return nil, err
	case c.in.Language == yulLanguage:
		return c.unmappedYul(limits)
	}
	return c.output(limits)
}

// decodeSolc reads input and output, and answers with the compiler's errors.
func decodeSolc(input []byte, output answer, limits reading.Limits) (c compilation, err error) {
	if int64(len(output.text)) > limits.FileBytes || int64(len(input)) > limits.FileBytes {
		return c, reading.TooLarge(limits)
	}
	if output.decoded != nil {
		c.out = *output.decoded
	} else if c.out, err = decodeOutput(output.text); err != nil {
		return c, err
	}
	if err := compileErrors(c.out.Errors); err != nil {
		return c, err
	}
	if len(input) > 0 {
		var err error
		if c.in, c.input, err = readInput(input); err != nil {
			return c, err
		}
		c.settings = true
	}
	return c, nil
}

// compilation is a compiler run as solc's standard JSON has it. Other formats
// are turned into one.
type compilation struct {
	in       standardInput
	out      standardOutput
	settings bool            // in.Settings are known
	input    json.RawMessage // complete; nil when it is not known
}

// output checks and decodes a compilation.
func (c compilation) output(limits reading.Limits) (*Output, error) {
	o := &Output{Input: c.input}
	if c.settings {
		o.Settings = c.in.Settings.settings()
	}
	if err := o.readSources(c.in, c.out, limits); err != nil {
		return nil, err
	}
	if err := o.readContracts(c.out); err != nil {
		return nil, err
	}
	o.readMetadata(c.out, !c.settings)
	return o, nil
}

func (s standardSettings) settings() Settings {
	return Settings{
		Known: true, Optimizer: s.Optimizer.active(), ViaIR: s.ViaIR,
		EVMVersion: s.EVMVersion, Remappings: s.Remappings, Linked: s.linked(),
	}
}

// linked reports whether libraries have addresses. Hardhat writes empty objects
// for files without.
func (s standardSettings) linked() bool {
	for _, libraries := range s.Libraries {
		if text := string(libraries); text != "{}" && text != "null" {
			return true
		}
	}
	return false
}

// complete reports whether every source's content is inlined.
func (in standardInput) complete() bool {
	for _, s := range in.Sources {
		if s.Content == nil {
			return false
		}
	}
	return len(in.Sources) > 0
}

// readSources fills in the sources, by id.
func (o *Output) readSources(in standardInput, out standardOutput, limits reading.Limits) error {
	ids := map[int]string{}
	paths := slices.Sorted(maps.Keys(out.Sources))
	var wrong error // with the ids: of the source behind those in o
	for _, path := range paths {
		s := out.Sources[path]
		if s.ID == nil || *s.ID < 0 {
			wrong = &reading.Error{Place: path, Kind: reading.ErrFormat, Problem: "the source has no id", Remedy: "give the file as the compiler wrote it"}
			break
		}
		if other, taken := ids[*s.ID]; taken {
			wrong = &reading.Error{Place: path, Kind: reading.ErrFormat, Problem: fmt.Sprintf("the source has the same id %d as %s", *s.ID, other)}
			break
		}
		ids[*s.ID] = path
		source := &Source{ID: *s.ID, Path: path}
		if content := in.Sources[path].Content; content != nil {
			source.Text = []byte(*content)
		}
		o.Sources = append(o.Sources, source)
	}
	err := each(len(o.Sources), func(i int) error {
		source := o.Sources[i]
		if err := source.readAST(out.Sources[source.Path], limits); err != nil {
			return err
		}
		return checkRanges(source)
	})
	if err = cmp.Or(err, wrong); err != nil {
		return err
	}
	slices.SortFunc(o.Sources, func(a, b *Source) int { return cmp.Compare(a.ID, b.ID) })
	resolveNames(o.Sources)
	return nil
}

func (s *Source) readAST(raw outputSource, limits reading.Limits) error {
	if isNull(raw.AST) {
		raw.AST = raw.LegacyAST
	}
	if isNull(raw.AST) {
		return nil // whether it is needed depends on the contracts: see readContracts
	}
	if int64(len(raw.AST)) > limits.ASTBytes {
		return &reading.Error{Place: s.Path, Kind: reading.ErrTooLarge, Problem: "its AST is larger than " + reading.SizeText(limits.ASTBytes)}
	}
	ast, err := parseAST(raw.AST, s, limits.Depth)
	if err != nil {
		var e *reading.Error
		if errors.As(err, &e) {
			e.Place = s.Path
			return e
		}
		return &reading.Error{Place: s.Path, Kind: reading.ErrFormat, Problem: err.Error(), Remedy: "give the file as the compiler wrote it", Cause: err}
	}
	s.AST = ast
	return nil
}

// noAST is the error for contracts whose source came without AST.
func noAST(path string) error {
	if strings.HasSuffix(path, ".yul") {
		return notSolidity("", "Yul") // solc writes none for some settings and versions
	}
	return &reading.Error{Place: path, Kind: ErrNoAST, Problem: "the output has no AST of this source", Remedy: remedyAST}
}

const remedyAST = `add "ast" to the settings: solc: "outputSelection": {"*": {"": ["ast"]}}; ` +
	"foundry.toml: ast = true; Hardhat: the same outputSelection under solidity.settings"

// metadata is what is read of a contract's metadata.
type metadata struct {
	Compiler struct {
		Version string `json:"version"`
	} `json:"compiler"`
	Settings standardSettings          `json:"settings"`
	Sources  map[string]metadataSource `json:"sources"`
}

type metadataSource struct {
	Keccak256 string `json:"keccak256"`
}

// readMetadata takes from the contracts' metadata what is not known otherwise:
// the compiler, the sources' hashes and, without an input, the settings.
func (o *Output) readMetadata(out standardOutput, settings bool) {
	hashes := map[string]string{}
	found := make([]*metadata, len(o.Contracts))
	_ = each(len(o.Contracts), func(i int) error {
		c := o.Contracts[i]
		if m, ok := decodeMetadata(out.Contracts[c.Source][c.Name].Metadata); ok {
			found[i] = &m
		}
		return nil
	})
	for _, m := range found {
		if m == nil {
			continue
		}
		if o.Compiler == "" {
			o.Compiler = m.Compiler.Version
		}
		if settings {
			o.Settings = m.Settings.settings()
			settings = false
		}
		for path, source := range m.Sources {
			hashes[path] = source.Keccak256
		}
	}
	for _, s := range o.Sources {
		hash, err := hex.DecodeString(strings.TrimPrefix(hashes[s.Path], "0x"))
		if err == nil && len(hash) == common.HashLength {
			s.Keccak256 = hash
		}
	}
}
