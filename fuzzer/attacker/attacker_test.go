package attacker_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/testing/golden"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// TestCode: the embedded code is what the source next to it compiles to, for the oldest EVM that
// Worlds may have.
func TestCode(t *testing.T) {
	source, err := os.ReadFile("Attacker.sol")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range testsolc.Compile(t, string(source), testsolc.Settings{Optimize: true, Fork: evm.Forks()[0]}) {
		got, err := json.MarshalIndent(map[string][]byte{"runtime": c.Runtime.Bytes}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "attacker.json", string(got)+"\n")
	}
}
