package world

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Many tests deploy what they test themselves, and not in setUp(). Where no set-up has made
// a contract with targets, a test function that does becomes part of the set-up: so the
// contract's arguments, and what was done to it first, are those of the tests.

// maxMakers bounds such functions of one World. Arbitrary; as for set-ups.
const maxMakers = 16

// made is what a test function deploys.
type made struct {
	TestCall
	contracts []*bytecode.Contract // with targets
}

// deployedBy lists the contracts with targets that the last call of an execution, a test
// function, has created; none if it failed.
func (s *setups) deployedBy(exec *evm.Execution, table *bytecode.Table) []*bytecode.Contract {
	if exec.Calls[len(exec.Calls)-1].Outcome != evm.Success {
		return nil
	}
	var contracts []*bytecode.Contract
	for _, c := range createdBy(exec) {
		p := table.LookupCreation(c.call.Data)
		if p != nil && p.Contract != nil && len(s.Lines[p.Contract.QualifiedName()]) > 0 && !slices.Contains(contracts, p.Contract) {
			contracts = append(contracts, p.Contract)
		}
	}
	return contracts
}

// runAlso runs test functions as long as they deploy what holds lines that no instance does;
// or those that options name.
func (s *setups) runAlso(ctx context.Context, f *foundry) error {
	if s.strict() {
		return s.runNamed(ctx, f)
	}
	used := 0
	for _, u := range s.used {
		if u.survey == nil {
			continue
		}
		for _, m := range u.survey.makes {
			if used == maxMakers {
				return nil
			}
			if s.gain(m.contracts) == 0 {
				continue
			}
			failure, err := f.also(ctx, &s.tried[u.setUp], m.TestCall, s)
			if err != nil {
				return err
			}
			if failure == "" {
				used++
				s.hold(f.instances)
			}
		}
	}
	return nil
}

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

// selectorSize is what calldata begins with, bytes.
const selectorSize = 4

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

// alsoCall adds a call that options name.
func (s *setups) alsoCall(c *bytecode.Contract, call []byte) {
	if s.Also == nil {
		s.Also = map[string][][]byte{}
	}
	name := c.QualifiedName()
	s.Also[name] = append(slices.Clip(s.Also[name]), call)
}

// runNamed runs the test functions that options name.
func (s *setups) runNamed(ctx context.Context, f *foundry) error {
	for i := range s.tried {
		up := &s.tried[i]
		for _, data := range s.Also[up.Contract.QualifiedName()] {
			m, err := up.Contract.ABI.MethodById(data)
			if err != nil || up.Failure != "" {
				continue
			}
			failure, err := f.also(ctx, up, TestCall{Function: m.Sig, Data: data}, s)
			if err != nil {
				return err
			}
			if failure != "" && s.Strict {
				return fmt.Errorf("%s cannot be set up: %s", up.Contract.QualifiedName(), failure)
			}
			if failure != "" {
				f.report.Notes = append(f.report.Notes, fmt.Sprintf("nothing of %s.%s is in the World: %s", up.Contract.QualifiedName(), m.Sig, failure))
			}
		}
	}
	return nil
}

// also runs a test function after the set-ups and adopts what it makes; or says why not, and
// leaves nothing of it.
func (fo *foundry) also(ctx context.Context, up *TestSetup, call TestCall, s *setups) (failure string, err error) {
	before := fo.save()
	if err := fo.runner.as(up); err != nil {
		return "", err
	}
	fo.calls = append(fo.calls, evm.Call{From: fo.runner.tester, To: up.Address, Data: call.Data, Gas: s.chain.Gas})
	exec, err := fo.machine.Run(fo.calls)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", err
	}
	if result := &exec.Calls[len(exec.Calls)-1]; result.Outcome != evm.Success {
		fo.restore(before)
		return fmt.Sprintf("its %s fails: %s", call.Function, result.Reason()), nil
	}
	if call.Made, err = fo.adopter.adoptCreated(exec, up, call.Function, s); err != nil {
		return "", err
	}
	up.Also = append(up.Also, call)
	return "", nil
}
