package soljson_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/soljson"
)

// TestCompile: a compiler that stays loaded answers each input as if it were the first,
// the oldest and the newest one.
func TestCompile(t *testing.T) {
	for _, pkg := range []string{"solc-0.4.26", "solc"} {
		path, err := filepath.Abs(filepath.Join("../../.cache/npm/node_modules", pkg, "soljson.js"))
		if err != nil {
			t.Fatal(err)
		}
		compile := func(source string) string {
			t.Helper()
			input, err := json.Marshal(map[string]any{"language": "Solidity", "sources": map[string]any{"é.sol": map[string]any{"content": source}},
				"settings": map[string]any{"outputSelection": map[string]any{"*": map[string]any{"*": []string{"evm.bytecode.object"}}}}})
			if err != nil {
				t.Fatal(err)
			}
			output, err := soljson.Compile(path, input)
			if err != nil {
				t.Fatal(err)
			}
			return string(output)
		}
		first := compile("contract A { uint public x = 7; }")
		if wrong := compile("contract A {"); !strings.Contains(wrong, "error") {
			t.Errorf("%s: %s", pkg, wrong)
		}
		if again := compile("contract A { uint public x = 7; }"); again != first || !strings.Contains(first, `"object":"6`) {
			t.Errorf("%s: first %s, then %s", pkg, first, again)
		}
	}
}
