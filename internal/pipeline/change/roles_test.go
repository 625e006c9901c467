package change

import (
	"errors"
	"strings"
	"testing"

	"github.com/sightline-evm/sightline/diffmap/git"
	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// TestRoles: what a change calls a test is one, unless the base had it under test.
func TestRoles(t *testing.T) {
	const vault, test, mock = "contract Vault {\n    uint a;\n}\n", "contract Vault is Test {\n    uint a;\n}\n", "contract MockVault {\n    uint a;\n}\n"
	for name, c := range map[string]struct {
		from, to  string // paths; empty: there is none
		old, text string
		isTest    bool
		aside     bool
	}{
		"stays":                {"src/Vault.sol", "src/Vault.sol", vault, vault, false, false},
		"stays a test":         {"test/Vault.sol", "test/Vault.sol", vault, vault, true, false},
		"new test":             {"", "test/Vault.sol", "", vault, true, false},
		"new test elsewhere":   {"", "src/Vault.sol", "", test, true, false},
		"moves among tests":    {"test/Vault.sol", "test/unit/Vault.t.sol", vault, vault, true, false},
		"misplaced test":       {"src/Vault.sol", "test/Vault.sol", test, test, true, false},
		"mock":                 {"src/Vault.sol", "test/mocks/Vault.sol", mock, mock, false, false},
		"moves out of tests":   {"test/Vault.sol", "src/Vault.sol", vault, vault, false, false},
		"moves to tests":       {"src/Vault.sol", "test/Vault.sol", vault, vault, false, true},
		"becomes *.t.sol":      {"src/Vault.sol", "src/Vault.t.sol", vault, vault, false, true},
		"becomes a script":     {"src/Vault.sol", "script/Vault.s.sol", vault, vault, false, true},
		"becomes a library":    {"src/Vault.sol", "lib/x/Vault.sol", vault, vault, false, true},
		"moves to mocks":       {"src/Vault.sol", "mocks/Vault.sol", vault, vault, false, true},
		"is ignored":           {"src/Vault.sol", "old/Vault.sol", vault, vault, false, true},
		"was ignored":          {"old/Vault.sol", "test/Vault.sol", vault, vault, false, false},
		"inherits from a test": {"src/Vault.sol", "src/Vault.sol", vault, test, false, false},
	} {
		ignore, err := git.NewIgnore([]string{"old/"})
		if err != nil {
			t.Fatal(err)
		}
		file := unified.File{OldPath: c.from, NewPath: c.to, Status: unified.Modified}
		switch {
		case c.from == "":
			file = unified.AddedFile(c.to, []byte(c.text))
		case c.from != c.to:
			file.Status = unified.Renamed
		}
		if c.old != c.text && c.from != "" {
			file.Edits = []unified.Edit{{OldStart: 1, Old: []string{"contract Vault {"}, NewStart: 1, New: []string{"contract Vault is Test {"}}}
		}
		change := &Change{ignore: ignore, Diff: &unified.Diff{Files: []unified.File{file}}, Redeclared: true, read: func(path string) ([]byte, error) {
			if path == c.to {
				return []byte(c.text), nil
			}
			return nil, errors.New("there is none")
		}}
		contract := &bytecode.Contract{Name: "Vault", Source: c.to}
		switch c.text {
		case test:
			contract.Implements = []string{"Vault", "Test"}
		case mock:
			contract.Name = "MockVault"
		}
		kind, _ := change.TestRole(contract)
		from, _ := change.movedAside(c.to)
		if (kind != "") != c.isTest || (from != "") != c.aside {
			t.Errorf("%s: a test: %q, moved aside from %q", name, kind, from)
		}
		if change.underTest(contract) == c.isTest && !strings.Contains(c.to, "mocks/") && !strings.Contains(c.to, "lib/") {
			t.Errorf("%s: under test and a test, or neither", name)
		}
	}
}
