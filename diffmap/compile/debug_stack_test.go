package compile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// assemblySource has an assembly block with more variables than the stack has
// reachable slots, each dead on the next line. Its statements are on the lines 5
// to 28, 29, 31 and 33.
func assemblySource() string {
	var text strings.Builder
	text.WriteString("pragma solidity >=0.7.0;\ncontract Assembly {\n uint public x;\n function f(uint a) public { assembly {\n")
	for i := range 24 {
		fmt.Fprintf(&text, "  let v%d := calldataload(%d) sstore(%d, v%d)\n", i, i, i, i)
	}
	text.WriteString("  sstore(a, 1) }\n  if (a == 3)\n   x = 5;\n  else if (a == 4)\n   x = 5;\n }\n}\n")
	return text.String()
}

// TestDebugStackAllocation checks the first way out of a deep stack: it keeps
// legacy code, and every line.
func TestDebugStackAllocation(t *testing.T) {
	t.Parallel()
	input := standardJSON(t, map[string]string{"Assembly.sol": assemblySource()}, map[string]any{})
	for _, version := range []string{"0.7.6", "0.8.30"} {
		o, err := DebugBuild(t.Context(), input, compiler(t, version), kept(t))
		if err != nil {
			t.Fatal(err)
		}
		if !o.Debug || o.Settings.ViaIR || o.Obstacle() != "" {
			t.Errorf("%s: debug %v, settings %+v", version, o.Debug, o.Settings)
		}
		c := o.Contracts[0]
		lines := mappedLines(o, c.RuntimeMap, c.Runtime.Bytes)
		for line := 5; line <= 33; line++ {
			if line != 30 && line != 32 && !slices.Contains(lines, line) {
				t.Errorf("%s: no instruction for line %d", version, line)
			}
		}
	}
}

// TestDebugAttempts lists what is tried, for each kind of compiler.
func TestDebugAttempts(t *testing.T) {
	for version, want := range map[string]int{"0.5.17": 2, "0.7.6": 5, "0.8.30": 5} {
		s := &scripted{version: version, answer: func(standardSettings) string { return tooDeepOutput }}
		input := sampleInput(t, "Market.sol", map[string]any{
			"optimizer": map[string]any{"enabled": true},
			"libraries": map[string]any{"a.sol": map[string]string{"L": "0x0000000000000000000000000000000000001234"}},
		})
		if _, err := DebugBuild(t.Context(), input, s, DebugOptions{}); err == nil {
			t.Errorf("%s: no error", version)
		}
		if len(s.inputs) != want {
			t.Errorf("%s: %d attempts, want %d", version, len(s.inputs), want)
		}
		if last := string(s.inputs[len(s.inputs)-1]); version != "0.5.17" && !(strings.Contains(last, `"viaIR":true`) && strings.Contains(last, `"enabled":true`)) {
			t.Errorf("%s: the last attempt is not the one that the compiler advises: %s", version, last)
		}
		for i, input := range s.inputs {
			if strings.Contains(string(input), "1234") {
				t.Errorf("%s: attempt %d keeps the libraries' addresses", version, i)
			}
		}
	}
}

// TestLinkedObstacle: a build whose libraries have addresses is compiled again
// without, so that they become links.
func TestLinkedObstacle(t *testing.T) {
	t.Parallel()
	outputs, err := Read(fixture("hardhat2"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	input := decoded(t, outputs[0].Input)
	input["settings"] = json.RawMessage(`{"libraries": {"contracts/Step.sol": {"Step": "0x0000000000000000000000000000000000001234"}, "other.sol": {}},
		"outputSelection": {"*": {"": ["ast"], "*": ["abi", "evm.bytecode", "evm.deployedBytecode"]}}}`)
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	output, err := compiler(t, "0.8.30").Compile(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	linked, err := ReadSolc(text, output, "linked", reading.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if links, obstacle := linked.Contracts[0].Runtime.Links, linked.Obstacle(); len(links) != 0 || obstacle != "has libraries at fixed addresses" {
		t.Errorf("links %v, obstacle %q", links, obstacle)
	}
	mapped, note, err := linked.ForDebug(t.Context(), compilers(t), kept(t))
	if err != nil || note != "" || len(mapped.Contracts[0].Runtime.Links) != 1 {
		t.Errorf("note %q, error %v", note, err)
	}
	linked.Input = nil
	if _, note, err = linked.ForDebug(t.Context(), compilers(t), kept(t)); err != nil || !strings.Contains(note, "calls of these libraries fail") {
		t.Errorf("note %q, error %v", note, err)
	}
}

// TestForDebugCanceled: a run that is canceled gets an error, whether or not a compiler was
// found before that.
func TestForDebugCanceled(t *testing.T) {
	o := &Output{Compiler: compiler(t, "0.8.30").Version(), Settings: Settings{Known: true, Optimizer: true}, Input: json.RawMessage(`{}`)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if mapped, _, err := o.ForDebug(ctx, compilers(t), DebugOptions{}); mapped != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("output %v, error %v", mapped, err)
	}
}
