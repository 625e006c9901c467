package compile

import (
	"reflect"
	"testing"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// oddABIs have names twice, entries twice, and entries that are refused.
var oddABIs = []string{
	`[]`, `[ ]`, `null`, `{}`, `[null]`, `[{}]`, `[{"type":"function","name":"f"},{"type":"function","name":"f","inputs":[{"type":"uint256"}]},{"type":"function","name":"f"},{"type":"function","name":"f0"}]`,
	`[{"type":"event","name":"E","inputs":[{"type":"uint256"}]},{"type":"event","name":"E","inputs":[{"type":"uint256"}]}]`, `[{"type":"error","name":"E"},{"type":"error","name":"E","inputs":[{"type":"bool"}]}]`,
	`[{"type":"constructor","inputs":[]},{"type":"constructor","inputs":[{"type":"bool","name":"b"}]}]`, `[{"type":"fallback"},{"type":"fallback"}]`, `[{"type":"fallback","stateMutability":"payable"},{"type":"receive","stateMutability":"payable"}]`,
	`[{"type":"receive","stateMutability":"payable"},{"type":"receive","stateMutability":"payable"}]`, `[{"type":"receive"}]`, `[{"type":"function","name":"","inputs":[]}]`, `[{"type":"odd"}]`,
	`[{"type":"function","name":"g","inputs":[{"name":"","type":"tuple[2]","components":[{"name":"a","type":"bytes"}]}]}]`, `[{"type":"function","name":"f","inputs":[{"type":"uint257"}]}]`,
}

// checkABI fails unless an ABI that is put together from its entries is what the whole is read as.
func checkABI(t *testing.T, entries *abiEntries, text []byte) (ok bool) {
	t.Helper()
	want, err := bytecode.ParseABI(text)
	got, ok := entries.parse(text)
	if ok && (err != nil || !reflect.DeepEqual(got, want)) {
		t.Errorf("%.2000s: is put together as %+v, and read as %+v, %v", text, got, want, err)
	}
	return ok
}

// FuzzABIEntries: an ABI that is put together from its entries is what the whole is read as.
func FuzzABIEntries(f *testing.F) {
	for _, text := range oddABIs {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var entries abiEntries
		checkABI(t, &entries, text)
		checkABI(t, &entries, text)
	})
}

// TestABIEntries: so it is with the ABIs of builds, each of which is put together.
func TestABIEntries(t *testing.T) {
	var entries abiEntries
	for _, name := range fixtures(t) {
		outputs, err := Read(fixture(name), ReadOptions{})
		if err != nil {
			continue // those that are refused have no ABI
		}
		for _, o := range outputs {
			for _, c := range o.Contracts {
				if len(c.RawABI) > 0 && !checkABI(t, &entries, c.RawABI) {
					t.Errorf("%s: the ABI of %s is not put together", name, c.Name)
				}
			}
		}
	}
	if len(entries.known) == 0 {
		t.Error("no fixture has an ABI")
	}
}
