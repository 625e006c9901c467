package compile

import (
	"encoding/json"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/jsontext"
)

// This file reads from JSON what is needed of it, without a pass over all of it for each layer. What is out of the ordinary (a name
// twice, a field that is written in another case, a value of another type) is left to encoding/json, so that it means what it always meant, and
// the error is encoding/json's.

// membersOf are the members of an object, undecoded: parts of text. place is what text is called in an error.
func membersOf(text []byte, place string) (map[string]json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if jsontext.Members(text, func(name, value []byte) bool {
		members[string(name)] = value
		return true
	}) {
		return members, nil
	}
	members = nil
	err := reading.DecodeJSON(text, place, &members)
	return members, err
}

// errorsOf are the compiler's errors in an output; false where it is not an output.
func errorsOf(output []byte) ([]diagnostic, bool) {
	if fields, ok := jsontext.Fields(output, "errors"); ok {
		var errors []diagnostic
		return errors, fields[0] == nil || json.Unmarshal(fields[0], &errors) == nil
	}
	var out struct {
		Errors []diagnostic `json:"errors"`
	}
	err := json.Unmarshal(output, &out)
	return out.Errors, err == nil
}

// quickDocument is [parseDocument] for what build tools write. Where there is an output, it is read on the way.
func quickDocument(text []byte) (d document, ok bool) {
	const output = 4
	var out standardOutput
	read := func(field, i int) int {
		if field != output || i >= len(text) || text[i] != '{' {
			return 0
		}
		end := quickOutput(text, i, &out)
		d.decoded = &out
		return end
	}
	fields, end := jsontext.FieldsAt(text, jsontext.Space(text, 0), read, "_format", "solcVersion", "solcLongVersion", "input", "output", "sources", "contracts", "errors",
		"source_id_to_path", "abi", "bytecode", "contractName", "sourceMap", "ast", "sourcePath")
	ok = end >= 0 && jsontext.Space(text, end) == len(text)
	texts := []*string{&d.Format, &d.SolcVersion, &d.SolcLongVersion}
	for i, into := range texts {
		if ok && fields[i] != nil {
			*into, ok = jsontext.String(fields[i])
		}
	}
	for i, into := range []*json.RawMessage{&d.Input, &d.Output, &d.Sources, &d.Contracts, &d.Errors, &d.SourceIDs,
		&d.ABI, &d.Bytecode, &d.ContractName, &d.SourceMap, &d.AST, &d.SourcePath} {
		*into = fields[len(texts)+i]
	}
	return d, ok
}

// decodeOutput decodes solc's standard-JSON output. Undecoded values may be parts of text.
func decodeOutput(text []byte) (standardOutput, error) {
	var quick standardOutput
	if end := quickOutput(text, jsontext.Space(text, 0), &quick); end >= 0 && jsontext.Space(text, end) == len(text) {
		return quick, nil
	}
	var out standardOutput
	err := reading.DecodeJSON(text, "", &out)
	return out, err
}

// quickOutput is [decodeOutput] for what solc writes, which begins at text[i]. It returns where it ends, or −1.
func quickOutput(text []byte, i int, out *standardOutput) (end int) {
	const errors, sources, contracts = 0, 1, 2
	fields, end := jsontext.FieldsAt(text, i, func(field, i int) int {
		switch field {
		case sources:
			out.Sources = map[string]outputSource{}
			return jsontext.Object(text, i, func(name []byte, i int) int {
				source, end := quickSource(text, i)
				out.Sources[string(name)] = source
				return end
			})
		case contracts:
			out.Contracts = map[string]map[string]outputContract{}
			return jsontext.Object(text, i, func(name []byte, i int) int {
				contracts := map[string]outputContract{}
				out.Contracts[string(name)] = contracts
				return jsontext.Object(text, i, func(name []byte, i int) int {
					contract, end := quickContract(text, i)
					contracts[string(name)] = contract
					return end
				})
			})
		}
		return 0
	}, "errors", "sources", "contracts")
	if end >= 0 && fields[errors] != nil && json.Unmarshal(fields[errors], &out.Errors) != nil {
		return -1
	}
	return end
}

func quickSource(text []byte, i int) (s outputSource, end int) {
	fields, end := jsontext.FieldsAt(text, i, nil, "id", "ast", "legacyAST")
	if end >= 0 && fields[0] != nil {
		id, whole := compactInt(fields[0])
		if !whole {
			return s, -1
		}
		s.ID = &id
	}
	s.AST, s.LegacyAST = fields[1], fields[2]
	return s, end
}

func quickContract(text []byte, i int) (c outputContract, end int) {
	const evm = 3
	codes := []**outputCode{&c.EVM.Bytecode, &c.EVM.DeployedBytecode}
	fields, end := jsontext.FieldsAt(text, i, func(field, i int) int {
		if field != evm {
			return 0
		}
		_, end := jsontext.FieldsAt(text, i, func(field, i int) (end int) {
			*codes[field], end = quickCode(text, i)
			return end
		}, "bytecode", "deployedBytecode")
		return end
	}, "abi", "metadata", "storageLayout", "evm")
	c.ABI, c.Metadata, c.StorageLayout = fields[0], fields[1], fields[2]
	return c, end
}

// quickCode reads one artifact.
func quickCode(text []byte, i int) (c *outputCode, end int) {
	fields, end := jsontext.FieldsAt(text, i, nil, "object", "sourceMap", "linkReferences", "immutableReferences")
	c = &outputCode{}
	ok := end >= 0
	if ok && fields[0] != nil {
		c.Object, ok = jsontext.String(fields[0])
	}
	if ok && fields[1] != nil {
		c.SourceMap = new(string)
		*c.SourceMap, ok = jsontext.String(fields[1])
	}
	if ok && fields[2] != nil {
		ok = json.Unmarshal(fields[2], &c.LinkReferences) == nil
	}
	if ok && fields[3] != nil {
		ok = json.Unmarshal(fields[3], &c.ImmutableReferences) == nil
	}
	if !ok {
		return nil, -1
	}
	return c, end
}

// quickFoundryArtifact reads what forge writes.
func quickFoundryArtifact(text []byte) (a foundryArtifact, ok bool) {
	codes := []**outputCode{&a.Bytecode, &a.DeployedBytecode}
	fields, end := jsontext.FieldsAt(text, jsontext.Space(text, 0), func(field, i int) (end int) {
		if field < len(codes) {
			*codes[field], end = quickCode(text, i)
		}
		return end
	}, "bytecode", "deployedBytecode", "abi", "metadata", "storageLayout", "ast", "rawMetadata", "id")
	ok = end >= 0 && jsontext.Space(text, end) == len(text)
	for i, into := range []*json.RawMessage{&a.ABI, &a.Metadata, &a.StorageLayout, &a.AST} {
		*into = fields[len(codes)+i]
	}
	if ok && fields[6] != nil {
		a.RawMetadata, ok = jsontext.String(fields[6])
	}
	if ok && fields[7] != nil {
		var id int
		id, ok = compactInt(fields[7])
		a.ID = &id
	}
	return a, ok
}

// quickOutermost reads the outermost node of a compact AST.
func quickOutermost(ast []byte) (n outermostNode, ok bool) {
	fields, ok := jsontext.Fields(ast, "absolutePath", "src", "attributes", "children")
	if !ok || fields[2] != nil || fields[3] != nil {
		return n, false
	}
	for i, into := range []*string{&n.AbsolutePath, &n.Src} {
		if ok && fields[i] != nil {
			*into, ok = jsontext.String(fields[i])
		}
	}
	return n, ok
}

// decodeMetadata decodes a contract's metadata, a string that holds JSON; false where it is none.
func decodeMetadata(raw json.RawMessage) (m metadata, ok bool) {
	text, ok := jsontext.String(raw)
	if !ok {
		if len(raw) == 0 || json.Unmarshal(raw, &text) != nil {
			return m, false
		}
	}
	if m, ok := quickMetadata([]byte(text)); ok {
		return m, true
	}
	err := json.Unmarshal([]byte(text), &m)
	return m, err == nil
}

// quickMetadata is [decodeMetadata] for what solc writes.
func quickMetadata(text []byte) (m metadata, ok bool) {
	fields, ok := jsontext.Fields(text, "compiler", "settings", "sources")
	if !ok || fields[0] != nil && json.Unmarshal(fields[0], &m.Compiler) != nil || fields[1] != nil && json.Unmarshal(fields[1], &m.Settings) != nil {
		return m, false
	}
	if fields[2] == nil {
		return m, true
	}
	m.Sources = map[string]metadataSource{}
	ok = jsontext.Members(fields[2], func(name, value []byte) bool {
		hash, ok := jsontext.Fields(value, "keccak256")
		var source metadataSource
		if ok && hash[0] != nil {
			source.Keccak256, ok = jsontext.String(hash[0])
		}
		m.Sources[string(name)] = source
		return ok
	})
	return m, ok
}
