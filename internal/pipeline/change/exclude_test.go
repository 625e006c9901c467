package change

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/diffmap"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/progress"
)

// TestLimitTargets keeps whole lines, those of contracts under test first.
func TestLimitTargets(t *testing.T) {
	var contracts []*bytecode.Contract
	for _, source := range []string{"mocks/A.sol", "src/B.sol", "src/C.sol"} {
		contracts = append(contracts, &bytecode.Contract{Name: "X", Source: source})
	}
	byName := map[string]*bytecode.Contract{}
	c := &Change{options: &Options{}, Mapping: &diffmap.Mapping{}, log: progress.NewLog(io.Discard, time.Now)}
	for i, contract := range contracts {
		byName[contract.QualifiedName()] = contract
		for line := 1; line <= 2; line++ {
			c.Mapping.Lines = append(c.Mapping.Lines, diffmap.Line{Position: bytecode.Position{File: contract.Source, Line: line},
				Targets: []int{2*i + line - 1}})
			c.Mapping.Targets = append(c.Mapping.Targets, bytecode.Target{Contract: contract.QualifiedName()})
		}
	}
	c.limitTargets(byName, 6)
	if len(c.Mapping.Targets) != 6 || len(c.log.Warnings()) > 0 {
		t.Fatalf("within the limit: %d targets, %v", len(c.Mapping.Targets), c.log.Warnings())
	}
	c.limitTargets(byName, 3)
	got := ""
	for _, l := range c.Mapping.Lines {
		got += fmt.Sprintf("%s %d %s\n", l.Position, len(l.Targets), l.Status)
	}
	want := `mocks/A.sol:1 0 unmapped
mocks/A.sol:2 0 unmapped
src/B.sol:1 1 
src/B.sol:2 1 
src/C.sol:1 1 
src/C.sol:2 0 unmapped
`
	if got != want || len(c.Mapping.Targets) != 3 {
		t.Errorf("got\n%s%d targets, want\n%s", got, len(c.Mapping.Targets), want)
	}
	if c.findUnread(); len(c.Unread) != 1 || c.Unread[0].File != "src/C.sol" || !c.Unread[0].Blocks {
		t.Errorf("unread %+v", c.Unread)
	}
	if len(c.log.Warnings()) != 1 || !strings.Contains(c.log.Warnings()[0], "3 changed lines excluded, 3 kept") {
		t.Errorf("warnings %q", c.log.Warnings())
	}
}

// TestTestCode tells the project's tests from what they test.
func TestTestCode(t *testing.T) {
	contracts := map[string]*bytecode.Contract{}
	for _, c := range []*bytecode.Contract{
		{Name: "Vault", Source: "src/Vault.sol"},
		{Name: "VaultTest", Source: "test/Vault.t.sol", Implements: []string{"VaultTest", "Base", "Test"}},
		{Name: "Odd", Source: "src/Odd.sol", Implements: []string{"Odd", "Test"}},
		{Name: "MockToken", Source: "test/mocks/MockToken.sol"},
	} {
		contracts[c.QualifiedName()] = c
	}
	for _, test := range []struct {
		file    string
		holders []string
		want    string // why the first holder's is no target
	}{
		{"src/Vault.sol", []string{"src/Vault.sol:Vault"}, ""},
		{"src/Vault.sol", []string{"test/Vault.t.sol:VaultTest", "src/Vault.sol:Vault"}, "test code: it inherits from Test"},
		{"src/Library.sol", []string{"test/Vault.t.sol:VaultTest"}, ""},
		{"src/Library.sol", []string{"test/Vault.t.sol:VaultTest", "test/mocks/MockToken.sol:MockToken"}, ""},
		{"test/Vault.t.sol", []string{"test/Vault.t.sol:VaultTest"}, "test code: it is below test/"},
		{"app/test/Base.sol", []string{"test/Vault.t.sol:VaultTest"}, "test code: it is below test/"},
		{"app/src/Odd.sol", []string{"src/Odd.sol:Odd"}, "test code: it inherits from Test"},
		{"test/mocks/MockToken.sol", []string{"test/mocks/MockToken.sol:MockToken"}, ""},
	} {
		c := &Change{Mapping: &diffmap.Mapping{}}
		line := diffmap.Line{Position: bytecode.Position{File: test.file, Line: 1}}
		for i, name := range test.holders {
			line.Targets = append(line.Targets, i)
			c.Mapping.Targets = append(c.Mapping.Targets, bytecode.Target{Contract: name})
		}
		if got, _ := c.testCode(&line, contracts[test.holders[0]], contracts); got != test.want {
			t.Errorf("%s in %v: %q, want %q", test.file, test.holders, got, test.want)
		}
	}
}
