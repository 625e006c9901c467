package world

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// NamedTest is the contract of a name that can set up a World, "VaultTest" or
// "test/Vault.t.sol:VaultTest", and the calldata of a function of it that the name ends with:
// "VaultTest.testOpen()", or "VaultTest.0x…", with arguments. nil: it names none. An error says
// why there is none.
func NamedTest(contracts []*bytecode.Contract, name string) (c *bytecode.Contract, call []byte, err error) {
	name, function := CutTest(name)
	found, err := namedContracts(contracts, []string{name})
	if err != nil {
		return nil, nil, err
	}
	for _, c := range found {
		if c.Deployable() && !c.Library && len(c.ABI.Constructor.Inputs) == 0 {
			call, err := namedFunction(c, function)
			return c, call, err
		}
	}
	if c = found[0]; c.Deployable() && !c.Library {
		return nil, nil, fmt.Errorf("%s cannot set up the World: its constructor has parameters; name a test contract without", c.QualifiedName())
	}
	return nil, nil, fmt.Errorf("%s cannot set up the World: it is abstract, an interface or a library; name a test contract that can be deployed", c.QualifiedName())
}

// CutTest splits the name of a test contract from that of a function of it; empty: it has none.
func CutTest(name string) (contract, function string) {
	_, function, _ = strings.Cut(name[strings.LastIndex(name, ":")+1:], ".")
	return strings.TrimSuffix(strings.TrimSuffix(name, function), "."), function
}

// Name is how [NamedTest] takes the call of a test contract's function.
func (c *TestCall) Name(contract *bytecode.Contract) string {
	if len(c.Data) == selectorSize {
		return contract.QualifiedName() + "." + c.Function
	}
	return contract.QualifiedName() + "." + hexutil.Encode(c.Data)
}

// namedFunction is the calldata of a function as [TestCall.Name] writes it; nil for none.
func namedFunction(c *bytecode.Contract, name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	call, err := hexutil.Decode(name)
	if err != nil {
		call = selector(name)
		name += "; write a call with arguments as its calldata: " + c.Name + ".0x…"
	}
	m, err := c.ABI.MethodById(call)
	if err != nil || len(m.Inputs) > 0 && len(call) == selectorSize {
		return nil, fmt.Errorf("%s has no function %s", c.QualifiedName(), name)
	}
	return call, nil
}

// IsTestContract reports whether forge would take a contract for one with tests,
// and can deploy it. Those that Sightline wrote say nothing of what the project means: they pin what
// a run saw, and deploy what it did.
func IsTestContract(c *bytecode.Contract) bool {
	if !c.Deployable() || strings.HasPrefix(c.Name, writtenTest) || c.Library || len(c.ABI.Constructor.Inputs) > 0 || !isTestCode(c) {
		return false
	}
	for _, m := range c.ABI.Methods {
		for _, prefix := range []string{"test", "invariant"} {
			if len(m.RawName) >= len(prefix) && m.RawName[:len(prefix)] == prefix {
				return true
			}
		}
	}
	return hasMethod(c.ABI, evm.SetUp)
}

// writtenTest is how the names of test contracts begin that `sightline tests` and
// `sightline replay --foundry-test` write.
const writtenTest = "Sightline_"

// selectorSize is what calldata begins with, bytes.
const selectorSize = 4

// hasInvariants reports whether forge would ask a contract for invariants that a
// campaign knows as properties.
func hasInvariants(c *bytecode.Contract) bool {
	for _, m := range c.ABI.Methods {
		if len(m.Inputs) == 0 && strings.HasPrefix(m.RawName, "invariant_") {
			return true
		}
	}
	return false
}
