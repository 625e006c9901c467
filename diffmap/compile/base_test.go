package compile

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// TestCompilerOfBase has head and base compiled by one release wherever that is right: sources that
// come with exact pragmas, as tests do, choose the head's, and not another one for the base.
func TestCompilerOfBase(t *testing.T) {
	const wide = "pragma solidity >=0.7.0;"
	for _, test := range []struct {
		name, head, came, was, configured, want string
	}{
		{"nothing changed", "0.8.17", "", "", "", "0.8.17"},
		{"an exact pragma came", "0.8.17", "pragma solidity 0.8.17;", "", "", "0.8.17"},
		{"a pragma was widened", "0.8.30", wide, "pragma solidity 0.8.17;", "", "0.8.17"},
		{"one of another language came", "0.7.6", "pragma solidity ^0.7.0;", "", "", "0.8.30"},
		{"the same, and the configuration names it", "0.7.6", "pragma solidity ^0.7.0;", "", "0.7.6", "0.7.6"},
		{"the configuration names another", "0.7.6", "pragma solidity ^0.7.0;", "", "0.8.17", "0.8.30"},
		{"the base refuses what is named", "0.7.6", wide, "pragma solidity ^0.8.0;", "0.7.6", "0.8.30"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := &Output{Compiler: test.head, Sources: []*Source{{Path: "A.sol", Text: []byte(wide)}}}
			texts := map[string][]byte{}
			if test.came != "" {
				o.Sources = append(o.Sources, &Source{Path: "B.sol", Text: []byte(test.came)})
				texts["B.sol"] = nil
			}
			if test.was != "" {
				texts["B.sol"] = []byte(test.was)
			}
			options := compilers(t)
			options.Root = t.TempDir()
			if test.configured != "" {
				text := "[profile.default]\nsolc = \"" + test.configured + "\"\n"
				if err := os.WriteFile(filepath.Join(options.Root, "foundry.toml"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := o.CompilerOfBase(t.Context(), texts, options)
			if err != nil || got.Number().String() != test.want {
				t.Errorf("%v, %v; want %s", got, err, test.want)
			}
		})
	}
}

// TestBaseAsGiven: where the head is the project's own build, since the optimizer is off, its base is compiled in the same way, by
// either code generator. Else code would differ where no source does.
func TestBaseAsGiven(t *testing.T) {
	t.Parallel()
	for _, viaIR := range []bool{false, true} {
		settings := map[string]any{"viaIR": viaIR, "optimizer": map[string]any{"enabled": false},
			"outputSelection": map[string]any{"*": map[string]any{"": []string{"ast"}, "*": []string{"abi", "evm.bytecode", "evm.deployedBytecode"}}}}
		text := "contract A { function f(uint256 x) external pure returns (uint256) { uint256 y = x + 1; return y; } }"
		input, err := json.Marshal(map[string]any{"language": "Solidity", "settings": settings, "sources": map[string]any{"A.sol": map[string]any{"content": text}}})
		if err != nil {
			t.Fatal(err)
		}
		c := compiler(t, "0.8.30")
		output, err := c.Compile(t.Context(), input)
		if err != nil {
			t.Fatal(err)
		}
		head, err := ReadSolc(input, output, "head", reading.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		base, err := head.BaseBuild(t.Context(), BaseOptions{Texts: map[string][]byte{"A.sol": []byte(text)}}, compilers(t), kept(t))
		if err != nil {
			t.Fatal(err)
		}
		if base.Settings.ViaIR != viaIR || base.Settings.Optimizer {
			t.Errorf("viaIR %t: the base's settings are %+v", viaIR, base.Settings)
		}
		if !bytes.Equal(base.Contracts[0].Runtime.Bytes, head.Contracts[0].Runtime.Bytes) {
			t.Errorf("viaIR %t: the base's code is another", viaIR)
		}
	}
}
