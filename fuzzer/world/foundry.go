package world

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// foundry makes a World as the set-ups of the project's tests do.
type foundry struct {
	*deployer
	linker   *linker
	parties  *parties
	callers  *callers
	twins    *twins
	runner   *testRunner
	adopter  *adopter
	examples *examples
}

// testRunner runs set-ups and test functions as forge does.
type testRunner struct {
	*deployer
	linker *linker
	finder *finder
	tester common.Address // who runs test functions
}

// startRunner makes a runner that goes on from a World, and that nothing else goes on from.
func startRunner(w *evm.World, table *bytecode.Table, options Options) (*testRunner, error) {
	d, err := startDeployer(w, table, options)
	if err != nil {
		return nil, err
	}
	return &testRunner{deployer: d, linker: newLinker(d), finder: &finder{deployer: d, deps: newDependencies(d)}}, nil
}

// Chain is the chain that a Foundry project's tests run on.
type Chain struct {
	Block evm.Block
	// Sender deploys test contracts and runs tests.
	Sender common.Address
	// Balance is what the sender and each test contract own, wei.
	Balance uint256.Int
	// Gas is what each of the two calls gets.
	Gas uint64
}

// SetupCaller calls setUp(), whoever foundry.toml says deploys and runs tests (CALLER in
// Foundry's crate evm/core, constants.rs).
var SetupCaller = common.HexToAddress("0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38")

// DefaultChain is what `forge test` has where foundry.toml says nothing else:
// sender, initial_balance, block_number, block_timestamp, chain_id, gas_limit and
// their like in forge's configuration reference. Its base fee, coinbase and
// PREVRANDAO are zero.
func DefaultChain() Chain {
	const gas = 1 << 30 // gas_limit, of calls and of the block
	chain := Chain{
		Block:  evm.Block{Number: 1, Time: 1, GasLimit: gas, ChainID: evm.ChainID},
		Sender: SetupCaller,
		Gas:    gas,
	}
	chain.Balance.Lsh(uint256.NewInt(1), 96).SubUint64(&chain.Balance, 1)
	return chain
}

// Create2Deployer is the deterministic deployment proxy, which forge puts on the
// chain of its tests: `new C{salt: s}()` of scripts goes through it.
var Create2Deployer = common.HexToAddress("0x4e59b44847b379578588920cA78FbF26c0B4956C")

// create2DeployerCode is its code on every chain that has it.
var create2DeployerCode = common.FromHex("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3")

// foundryWorld is a World with nothing but what forge's tests find there, and the
// senders of every World. The sender's nonce begins at 1: with that, test
// contracts are where they always are.
func foundryWorld(fork string, chain *Chain, edge cheatcode.Edge) *evm.World {
	w := Empty(fork)
	w.EnableCheats(edge)
	w.Block = chain.Block
	w.Accounts[chain.Sender] = &evm.Account{Nonce: 1, Balance: chain.Balance}
	w.Accounts[Create2Deployer] = &evm.Account{Nonce: 1, Code: create2DeployerCode}
	return w
}

// codeOf is the code of a contract of the build, as vm.getCode and deployCode
// name it: "Vault", "Vault.sol", "Vault.sol:Vault" or by its path.
func codeOf(contracts []*bytecode.Contract, name string) (creation, deployed []byte, err error) {
	i := slices.IndexFunc(contracts, func(c *bytecode.Contract) bool { return isNamed(c, name) })
	if i < 0 {
		return nil, nil, fmt.Errorf("the build has no contract %q", name)
	}
	c := contracts[i]
	if !c.Deployable() || c.Runtime == nil {
		return nil, nil, fmt.Errorf("%s has no code: it is abstract or an interface", c.QualifiedName())
	}
	if len(c.Creation.Links) > 0 {
		return nil, nil, fmt.Errorf("%s links to the library %s, which getCode does not deploy", c.QualifiedName(), c.Creation.Links[0].Library)
	}
	return c.Creation.Bytes, c.Runtime.Bytes, nil
}

// isNamed reports whether a text names a contract as getCode takes it: "Vault.sol",
// "Vault.sol:Vault", "src/Vault.sol:Vault", "out/Vault.sol/Vault.json".
func isNamed(c *bytecode.Contract, text string) bool {
	file := path.Base(c.Source)
	switch text {
	case c.Name, c.UnitName(), file + ":" + c.Name:
		return true
	case c.Name + ".sol":
		return file == text
	}
	return strings.HasSuffix(text, "/"+file+"/"+c.Name+".json")
}

// setUpSignature is the function that forge calls before every test.
const setUpSignature = "setUp()"

// writtenTest is how the names of test contracts begin that `sightline tests` and
// `sightline replay --foundry-test` write.
const writtenTest = "Sightline_"

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
	return hasMethod(c.ABI, setUpSignature)
}

// isTestCode reports whether a contract tests others, rather than stands in for
// something in tests: it inherits from a test library's contract.
func isTestCode(c *bytecode.Contract) bool {
	if role(c) == Dependency {
		return false
	}
	return inherits(c, "Test", "DSTest", "Script") != "" || hasMethod(c.ABI, "IS_TEST()")
}

// setUp runs the set-up of a test contract as forge does: libraries, the test
// contract, setUp() if it has one. When that succeeds, what it has made is in the
// builder's state, and the instances are callable; when not, or when it gained
// nothing, all is as before and the result says why.
func (fo *foundry) setUp(ctx context.Context, c *setupCandidate, s *setups) (*TestSetup, error) {
	up := &TestSetup{Contract: c.contract}
	before := fo.save()
	exec, err := fo.runner.runSetUp(ctx, up, &s.chain)
	if err == nil && up.Failure == "" {
		err = fo.adopter.adopt(exec, up, s)
	}
	if c := fo.machine.World().Cheats; c != nil {
		up.pranks = c.State.Pranks
	}
	if err == nil && up.Failure == "" && !s.strict() && c.survey.covers(s.unrun)+c.survey.covers(s.unfollowed) == 0 && !c.spare && !s.gains(fo.instances[before.instances:]) {
		up.Failure, up.Idle = "it deploys no contract with targets that is not there already", true
	}
	if err != nil || up.Failure != "" {
		fo.restore(before)
	}
	return up, err
}

// runSetUp makes the calls. The machine is a new one, since what an execution
// records is bounded, and each set-up should have all of it.
func (tr *testRunner) runSetUp(ctx context.Context, up *TestSetup, chain *Chain) (*evm.Execution, error) {
	world := *tr.machine.World()
	up.Address = crypto.CreateAddress(chain.Sender, world.Accounts[chain.Sender].Nonce)
	world.Accounts = maps.Clone(world.Accounts)
	world.Accounts[up.Address] = &evm.Account{Balance: chain.Balance}
	if err := tr.moveTo(withPranks(&world, nil)); err != nil {
		return nil, err
	}
	tr.namer.labels[up.Address] = up.Contract.Name
	code, err := tr.linker.link(ctx, up.Contract)
	if err != nil {
		up.Failure = err.Error()
		return nil, ctx.Err()
	}
	tr.calls = append(tr.calls, evm.Call{From: chain.Sender, Create: true, Address: up.Address, Data: code, Gas: chain.Gas})
	if hasMethod(up.Contract.ABI, setUpSignature) {
		up.Function = setUpSignature
		tr.calls = append(tr.calls, evm.Call{From: SetupCaller, To: up.Address, Data: selector(setUpSignature), Gas: chain.Gas})
	}
	exec, err := tr.machine.Run(tr.calls)
	if err != nil {
		return nil, err
	}
	for i := range exec.Calls {
		up.gas += exec.Calls[i].GasUsed
		if exec.Calls[i].Outcome == evm.Success || up.Failure != "" {
			continue
		}
		what := "its constructor"
		if up.Function != "" && i == len(exec.Calls)-1 {
			what = "its " + setUpSignature
		}
		up.Failure = fmt.Sprintf("%s fails: %s", what, exec.Calls[i].Reason())
		up.At, up.Located = blame(exec, i)
	}
	return exec, ctx.Err()
}

// selector is the first four bytes of a function's calldata.
func selector(signature string) []byte { return crypto.Keccak256([]byte(signature))[:4] }

// blame is the instruction that made a call fail: in the innermost frame whose
// revert its callers passed on, among those of known contracts.
func blame(exec *evm.Execution, call int) (at bytecode.Location, known bool) {
	if stop := stopOf(exec, call); stop != nil {
		return stop.At, true
	}
	return bytecode.Location{}, false
}

// passedOn is the last frame that a failed one called and whose revert it handed
// on; −1 when there is none. Frames of the call end before end.
func passedOn(exec *evm.Execution, parent, end int) int {
	for i := end - 1; i > parent; i-- {
		f := &exec.Frames[i]
		if f.Parent == parent && f.Outcome != evm.Success && bytes.Equal(f.Output, exec.Frames[parent].Output) {
			return i
		}
	}
	return -1
}

// withPranks is a World in which these pranks are open, and no others.
func withPranks(w *evm.World, pranks []cheatcode.Prank) *evm.World {
	if w.Cheats == nil {
		return w
	}
	out, cheats := *w, *w.Cheats
	cheats.State = *cheats.State.Clone()
	cheats.State.Pranks = slices.Clone(pranks)
	out.Cheats = &cheats
	return &out
}

// as opens the pranks that a set-up left open, and only these: forge leaves them open for its
// tests, each set-up on a chain of its own.
func (tr *testRunner) as(up *TestSetup) error {
	if c := tr.machine.World().Cheats; c == nil || len(tr.calls) == 0 && slices.Equal(c.State.Pranks, up.pranks) {
		return nil
	}
	w := tr.machine.World()
	if len(tr.calls) > 0 {
		if err := tr.runCalls(); err != nil {
			return err
		}
		w = tr.machine.Export()
	}
	return tr.moveTo(withPranks(w, up.pranks))
}

// saved is what a set-up that fails must not leave changed.
type saved struct {
	machine                           *gethvm.Reference
	calls                             evm.Sequence
	steps                             int
	nonce                             uint64
	instances, deployments, additions int
	tests, once                       int
	parties                           []party
	members                           []member
	libraries                         map[string]*library
	labels, names                     map[common.Address]string
	tried                             map[*bytecode.Contract]bool
	ran                               map[bytecode.Location]string
}

func (fo *foundry) save() saved {
	return saved{
		machine: fo.machine, calls: fo.calls, steps: len(fo.writer.steps), nonce: fo.nonce,
		instances: len(fo.instances), deployments: len(fo.report.Deployments), additions: len(fo.report.Additions),
		tests: len(fo.tests), once: len(fo.twins.once),
		parties: slices.Clone(fo.parties.met), members: fo.callers.members, libraries: maps.Clone(fo.linker.libraries), labels: maps.Clone(fo.namer.labels), names: maps.Clone(fo.namer.names), tried: maps.Clone(fo.tried),
		ran: maps.Clone(fo.report.ran),
	}
}

func (fo *foundry) restore(s saved) {
	fo.machine, fo.calls, fo.nonce = s.machine, s.calls, s.nonce
	fo.writer.steps = fo.writer.steps[:s.steps]
	fo.instances, fo.tests = fo.instances[:s.instances], fo.tests[:s.tests]
	fo.report.Deployments = fo.report.Deployments[:s.deployments]
	fo.report.Additions = fo.report.Additions[:s.additions]
	fo.callers.members = s.members
	fo.parties.met, fo.linker.libraries, fo.namer.labels, fo.namer.names, fo.tried = s.parties, s.libraries, s.labels, s.names, s.tried
	fo.report.ran, fo.twins.once = s.ran, fo.twins.once[:s.once]
}

// artifactFile is the code in an artifact of another compiler, at a path that getCode is given: what forge and Hardhat write, or a
// contract of standard JSON.
type artifactFile struct {
	Bytecode         artifactCode `json:"bytecode"`
	DeployedBytecode artifactCode `json:"deployedBytecode"`
	EVM              struct {
		Bytecode         artifactCode `json:"bytecode"`
		DeployedBytecode artifactCode `json:"deployedBytecode"`
	} `json:"evm"`
}

// artifactCode is code as hexadecimal digits, or an object with them.
type artifactCode []byte

func (c *artifactCode) UnmarshalJSON(data []byte) error {
	var digits string
	if err := json.Unmarshal(data, &digits); err != nil {
		var object struct{ Object string }
		if err := json.Unmarshal(data, &object); err != nil {
			return err
		}
		digits = object.Object
	}
	code, err := hex.DecodeString(strings.TrimPrefix(digits, "0x"))
	if err != nil {
		return fmt.Errorf("its bytecode is not hexadecimal; libraries may have to be linked: %w", err)
	}
	*c = code
	return nil
}

// codeOfFile is the code of an artifact that is a file of the project's.
func codeOfFile(data []byte, name string) (creation, deployed []byte, err error) {
	var file artifactFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, nil, fmt.Errorf("the artifact %q: %w", name, err)
	}
	creation, deployed = file.Bytecode, file.DeployedBytecode
	if len(creation) == 0 {
		creation, deployed = file.EVM.Bytecode, file.EVM.DeployedBytecode
	}
	if len(creation) == 0 {
		return nil, nil, fmt.Errorf("the artifact %q has no bytecode", name)
	}
	return creation, deployed, nil
}
