package soljson

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// everything is asked of a compiler once, where some of it is asked for: tests compile their sources, and the product
// compiles them again, for other outputs of the same.
var everything = []string{
	"abi", "storageLayout",
	"evm.bytecode.object", "evm.bytecode.sourceMap", "evm.bytecode.linkReferences",
	"evm.deployedBytecode.object", "evm.deployedBytecode.sourceMap", "evm.deployedBytecode.linkReferences",
	"evm.deployedBytecode.immutableReferences",
}

// talkative are compilers that answer more than they are asked for, as old ones do: what of that would be there is not known.
var talkative sync.Map

// question is a standard-JSON input, whatever outputs it selects.
type question struct {
	input    map[string]json.RawMessage
	settings map[string]json.RawMessage
	outputs  []string // of contracts, among them code, so that all errors are there
	ast      bool
}

// read reads an input; false where its outputs are not all of everything, for all contracts.
func read(input []byte) (q question, ok bool) {
	var selection map[string]map[string][]string
	if json.Unmarshal(input, &q.input) != nil || json.Unmarshal(q.input["settings"], &q.settings) != nil ||
		json.Unmarshal(q.settings["outputSelection"], &selection) != nil || len(selection) != 1 {
		return q, false
	}
	for name, outputs := range selection["*"] {
		switch {
		case name == "" && slices.Equal(outputs, []string{"ast"}):
			q.ast = true
		case name == "*":
			q.outputs = outputs
		default:
			return q, false
		}
	}
	known := !slices.ContainsFunc(q.outputs, func(o string) bool { return !slices.Contains(everything, o) })
	return q, known && slices.Contains(q.outputs, "evm.bytecode.object")
}

// whole is the input that asks for everything. Equal questions have equal ones.
func (q question) whole() ([]byte, error) {
	settings, input := map[string]any{}, map[string]any{}
	for name, value := range q.settings {
		settings[name] = value
	}
	for name, value := range q.input {
		input[name] = value
	}
	settings["outputSelection"] = map[string]map[string][]string{"*": {"": {"ast"}, "*": everything}}
	input["settings"] = settings
	return json.Marshal(input)
}

// part is what of an answer to everything was asked for; false where the compiler has errors, which may be about what
// was not, and where it is talkative.
func (q question) part(answer []byte) (output []byte, ok bool) {
	var all map[string]json.RawMessage
	var sources map[string]map[string]json.RawMessage
	var contracts map[string]map[string]map[string]json.RawMessage
	if failed(answer) || json.Unmarshal(answer, &all) != nil ||
		json.Unmarshal(all["sources"], &sources) != nil || json.Unmarshal(all["contracts"], &contracts) != nil {
		return nil, false
	}
	parts := map[string]any{"sources": sources, "contracts": map[string]any{}}
	if errors := all["errors"]; errors != nil {
		parts["errors"] = errors
	}
	for _, s := range sources {
		if !q.ast {
			delete(s, "ast")
		}
	}
	for file, inFile := range contracts {
		some := map[string]any{}
		for name, contract := range inFile {
			if some[name], ok = q.partOf(contract, ""); !ok {
				return nil, false
			}
		}
		parts["contracts"].(map[string]any)[file] = some //nolint:errcheck,forcetypeassert // so it is, above
	}
	output, err := json.Marshal(parts)
	return output, err == nil
}

// failed reports whether an answer has errors.
func failed(answer []byte) bool { return bytes.Contains(answer, []byte(`"severity":"error"`)) }

// partOf are those of a contract's outputs below a prefix that were asked for.
func (q question) partOf(outputs map[string]json.RawMessage, prefix string) (some map[string]any, ok bool) {
	some = map[string]any{}
	for name, value := range outputs {
		path := prefix + name
		if slices.Contains(q.outputs, path) {
			some[name] = value
			continue
		}
		if !slices.ContainsFunc(everything, func(o string) bool { return o == path || strings.HasPrefix(o, path+".") }) {
			return nil, false
		}
		if !slices.ContainsFunc(q.outputs, func(o string) bool { return strings.HasPrefix(o, path+".") }) {
			continue
		}
		var inner map[string]json.RawMessage
		if json.Unmarshal(value, &inner) != nil {
			return nil, false
		}
		if some[name], ok = q.partOf(inner, path+"."); !ok {
			return nil, false
		}
	}
	return some, true
}

// mostKept bounds the answers that are kept. A question comes again soon: arbitrary.
const mostKept = 64

// answers are those of the last questions.
var answers struct {
	sync.Mutex
	byQuestion map[[sha256.Size]byte]*kept
	order      [][sha256.Size]byte
}

type kept struct {
	sync.Once
	answer []byte
	err    error
}

// answerOf is the compiler's answer to everything, asked for once.
func (q question) answerOf(soljson string) ([]byte, error) {
	input, err := q.whole()
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(append([]byte(soljson+"\x00"), input...))
	answers.Lock()
	k := answers.byQuestion[key]
	if k == nil {
		k = &kept{}
		if answers.byQuestion == nil {
			answers.byQuestion = map[[sha256.Size]byte]*kept{}
		}
		answers.byQuestion[key] = k
		if answers.order = append(answers.order, key); len(answers.order) > mostKept {
			delete(answers.byQuestion, answers.order[0])
			answers.order = answers.order[1:]
		}
	}
	answers.Unlock()
	k.Do(func() { k.answer, k.err = compile(soljson, input) })
	return k.answer, k.err
}
