package compile

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/jsontext"
)

// outputsOfFixtures are what compilers of several versions wrote.
func outputsOfFixtures(t *testing.T) [][]byte {
	t.Helper()
	var texts [][]byte
	for _, name := range fixtures(t) {
		for _, file := range jsonBelow(t, fixture(name)) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
			if d, err := parseDocument(text); err == nil && isObject(d.Output) {
				texts = append(texts, d.Output)
			}
		}
	}
	return texts
}

// asts are the ASTs in texts.
func asts(texts [][]byte) [][]byte {
	var found [][]byte
	for _, text := range texts {
		var out standardOutput
		if json.Unmarshal(text, &out) != nil {
			continue
		}
		for _, s := range out.Sources {
			for _, ast := range []json.RawMessage{s.AST, s.LegacyAST} {
				if isObject(ast) {
					found = append(found, ast)
				}
			}
		}
	}
	return found
}

// oddASTs are trees that compilers do not write.
var oddASTs = []string{
	`{"nodeType":"A","src":"0:1:0"}`, `[{"nodeType":"A","src":"0:1:0"}]`, `{"a":{"nodeType":"A","src":"0:1:0"}}`, `{"nodeType":"","src":"0:1:0"}`,
	`{"nodeType":"A","src":"0:1:0","nodeType":"B"}`, `{"src":"-1:-1:-1","nodeType":"A","id":1.5}`, `{"nodeType":"A","src":"x"}`, `{"nodeType":"A","src":"99999999999:1:0"}`,
	`{"nodeType":"A","src":"\u0030:1:0","id":-3,"name":"\u00e4\n","value":null,"operator":[null,1,1.5,"x",{"a":1,"a":2}]}`,
	`{"nodeType":"A","src":"0:9:0","z":{"nodeType":"B","src":"3:1:0"},"b":[{"q":{"nodeType":"C","src":"3:2:0"},"p":{"nodeType":"D","src":"3:3:0"}},{"nodeType":"E","src":"1:1:0"}],"value":{"nodeType":"F","src":"2:1:0"}}`,
	`{"nodeType":"VariableDeclaration","src":"0:9:0","typeDescriptions":{"typeString":"a","typeIdentifier":"b","typeString":3}}`,
	`{"nodeType":"A","src":"0:9:0","typeDescriptions":{"typeString":"uint256","in":{"nodeType":"B","src":"3:1:0"}},"name":"n"}`,
	`{"nodeType":"A","src":"0:9:0","id":{"nodeType":"B","src":"3:1:0"},"name":{},"kind":[]}`,
	`{"nodeType":"YulObject","src":"0:9:0"}`, `{"name":"SourceUnit","children":[]}`, "{\"nodeType\":\"A\",\"src\":\"0:1:0\",\"name\":\"\xff\",\"\xfe\":1}",
	`{"nodeType":"A","src":"0:1:0"} `, `{"nodeType":"A","src":"0:1:0"}x`, ` {"nodeType" : "A" , "src" : "0:1:0" , "b" : [ { "nodeType":"B","src":"0:1:0"} , 1 ] }`,
	strings.Repeat(`{"nodeType":"A","src":"0:1:0","b":[`, 8) + strings.Repeat(`]}`, 8),
}

// checkAST fails unless the tree that is read from a text is that of the decoded text.
func checkAST(t *testing.T, text []byte) (quick bool) {
	t.Helper()
	const depth = 12 // layers of what is odd
	got := readCompact(text, depth)
	if got == nil {
		return false
	}
	want, err := decodeAST(text, &Source{}, depth)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%.2000s: is read as %+v, and decoded as %+v, %v", text, got, want, err)
	}
	return true
}

// FuzzCompactAST: a tree that is read from a text is that of the decoded text.
func FuzzCompactAST(f *testing.F) {
	for _, text := range oddASTs {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if json.Valid(text) {
			checkAST(t, text)
		}
	})
}

// TestCompactASTs: what compilers write is read from the text, and read alike.
func TestCompactASTs(t *testing.T) {
	quick := 0
	for _, text := range asts(outputsOfFixtures(t)) {
		got := readCompact(text, 4000)
		want, err := decodeAST(text, &Source{Text: []byte("")}, 4000)
		var root map[string]any
		compact := json.Unmarshal(text, &root) == nil && root["nodeType"] == "SourceUnit"
		if compact && err == nil {
			quick++
		}
		if (got != nil) != (compact && err == nil) || got != nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%.200s…: is read as %.100v, and decoded as %.100v, %v", text, got, want, err)
		}
	}
	if quick == 0 {
		t.Error("no fixture has a compact AST")
	}
}

// oddOutputs are such as compilers do not write.
var oddOutputs = []string{
	`{}`, `null`, `{"sources":null}`, `{"sources":{"a":null}}`, `{"sources":{"a":{"id":1,"ID":2}}}`, `{"Sources":{"a":{}}}`, `{"sources":{"a":{}},"sources":{"b":{}}}`,
	`{"sources":{"a":{"id":1},"a":{"ast":{}}}}`, `{"sources":{"a":{"id":"1"}}}`, `{"sources":{"a":{"id":1.0}}}`, `{"sources":{"a":{"id":null,"ast":null}}}`,
	`{"contracts":{"a":null}}`, `{"contracts":{"a":{"b":null}}}`, `{"contracts":{"a":{"b":{"evm":null}}}}`, `{"contracts":{"a":{"b":{"evm":{"bytecode":null}}}}}`,
	`{"contracts":{"a":{"b":{"abi":[],"metadata":"{}","evm":{"bytecode":{"object":"0x","sourceMap":null,"linkReferences":{},"immutableReferences":{"1":[{"start":1,"length":2}]}}}}}}}`,
	`{"contracts":{"a":{"b":{"evm":{"bytecode":{"object":1}}}}}}`, `{"contracts":{"a":{"b":{"evm":{"deployedBytecode":{"sourceMap":"\u0031:2","object":"\ud800"}}}}}}`,
	`{"errors":[{"severity":"error","message":"x"}]}`, `{"errors":null,"output":{},"solcVersion":"1","_format":null}`, `{"errors":3}`, `{"solcVersion":1}`, `{"output":`,
	`{"compiler":{"version":"1"},"settings":{"optimizer":{"enabled":true}},"sources":{"a":{"keccak256":"0x"}}}`, `{"compiler":{"version":1}}`, `{"sources":{"a":{"keccak256":1}}}`,
	`{"sources":{"a":{"content":"x","content":"y"},"b":{"Content":"z"},"c":{"content":null},"d":{"urls":[]}},"language":"Yul"}`, `{"language":1}`, `{"language":null}`,
	`{"abi":[],"bytecode":{"object":"0x"},"deployedBytecode":{},"rawMetadata":"{}","metadata":{},"id":7,"ast":{"absolutePath":"a","src":"0:1:0"}}`, `{"bytecode":null,"id":null}`,
	`{"absolutePath":"a","src":"0:1:0"}`, `{"src":1}`, `{"absolutePath":"a","attributes":{"absolutePath":"b"},"children":[{"src":"0:1:0"}]}`,
}

// checkQuick holds everything that is read from a text against what is decoded of it.
func checkQuick(t *testing.T, text []byte) {
	t.Helper()
	differs := func(what string, got, want any, err error) {
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%.2000s: %s is read as %+v, and decoded as %+v, %v", text, what, got, want, err)
		}
	}
	var out standardOutput
	if end := quickOutput(text, jsontext.Space(text, 0), &out); end >= 0 && jsontext.Space(text, end) == len(text) {
		var want standardOutput
		err := json.Unmarshal(text, &want)
		differs("an output", out, want, err)
	}
	if got, ok := quickDocument(text); ok {
		var want document
		err := json.Unmarshal(text, &want)
		if isObject(want.Output) {
			want.decoded = new(standardOutput)
			err = json.Unmarshal(want.Output, want.decoded)
		}
		differs("a document", got, want, err)
	}
	if got, ok := quickFoundryArtifact(text); ok {
		var want foundryArtifact
		err := json.Unmarshal(text, &want)
		differs("an artifact", got, want, err)
	}
	if got, ok := quickOutermost(text); ok {
		var want outermostNode
		err := json.Unmarshal(text, &want)
		differs("a node", got, want, err)
	}
	if got, ok := quickMetadata(text); ok {
		var want metadata
		err := json.Unmarshal(text, &want)
		differs("metadata", got, want, err)
	}
	got, err := membersOf(text, "")
	var want map[string]json.RawMessage
	if other := json.Unmarshal(text, &want); (err == nil) != (other == nil) || err == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%.2000s: members are read as %q, %v, and decoded as %q, %v", text, got, err, want, other)
	}
	var said struct {
		Errors []diagnostic `json:"errors"`
	}
	other := json.Unmarshal(text, &said)
	if errors, ok := errorsOf(text); ok != (other == nil) || ok && !reflect.DeepEqual(errors, said.Errors) {
		t.Errorf("%.2000s: errors are read as %v, %v, and decoded as %v, %v", text, errors, ok, said.Errors, other)
	}
	texts := map[string]inputSource{}
	if quickTexts(text, texts) {
		var want map[string]map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil || len(want) != len(texts) {
			t.Errorf("%.2000s: texts are read as %v, and decoded as %v, %v", text, texts, want, err)
		}
		for name, source := range want {
			var content *string
			if raw := source["content"]; len(raw) > 0 && json.Unmarshal(raw, &content) != nil || !reflect.DeepEqual(content, texts[name].Content) {
				t.Errorf("%.2000s: the text of %q is read as %v, and decoded as %v", text, name, texts[name].Content, content)
			}
		}
	}
}

// FuzzQuick: what is read from a text is what encoding/json decodes.
func FuzzQuick(f *testing.F) {
	for _, text := range oddOutputs {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkQuick(t, text) })
}

// TestQuick: what tools write is read from the text, and read alike.
func TestQuick(t *testing.T) {
	outputs := 0
	for _, text := range outputsOfFixtures(t) {
		checkQuick(t, text)
		if d, ok := quickDocument(text); ok && d.decoded != nil && len(d.decoded.Contracts) > 0 {
			outputs++
		}
		if _, ok := quickDocument(text); !ok {
			var d document
			if err := reading.DecodeJSON(text, "", &d); err == nil {
				t.Errorf("%.200s…: is not read from the text", text)
			}
		}
	}
	if outputs == 0 {
		t.Error("no fixture has an output that is read from the text")
	}
}
