package compile

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// maxCodeBytes bounds one artifact. The debug build lifts EIP-170's and
// EIP-3860's limits (24,576 and 49,152 bytes); 4 MiB is far above what solc can
// address with its 2-byte jump labels, and arbitrary.
const maxCodeBytes = 4 << 20

// readContracts fills in the contracts, by source path and name.
func (o *Output) readContracts(out standardOutput) error {
	names := namesOf(out.Contracts)
	if len(names) == 0 {
		return &reading.Error{Kind: reading.ErrNoContracts, Problem: "the output has no contracts",
			Remedy: `give a build that has "contracts" with "abi", "evm.bytecode" and "evm.deployedBytecode"`}
	}
	declarations := declarationsOf(o.Sources)
	sources := map[string]*Source{}
	byID := map[int]*Source{}
	for _, s := range o.Sources {
		sources[s.Path] = s
		byID[s.ID] = s
	}
	placeholders := placeholdersOf(names)
	places := declarationPlaces(byID, o.Settings.ViaIR)
	o.Contracts = make([]*Contract, len(names))
	var abis abiEntries
	err := each(len(names), func(i int) error {
		name := names[i]
		raw := out.Contracts[name.source][name.contract]
		source := sources[name.source]
		if source == nil || source.AST == nil && o.Input == nil {
			return noAST(name.source)
		}
		c, err := readContract(name, raw, placeholders, &abis)
		if err != nil {
			return err
		}
		if err := c.checkMaps(byID); err != nil {
			return err
		}
		c.findChecks(byID)
		c.findShared(byID, places)
		if declaration := declarations.contracts[name]; declaration != nil {
			c.describe(declaration, declarations)
		}
		o.Contracts[i] = c
		return nil
	})
	if err != nil {
		return err
	}
	o.giveTexts(declarations)
	o.giveEncodings()
	return nil
}

// contractName identifies a contract within a unit.
type contractName struct{ source, contract string }

func (n contractName) String() string { return n.source + ":" + n.contract }

func namesOf(contracts map[string]map[string]outputContract) []contractName {
	var names []contractName
	for _, source := range slices.Sorted(maps.Keys(contracts)) {
		for _, contract := range slices.Sorted(maps.Keys(contracts[source])) {
			names = append(names, contractName{source, contract})
		}
	}
	return names
}

func readContract(name contractName, raw outputContract, placeholders map[string]string, abis *abiEntries) (*Contract, error) {
	c := &Contract{Contract: bytecode.Contract{Name: name.contract, Source: name.source}, StorageLayout: bytes.Clone(raw.StorageLayout)}
	c.readVariables()
	c.ABI, c.RawABI, c.ABIError = abis.parseABI(bytes.Clone(raw.ABI))
	var err error
	if c.Creation, c.CreationMap, err = readCode(raw.EVM.Bytecode, bytecode.Creation, placeholders); err != nil {
		return nil, codeError(name, "evm.bytecode", err)
	}
	if c.Runtime, c.RuntimeMap, err = readCode(raw.EVM.DeployedBytecode, bytecode.Runtime, placeholders); err != nil {
		return nil, codeError(name, "evm.deployedBytecode", err)
	}
	return c, nil
}

// errAbsent is the reason when a field was not asked of the compiler.
var errAbsent = errors.New("absent")

// codeError says which setting adds what is missing.
func codeError(name contractName, field string, err error) error {
	e := &reading.Error{Place: name.String(), Kind: reading.ErrFormat, Problem: field + ": " + err.Error(), Cause: err,
		Remedy: "give the file as the compiler wrote it"}
	switch {
	case errors.Is(err, errAbsent):
		e.Problem = "the output has no " + field
		e.Remedy = fmt.Sprintf(`add "%s" to "outputSelection": {"*": {"*": [ … ]}} in the compiler's settings`, field)
	case errors.Is(err, ErrNoSourceMap):
		e.Kind = ErrNoSourceMap
		e.Problem = "the output has no source map (" + field + ".sourceMap)"
		e.Remedy = fmt.Sprintf(`add "%s.sourceMap" to "outputSelection": {"*": {"*": [ … ]}} in the compiler's settings`, field)
	}
	return e
}

// readCode decodes one artifact and its source map. Interfaces and abstract
// contracts have an empty one: nil.
func readCode(raw *outputCode, kind bytecode.Kind, placeholders map[string]string) (*bytecode.Code, SourceMap, error) {
	if raw == nil {
		return nil, nil, errAbsent
	}
	object := strings.TrimPrefix(raw.Object, "0x")
	if object == "" {
		return nil, nil, nil
	}
	if len(object) > 2*maxCodeBytes {
		return nil, nil, fmt.Errorf("more than %d bytes of code", maxCodeBytes)
	}
	code := &bytecode.Code{Kind: kind}
	digits, found := unlink(object, placeholders)
	var err error
	if code.Bytes, err = hex.DecodeString(digits); err != nil {
		return nil, nil, fmt.Errorf("the code is not hexadecimal: %w", err)
	}
	if code.Links, err = readLinks(raw.LinkReferences, len(code.Bytes)); err != nil {
		return nil, nil, err
	}
	if len(code.Links) == 0 {
		code.Links = found
	}
	for _, l := range code.Links { // a reference may stand where no placeholder was
		clear(code.Bytes[l.Offset : l.Offset+common.AddressLength])
	}
	if code.Immutables, err = readImmutables(raw.ImmutableReferences, len(code.Bytes)); err != nil {
		return nil, nil, err
	}
	if raw.SourceMap == nil || *raw.SourceMap == "" {
		return nil, nil, ErrNoSourceMap
	}
	sourceMap, err := ParseSourceMap(*raw.SourceMap)
	if err != nil {
		return nil, nil, err
	}
	if n := instructions(code.Bytes); len(sourceMap) > n {
		return nil, nil, fmt.Errorf("its source map has %d entries for %d instructions", len(sourceMap), n)
	}
	return code, sourceMap, nil
}

// instructions counts what linear decoding makes of code.
func instructions(code []byte) int {
	n := 0
	for pc := 0; pc < len(code); pc += 1 + int(bytecode.PushSize(code[pc])) {
		n++
	}
	return n
}

// placeholderDigits is the length of a link placeholder: two hexadecimal digits
// for each byte of an address.
const placeholderDigits = 2 * common.AddressLength

// placeholdersOf maps what solc writes in a library's place to the library's
// qualified name: "__$" and 34 digits of the name's hash and "$__" since 0.5.0,
// before that "__" and the first 36 characters of the name, padded by "_".
func placeholdersOf(names []contractName) map[string]string {
	placeholders := map[string]string{}
	for _, name := range names {
		qualified := name.String()
		hash := hex.EncodeToString(crypto.Keccak256([]byte(qualified)))
		placeholders["__$"+hash[:34]+"$__"] = qualified
		for _, text := range []string{qualified, name.contract} {
			text = text[:min(len(text), placeholderDigits-4)]
			legacy := "__" + text + strings.Repeat("_", placeholderDigits-2-len(text))
			if _, taken := placeholders[legacy]; !taken {
				placeholders[legacy] = qualified
			}
		}
	}
	return placeholders
}

// unlink replaces link placeholders by zeros and says where they were. Names in
// legacy placeholders may hold any character, so a placeholder is whatever 40
// characters start with "__" where a byte should be.
func unlink(object string, placeholders map[string]string) (string, []bytecode.Link) {
	if !strings.Contains(object, "__") {
		return object, nil
	}
	digits := []byte(object)
	var links []bytecode.Link
	for i := 0; i+placeholderDigits <= len(digits); {
		if digits[i] != '_' || digits[i+1] != '_' {
			i += 2
			continue
		}
		placeholder := digits[i : i+placeholderDigits]
		library := placeholders[string(placeholder)]
		if library == "" {
			library = strings.Trim(string(placeholder), "_$")
		}
		links = append(links, bytecode.Link{Library: library, Offset: uint32(i / 2)})
		copy(placeholder, bytes.Repeat([]byte("0"), placeholderDigits))
		i += placeholderDigits
	}
	return string(digits), links
}

// readLinks lists the link references by offset.
func readLinks(references map[string]map[string][]codeRange, size int) ([]bytecode.Link, error) {
	var links []bytecode.Link
	for file, libraries := range references {
		for library, places := range libraries {
			for _, r := range places {
				if r.Length != common.AddressLength || r.Start < 0 || r.Start > size-r.Length {
					return nil, fmt.Errorf("link reference %d:%d to %s is outside of the code", r.Start, r.Length, reading.Shorten(library))
				}
				links = append(links, bytecode.Link{Library: file + ":" + library, Offset: uint32(r.Start)})
			}
		}
	}
	slices.SortFunc(links, func(a, b bytecode.Link) int { return int(a.Offset) - int(b.Offset) })
	return links, nil
}

// readImmutables lists the ranges of immutables by offset.
func readImmutables(references map[string][]codeRange, size int) ([]bytecode.Range, error) {
	var ranges []bytecode.Range
	for _, places := range references {
		for _, r := range places {
			if r.Length < 1 || r.Start < 0 || r.Length > size || r.Start > size-r.Length {
				return nil, fmt.Errorf("immutable reference %d:%d is outside of the code", r.Start, r.Length)
			}
			ranges = append(ranges, bytecode.Range{Start: uint32(r.Start), End: uint32(r.Start + r.Length)})
		}
	}
	slices.SortFunc(ranges, func(a, b bytecode.Range) int { return int(a.Start) - int(b.Start) })
	return ranges, nil
}

// checkMaps makes sure that the source maps point into the sources. Entries without a
// place, and those of generated sources, which the output numbers after the others, get
// file −1.
func (c *Contract) checkMaps(sources map[int]*Source) error {
	for _, m := range []SourceMap{c.CreationMap, c.RuntimeMap} {
		for i := range m {
			e := m.At(i)
			source := sources[e.File]
			if source == nil || e.Start < 0 || e.Length < 0 {
				m[i].file = -1
				continue
			}
			if source.Text != nil && e.Start+e.Length > len(source.Text) {
				return &reading.Error{Place: c.QualifiedName(), Kind: ErrStale,
					Problem: fmt.Sprintf("its source map points at bytes %d to %d of %s, which has %d", e.Start, e.Start+e.Length, source.Path, len(source.Text)),
					Remedy:  "input and output are of different builds: build again"}
			}
		}
	}
	return nil
}
