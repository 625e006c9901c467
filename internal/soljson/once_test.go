package soljson

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const counted = `// SPDX-License-Identifier: MIT
pragma solidity >=0.4.26;
library L { function twice(uint256 x) public pure returns (uint256) { return x * 2; } }
contract A { uint256 public n; function f(uint256 x) external returns (uint256) { n = L.twice(x); return block.timestamp; } }
interface I { function f(uint256 x) external returns (uint256); }
`

// TestOnce: what is picked from an answer to everything is what the compiler answers, and where it may not be, the
// compiler is asked.
func TestOnce(t *testing.T) {
	t.Parallel()
	code := `"evm.bytecode.object", "evm.deployedBytecode.object"`
	for _, test := range []struct {
		name, pkg, source, settings string
		once                        bool
	}{
		{"all", "solc", counted, `"outputSelection": {"*": {"": ["ast"], "*": ["abi", "storageLayout", "evm.bytecode.linkReferences", "evm.deployedBytecode.sourceMap", "evm.deployedBytecode.immutableReferences", ` + code + `]}}`, true},
		{"code", "solc", counted, `"viaIR": true, "outputSelection": {"*": {"*": [` + code + `]}}`, true},
		{"old", "solc-0.4.26", counted, `"outputSelection": {"*": {"": ["ast"], "*": ["abi", "evm.bytecode.linkReferences", ` + code + `]}}`, false},
		{"no code", "solc", counted, `"outputSelection": {"*": {"*": ["abi"]}}`, false},
		{"whole code", "solc", counted, `"outputSelection": {"*": {"*": ["evm.bytecode"]}}`, false},
		{"one file", "solc", counted, `"outputSelection": {"a.sol": {"*": [` + code + `]}}`, false},
		{"other outputs", "solc", counted, `"outputSelection": {"*": {"*": ["metadata", ` + code + `]}}`, false},
		{"an error", "solc", strings.Replace(counted, "x * 2", "y", 1), `"outputSelection": {"*": {"*": [` + code + `]}}`, false},
	} {
		path, err := filepath.Abs(filepath.Join("../../.cache/npm/node_modules", test.pkg, "soljson.js"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(test.source)
		if err != nil {
			t.Fatal(err)
		}
		input := []byte(`{"language": "Solidity", "sources": {"a.sol": {"content": ` + string(text) + `}}, "settings": {` + test.settings + `}}`)
		once := false
		if q, ok := read(input); ok {
			if answer, err := q.answerOf(path); err == nil {
				_, once = q.part(answer)
			}
		}
		if once != test.once {
			t.Errorf("%s: picked from an answer to everything: %t", test.name, once)
		}
		if got, want := decoded(t, Compile, path, input), decoded(t, compile, path, input); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another answer than the compiler's", test.name)
		}
	}
}

func decoded(t *testing.T, compile func(string, []byte) ([]byte, error), path string, input []byte) (output any) {
	t.Helper()
	text, err := compile(path, input)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &output); err != nil {
		t.Fatal(err)
	}
	return output
}
