package compile

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestYulBuild: the output of a Yul source without its input is refused by itself,
// with the reason, and left out of a folder that holds others.
func TestYulBuild(t *testing.T) {
	t.Parallel()
	const source = `object "A" { code { datacopy(0, dataoffset("r"), datasize("r")) return(0, datasize("r")) } object "r" { code { sstore(0, 1) } } }`
	input, err := json.Marshal(map[string]any{"language": "Yul", "sources": map[string]any{"src/A.yul": map[string]any{"content": source}},
		"settings": map[string]any{"outputSelection": map[string]any{"*": map[string]any{"": []string{"ast"}, "*": []string{"evm.bytecode", "evm.deployedBytecode"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	output, err := compiler(t, "0.8.30").Compile(t.Context(), input)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	info, err := json.Marshal(map[string]any{"input": json.RawMessage(input), "output": json.RawMessage(output)})
	if err != nil {
		t.Fatal(err)
	}
	const tree = `{"sources": {"a.yul": {"id": 0, "ast": {"nodeType": "YulObject", "name": "A"}}}, "contracts": {"a.yul": {"A": {}}}}`
	for name, text := range map[string][]byte{"yul.json": info, "alone/a.json": output, "alone/tree.json": []byte(tree)} {
		testfiles.Write(t, filepath.Join(root, filepath.FromSlash(name)), string(text))
	}
	for _, name := range []string{"alone/a.json", "alone/tree.json", "alone"} {
		_, err := Read(filepath.Join(root, filepath.FromSlash(name)), ReadOptions{})
		if !errors.Is(err, reading.ErrNoContracts) || name != "alone" && !strings.Contains(err.Error(), `its language is "Yul", which cannot be mapped`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, side := range []string{"input", "output"} {
		text, err := os.ReadFile(filepath.Join("testdata", "market."+side+".json"))
		if err != nil {
			t.Fatal(err)
		}
		testfiles.Write(t, filepath.Join(root, "market."+side+".json"), string(text))
	}
	outputs, err := Read(root, ReadOptions{})
	if err != nil || len(outputs) != 2 || !strings.HasSuffix(outputs[0].Origin, "market.output.json") || outputs[1].Sources[0].Path != "src/A.yul" {
		t.Errorf("%d outputs, %v", len(outputs), err)
	}
}
