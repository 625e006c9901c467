package project

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/internal/testing/testfiles"
)

// TestCompileOlder: the newest compiler that the pragma allows refuses the
// source, one of the version of the language before takes it.
func TestCompileOlder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := filepath.Join(root, "src", "Old.sol")
	testfiles.Write(t, file, "pragma solidity >=0.5.0 <0.9.0;\ncontract Old { uint public most = uint(-1); }\n")
	outputs, err := CompileSources(t.Context(), root, compilers(t), kept(t))
	if err != nil || !strings.HasPrefix(outputs[0].Compiler, "0.7.6") {
		t.Fatalf("%v, %v", outputs, err)
	}
	// What none takes is reported as the newest has it.
	testfiles.Write(t, file, "pragma solidity >=0.7.0 <0.9.0;\ncontract Old { uint public most = ; }\n")
	if _, err = CompileSources(t.Context(), root, compilers(t), kept(t)); !errors.Is(err, solc.ErrCompile) || !strings.Contains(err.Error(), "solc 0.8.30") {
		t.Errorf("error %v", err)
	}
}
