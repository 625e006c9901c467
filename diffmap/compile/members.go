package compile

import (
	"encoding/json"

	"github.com/sightline-evm/sightline/diffmap/compile/jsontext"
	"github.com/sightline-evm/sightline/diffmap/compile/reading"
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

// quickDocument is [parseDocument] for what build tools write.
func quickDocument(text []byte) (d document, ok bool) {
	names := []string{"_format", "solcVersion", "solcLongVersion", "input", "output", "sources", "contracts", "errors", "source_id_to_path",
		"abi", "bytecode", "contractName", "sourceMap", "ast", "sourcePath"}
	texts := []*string{&d.Format, &d.SolcVersion, &d.SolcLongVersion}
	values := []*json.RawMessage{&d.Input, &d.Output, &d.Sources, &d.Contracts, &d.Errors, &d.SourceIDs,
		&d.ABI, &d.Bytecode, &d.ContractName, &d.SourceMap, &d.AST, &d.SourcePath}
	fields, ok := jsontext.Fields(text, names...)
	for i, into := range texts {
		if ok && fields[i] != nil {
			*into, ok = jsontext.String(fields[i])
		}
	}
	if !ok {
		return d, false
	}
	for i, into := range values {
		*into = fields[len(texts)+i]
	}
	return d, true
}

// decodeOutput decodes solc's standard-JSON output. Undecoded values are parts of text.
func decodeOutput(text []byte) (out standardOutput, err error) {
	if out, ok := quickOutput(text); ok {
		return out, nil
	}
	err = reading.DecodeJSON(text, "", &out)
	return out, err
}

// quickOutput is [decodeOutput] for what solc writes.
func quickOutput(text []byte) (out standardOutput, ok bool) {
	fields, ok := jsontext.Fields(text, "errors", "sources", "contracts")
	if !ok || fields[0] != nil && json.Unmarshal(fields[0], &out.Errors) != nil {
		return out, false
	}
	if fields[1] != nil {
		out.Sources = map[string]outputSource{}
		ok = jsontext.Members(fields[1], func(name, value []byte) (ok bool) {
			out.Sources[string(name)], ok = quickSource(value)
			return ok
		})
	}
	if fields[2] != nil {
		out.Contracts = map[string]map[string]outputContract{}
		ok = ok && jsontext.Members(fields[2], func(name, value []byte) bool {
			contracts := map[string]outputContract{}
			out.Contracts[string(name)] = contracts
			return jsontext.Members(value, func(name, value []byte) (ok bool) {
				contracts[string(name)], ok = quickContract(value)
				return ok
			})
		})
	}
	return out, ok
}

func quickSource(text []byte) (s outputSource, ok bool) {
	fields, ok := jsontext.Fields(text, "id", "ast", "legacyAST")
	if !ok {
		return s, false
	}
	if fields[0] != nil {
		id, whole := compactInt(fields[0])
		s.ID, ok = &id, whole
	}
	s.AST, s.LegacyAST = fields[1], fields[2]
	return s, ok
}

func quickContract(text []byte) (c outputContract, ok bool) {
	fields, ok := jsontext.Fields(text, "abi", "metadata", "storageLayout", "evm")
	if !ok {
		return c, false
	}
	c.ABI, c.Metadata, c.StorageLayout = fields[0], fields[1], fields[2]
	if fields[3] == nil {
		return c, true
	}
	codes, ok := jsontext.Fields(fields[3], "bytecode", "deployedBytecode")
	if !ok {
		return c, false
	}
	if c.EVM.Bytecode, ok = quickCode(codes[0]); ok {
		c.EVM.DeployedBytecode, ok = quickCode(codes[1])
	}
	return c, ok
}

// quickCode reads one artifact, which may be absent.
func quickCode(text []byte) (c *outputCode, ok bool) {
	if text == nil {
		return nil, true
	}
	fields, ok := jsontext.Fields(text, "object", "sourceMap", "linkReferences", "immutableReferences")
	if !ok {
		return nil, false
	}
	c = &outputCode{}
	if fields[0] != nil {
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
	return c, ok
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
