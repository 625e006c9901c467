package evm_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// cheatsFolder has test contracts as Foundry runs them, one a file: functions that
// begin with test pass, those that begin with testBad fail.
const cheatsFolder = "testdata/cheats"

// Who calls test contracts in Foundry, and where it puts them.
var (
	testSender  = common.HexToAddress("0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38")
	testAddress = common.HexToAddress("0x7FA9385bE102ac3EAc297483Dd6233D62b3e1496")
)

// cheatTest is a function of a test contract.
type cheatTest struct {
	file string
	name string
	call evm.Call
	on   *cheatSuite
}

// cheatSuite is both machines on a World in which the contract's setUp() has run.
type cheatSuite struct {
	reference   *gethvm.Reference
	interpreter *interp.Interpreter
}

// cheatTests is every function of every test contract.
func cheatTests(t *testing.T) []cheatTest {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(cheatsFolder, "*.t.sol"))
	if err != nil {
		t.Fatal(err)
	}
	var tests []cheatTest
	for _, file := range files {
		suite, contract := newCheatSuite(t, file)
		for _, name := range slices.Sorted(maps.Keys(contract.ABI.Methods)) {
			if strings.HasPrefix(name, "test") {
				call := evm.Call{From: testSender, To: testAddress, Data: contract.ABI.Methods[name].ID}
				tests = append(tests, cheatTest{filepath.Base(file), name, call, suite})
			}
		}
	}
	return tests
}

// newCheatSuite deploys the contract called Test and the file's name.
func newCheatSuite(t *testing.T, file string) (*cheatSuite, *bytecode.Contract) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	contracts := testsolc.Compile(t, string(source), testsolc.Settings{})
	contract := testsolc.Contract(t, contracts, strings.TrimSuffix(filepath.Base(file), ".t.sol")+"Test")
	block := evm.DefaultBlock()
	block.Number, block.Time, block.BaseFee = 1, 1, 0 // as forge begins
	world := &evm.World{Block: block, Accounts: map[common.Address]*evm.Account{
		testSender: {Balance: *uint256.NewInt(1e18)},
	}}
	world.EnableCheats(cheatEdge(contracts))
	table := bytecode.NewTable(contracts)
	machine, err := gethvm.New(world, table, evm.LiftCodeSizeLimits)
	if err != nil {
		t.Fatal(err)
	}
	exec, err := machine.Run(evm.Sequence{
		{From: testSender, Create: true, Address: testAddress, Data: contract.Creation.Bytes, Gas: 1 << 28},
		{From: testSender, To: testAddress, Data: contract.ABI.Methods["setUp"].ID},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range exec.Calls {
		if exec.Calls[i].Outcome != evm.Success {
			t.Fatalf("%s, call %d: %s", file, i, exec.Calls[i].Reason())
		}
	}
	world = machine.Export()
	suite := new(cheatSuite)
	if suite.reference, err = gethvm.New(world, table, evm.LiftCodeSizeLimits); err != nil {
		t.Fatal(err)
	}
	if suite.interpreter, err = interp.New(world, table, evm.LiftCodeSizeLimits); err != nil {
		t.Fatal(err)
	}
	return suite, contract
}

// cheatEdge is the outside of a project of one source: its contracts by their names,
// and the folder's files below test/.
func cheatEdge(contracts []*bytecode.Contract) cheatcode.Edge {
	return cheatcode.Edge{
		Artifact: func(name string) (creation, deployed []byte, err error) {
			for _, c := range contracts {
				if name == c.Name || strings.HasSuffix(name, ".sol:"+c.Name) {
					return c.Creation.Bytes, c.Runtime.Bytes, nil
				}
			}
			return nil, nil, errors.New("no matching artifact found")
		},
		Root: "/project",
		ReadFile: func(path string) ([]byte, error) {
			return os.ReadFile(filepath.Join(cheatsFolder, filepath.FromSlash(strings.TrimPrefix(path, "test/"))))
		},
	}
}

// TestCheatcodes: the functions of the test contracts pass or fail as their names say,
// and do the same on both machines, once, twice and with what a run before left.
func TestCheatcodes(t *testing.T) {
	for _, test := range cheatTests(t) {
		t.Run(test.file+"/"+test.name, func(t *testing.T) {
			for _, seq := range []evm.Sequence{{test.call}, {test.call, test.call}, {test.call}} {
				want := test.on.run(t, seq)
				if passed := want.Calls[0].Outcome == evm.Success; passed == strings.HasPrefix(test.name, "testBad") {
					t.Fatalf("passed: %v %s", passed, want.Calls[0].Reason())
				}
			}
		})
	}
}

// TestNoCalls: a machine of a World with cheatcodes that has run no call exports the World.
func TestNoCalls(t *testing.T) {
	suite, _ := newCheatSuite(t, filepath.Join(cheatsFolder, "Tools.t.sol"))
	suite.run(t, evm.Sequence{})
}

// computed are the cheatcodes that another test compares with forge: the cheatcode package's own,
// TestForks, or Deploy.t.sol, whose calls become ones of another account.
var computed = regexp.MustCompile(`^(assert[A-Z]|env|parse|keyExists|to[A-Z]|sign|createWallet|attachDelegation|getWallets|getFoundryVersion|unixTime|createFork|createSelectFork|selectFork|activeFork|rollFork|rpcUrl|deployCode)`)

// TestEverySupportedCheatcodeIsTried: the test contracts, on which forge agrees, call each.
func TestEverySupportedCheatcodeIsTried(t *testing.T) {
	tried := map[[4]byte]bool{}
	for _, test := range cheatTests(t) {
		exec := test.on.run(t, evm.Sequence{test.call})
		for i := range exec.Frames {
			if f := &exec.Frames[i]; f.CodeAddress == cheatcode.Address && len(f.Input) >= 4 {
				tried[[4]byte(f.Input)] = true
			}
		}
	}
	for _, signature := range supportedCheatcodes(t) {
		if !computed.MatchString(signature) && !tried[[4]byte(crypto.Keccak256([]byte(signature)))] {
			t.Errorf("no test contract calls vm.%s", signature)
		}
	}
}

// documented is a row of the table of cheatcodes in docs/configuration.md, which package
// cheatcode's tests hold to what it has: a name, and its forms.
var documented = regexp.MustCompile("(?m)^\\| `vm\\.(\\w+)` \\| ([^|]*) \\| supported \\|")

// supportedCheatcodes are the signatures of the cheatcodes that do what they do in forge.
func supportedCheatcodes(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	var signatures []string
	for _, row := range documented.FindAllStringSubmatch(string(text), -1) {
		for form := range strings.FieldsSeq(row[2]) {
			signatures = append(signatures, row[1]+strings.Trim(form, "`"))
		}
	}
	if len(signatures) < 300 { // of forge 1.7.1's 547, 399 are supported
		t.Fatalf("only %d supported cheatcodes are documented", len(signatures))
	}
	return signatures
}

// run runs a sequence on both machines and compares everything.
func (s *cheatSuite) run(t *testing.T, seq evm.Sequence) *evm.Execution {
	t.Helper()
	want, err := s.reference.Run(seq)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.interpreter.Run(seq)
	if err != nil {
		t.Fatal(err)
	}
	if d := evm.Differ(want, got); d != nil {
		t.Fatalf("reference and interpreter differ: %v", d)
	}
	if d := evm.DifferWorlds(s.reference.Export(), s.interpreter.Export()); d != nil {
		t.Fatalf("reference and interpreter differ: %v", d)
	}
	return want
}
