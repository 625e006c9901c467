package replay

import (
	"fmt"
	"path"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// FuzzTestRun is a Foundry test that runs a fuzz test of the project with some arguments: it
// inherits the test contract, so that forge calls its setUp() before.
type FuzzTestRun struct {
	Contract *bytecode.Contract // of the fuzz test
	Calldata []byte
	Call     string // for people: "VaultTest.testFuzz_withdraw(99)"
}

// NewFuzzTestRun is a sequence that runs a fuzz test, see [input.IsTest]. An error says for
// people why there is none.
func NewFuzzTestRun(space *input.Space, seq input.Sequence) (*FuzzTestRun, error) {
	if len(seq) != 1 {
		return nil, exit.BadInput("it deploys a contract before the test")
	}
	c := space.Instances[seq[0].Instance].Contract
	if solidityComment(c.Source) != c.Source || strings.ContainsAny(c.Source, `"\`) || solidityName(c.Name) != c.Name {
		return nil, exit.BadInput("%s cannot be imported: its name has unusual characters", human.Printable(c.QualifiedName()))
	}
	call := space.Encode(seq, nil)[0]
	return &FuzzTestRun{Contract: c, Calldata: call.Data, Call: space.Describe(&seq[0])}, nil
}

// Folder is that of the test contract, relative to the project's.
func (t *FuzzTestRun) Folder() string { return path.Dir(t.Contract.Source) }

// Names are those of the contract and the function of the test with an id.
func (t *FuzzTestRun) Names(id string) (contract, function string) {
	id = solidityName(id)
	return "Sightline_" + id, "test_" + id
}

// testRunBody calls the fuzz test: msg.sender and address(this) are what they are when forge
// calls it.
const testRunBody = `
import {%s} from "%s";

contract %s is %s {
    function %s() public {
        // %s
        (bool ok, bytes memory out) = address(this).delegatecall(%s);
        if (!ok) {
            assembly { revert(add(out, 32), mload(out)) }
        }
    }
}
`

// Source is the text of the test, which imports the test contract's source from a folder:
// "." if it is in the same.
func (t *FuzzTestRun) Source(id, folder, said string) string {
	contract, function := t.Names(id)
	head := fmt.Sprintf(foundryTestHead, solidityComment(said), solidityComment(path.Join(t.Contract.Folder, t.Folder(), solidityName(id)+".t.sol")), function, failsSaidOfTest)
	return strings.TrimSuffix(head, "\n") + strings.TrimPrefix(fmt.Sprintf(testRunBody,
		t.Contract.Name, folder+"/"+path.Base(t.Contract.Source), contract, t.Contract.Name, function, solidityComment(t.Call), hexLiteral(t.Calldata)), "\n")
}

// keptRunBody is the body of a kept test, which stands in for the test contract instead of inheriting from
// it: forge would run all of its tests again.
const keptRunBody = `import {%s} from "%s";

interface SightlineVm {
    function etch(address account, bytes calldata code) external;
}

contract %s {
%s%s
    function %s() public {
        // %s
        (bool ok, bytes memory out) = address(this).delegatecall(%s);
        if (!ok) {
            assembly { revert(add(out, 32), mload(out)) }
        }
    }
}
`

// keptBody is the test without its head, for a folder from which the source is imported.
func (t *FuzzTestRun) keptBody(id, source, setUp string) string {
	contract, function := t.Names(id)
	name := t.Contract.Name
	return fmt.Sprintf(keptRunBody, name, source, contract, vmConstant, standInText(name, setUp), function, solidityComment(t.Call), hexLiteral(t.Calldata))
}

// failsSaidOfTest is what it means that the test fails.
const failsSaidOfTest = "It calls the fuzz test with the arguments that were found, and fails as long as the fuzz test does."
