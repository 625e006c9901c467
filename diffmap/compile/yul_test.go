package compile

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
)

// TestYulDebugBuild: what a plain build of a Yul source, made without AST and with
// the optimizer, becomes when it is mapped, and why some cannot be.
func TestYulDebugBuild(t *testing.T) {
	t.Parallel()
	const source = `// é, an "object" in a comment
object "A" {
  code { let object_ := "object" sstore(0, object_) datacopy(0, dataoffset("r"), datasize("r")) return(0, datasize("r")) }
  data "object" "object"
  object "r" { code { sstore(0, 7) } }
}
`
	for _, test := range []struct{ name, version, path, source, want string }{
		{"mapped", "0.8.30", "src/A.yul", source, ""},
		{"no AST", "0.8.17", "src/A.yul", source, yulNoAST},
		{"places of its own", "0.8.30", "src/A.yul", strings.Replace(source, "// é", "/// @src 0:1:2\n//", 1), yulAnnotated},
		{"odd name", "0.8.30", `src/"A.yul`, source, yulOddName},
		{"no object", "0.8.30", "src/A.yul", "{ sstore(0, 1) }", yulNoObject},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			input, err := json.Marshal(map[string]any{"language": "Yul", "sources": map[string]any{test.path: map[string]any{"content": test.source}},
				"settings": map[string]any{"optimizer": map[string]any{"enabled": true}, "outputSelection": map[string]any{"*": map[string]any{"*": []string{"evm.bytecode", "evm.deployedBytecode"}}}}})
			if err != nil {
				t.Fatal(err)
			}
			c := compiler(t, test.version)
			output, err := c.Compile(t.Context(), input)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := ReadSolc(input, output, "a.json", reading.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if plain.Obstacle() == "" || plain.Sources[0].Unmapped != yulOwnText {
				t.Errorf("as it is: obstacle %q, unmapped %q", plain.Obstacle(), plain.Sources[0].Unmapped)
			}
			mapped, _, err := plain.ForDebug(t.Context(), solc.Options{Solc: c.Path()}, DebugOptions{})
			if err != nil {
				t.Fatal(err)
			}
			s := mapped.Sources[0]
			if s.Unmapped != test.want || string(s.Text) != test.source {
				t.Fatalf("unmapped %q, want %q; text %q", s.Unmapped, test.want, s.Text)
			}
			if test.want == "" {
				checkYulPlaces(t, mapped.Contracts[0], s)
			}
		})
	}
}

// checkYulPlaces looks for the places of the SSTORE in either code.
func checkYulPlaces(t *testing.T, c *Contract, s *Source) {
	t.Helper()
	found := map[string]bool{}
	places := append(c.CreationMap, c.RuntimeMap...)
	for i := range places {
		e := places.At(i)
		if e.File == 0 {
			found[string(s.Text[e.Start:e.Start+e.Length])] = true
		}
	}
	for _, want := range []string{"sstore(0, object_)", `sstore(0, 7)`} {
		if !found[want] {
			t.Errorf("no instruction of %s", want)
		}
	}
	if !bytes.Contains(c.RawABI, []byte("fallback")) {
		t.Errorf("ABI %s", c.RawABI)
	}
}
