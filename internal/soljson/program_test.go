package soljson_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/internal/soljson"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// TestProgram asks the program what forge asks of a solc.
func TestProgram(t *testing.T) {
	t.Parallel()
	path, err := soljson.Program(t.TempDir(), testsolc.Soljson(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	version, err := exec.Command(path, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := "\nVersion: 0.8.30+commit.73712a01.Linux.g++\n"; !strings.HasSuffix(string(version), want) {
		t.Errorf("version %q", version)
	}
	compile := exec.Command(path, "--allow-paths", ".", "--standard-json")
	compile.Stdin = strings.NewReader(`{"language":"Solidity","sources":{"a.sol":{"content":"contract A {}"}},"settings":{"outputSelection":{"*":{"*":["abi"]}}}}`)
	text, err := compile.Output()
	if err != nil {
		t.Fatal(err)
	}
	var output struct {
		Contracts map[string]map[string]any
	}
	if err := json.Unmarshal(text, &output); err != nil || output.Contracts["a.sol"]["A"] == nil {
		t.Errorf("output %s, %v", text, err)
	}
	if err := exec.Command(path).Run(); err == nil {
		t.Error("it runs without a mode")
	}
	if _, err := soljson.Program(t.TempDir(), "nowhere.js"); err == nil {
		t.Error("a program without its compiler")
	}
}
