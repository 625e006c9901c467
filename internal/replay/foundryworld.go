package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// This file writes what makes the World of a Foundry test: test contracts, which are run as
// forge runs them, and then the transactions that Sightline made. All have the senders and
// nonces that they had, so that every contract is at the address that the calls name.

// maxTestCode bounds creation code that is written out since no source of the project has
// it (built-in mocks and proxies have at most 8 kB), in bytes of a whole test.
const maxTestCode = 24 << 10

// checkWorld returns an error if a test cannot make its part of the World.
func (t *foundryTest) checkWorld() error {
	for i := range t.snapshot.Setups {
		up := &t.snapshot.Setups[i]
		if !t.needs.setUps[i] {
			continue
		}
		if _, ok := t.imports.name(up.Contract); !ok {
			return t.cannotImport(up.Contract.QualifiedName())
		}
		if _, ok := creationNonce(t.snapshot.Tester, up.Address); !ok {
			return exit.BadInput("%s: %s is at an address that no transaction gives it", t.path, human.Printable(up.Contract.Name))
		}
	}
	written := 0
	for i := range t.snapshot.Made {
		c := &t.snapshot.Made[i]
		if !c.Create || !t.needs.transactions[i] {
			continue
		}
		if _, _, ok := t.creation(c.Data); ok {
			continue
		}
		// Code that is written out stays as it is when its source is mended.
		if p := t.table.LookupCreation(c.Data); p != nil && p.Contract != nil && !world.IsBuiltInMock(p.Contract) {
			return t.cannotImport(p.Contract.QualifiedName())
		}
		written += len(c.Data)
	}
	if written > maxTestCode {
		return exit.BadInput("%s: the World has contracts that no source of the project has, which are too large for a test", t.path)
	}
	return nil
}

func (t *foundryTest) cannotImport(name string) error {
	return exit.BadInput("%s: a test cannot import %s: its name or that of its source has unusual characters, or it is in another project than other contracts of the World",
		t.path, human.Printable(name))
}

// maxNonce bounds the nonces that are tried for the creator of a contract; arbitrary.
const maxNonce = 1 << 10

// creationNonce is the nonce with which an account creates a contract at an address.
func creationNonce(from, made common.Address) (uint64, bool) {
	for nonce := range uint64(maxNonce) {
		if crypto.CreateAddress(from, nonce) == made {
			return nonce, true
		}
	}
	return 0, false
}

// creation names the contract that creation code makes, and returns the constructor's
// arguments; false if no source that a test can import has it.
func (t *foundryTest) creation(code []byte) (name string, arguments []byte, ok bool) {
	p := t.table.LookupCreation(code)
	if p == nil || p.Contract == nil || !p.Contract.Deployable() {
		return "", nil, false
	}
	if name, ok = t.imports.name(p.Contract); !ok {
		return "", nil, false
	}
	return name, code[len(p.Bytes):], true
}

// creationText writes creation code: by the contract's name, or as it is.
func (t *foundryTest) creationText(code []byte) string {
	name, arguments, ok := t.creation(code)
	switch {
	case !ok:
		return hexLiteral(code)
	case len(arguments) > 0:
		return fmt.Sprintf("abi.encodePacked(type(%s).creationCode, %s)", name, t.words(arguments, 0))
	}
	return fmt.Sprintf("type(%s).creationCode", name)
}

// deployHelper, deployToHelper and callHelper do what the transactions that made the World did.
const deployHelper = `
    function sightlineDeploy(address from, uint64 nonce, uint256 value, bytes memory code) private returns (address made) {
        sightline.setNonce(from, nonce);
        sightline.prank(from, from);
        assembly { made := create(value, add(code, 32), mload(code)) }
        require(made != address(0), "a constructor fails, unlike when the World was made");
    }
`

// deployToHelper is for a contract at an address that its creator's nonces do not give it.
const deployToHelper = `
    function sightlineDeployTo(address from, address at, uint256 value, bytes memory code) private {
        sightline.etch(at, code);
        sightline.setNonce(at, 1);
        sightline.prank(from, from);
        (bool ok, bytes memory made) = at.call{value: value}("");
        require(ok, "a constructor fails, unlike when the World was made");
        sightline.etch(at, made);
    }
`

const callHelper = `
    function sightlineCall(address from, address to, uint256 value, bytes memory data) private {
        sightline.prank(from, from);
        (bool ok, ) = to.call{value: value}(data);
        require(ok, "a call fails, unlike when the World was made");
    }
`

// createHelper deploys a contract as a call of the sequence.
const createHelper = `
    function sightlineCreate(uint256 value, bytes memory code) private returns (bool ok, bytes memory out, address made) {
        assembly {
            made := create(value, add(code, 32), mload(code))
            out := mload(0x40)
            mstore(0x40, add(out, and(add(returndatasize(), 63), not(31))))
            mstore(out, returndatasize())
            returndatacopy(add(out, 32), 0, returndatasize())
        }
        ok = made != address(0);
    }
`

// runnerContract is the code of the accounts that deploy and run a further test contract, for as
// long as they do: a prank around it would clash with the pranks of its own.
const runnerContract = `contract SightlineRunner {
    function create(bytes memory code) public returns (address made) {
        assembly { made := create(0, add(code, 32), mload(code)) }
    }

    function run(address to, bytes memory data) public returns (bool ok) {
        (ok, ) = to.call(data);
    }
}

`

// setUpHelper does what forge does with a test contract: it is given ether (initial_balance,
// 2^96-1 wei by default) and deployed. runHelper calls one of its functions.
const setUpHelper = `
    function sightlineSetUp(address sender, uint64 nonce, address at, bytes memory code) private {
        sightline.etch(sender, type(SightlineRunner).runtimeCode);
        sightline.setNonce(sender, nonce);
        sightline.deal(at, 79228162514264337593543950335);
        require(SightlineRunner(sender).create(code) == at, "a test contract is not where it was when the World was made");
        sightline.etch(sender, "");
    }
`

const runHelper = `
    function sightlineRun(address sender, address to, bytes memory data) private {
        sightline.etch(sender, type(SightlineRunner).runtimeCode);
        require(SightlineRunner(sender).run(to, data), "a test's function fails, unlike when the World was made");
        sightline.etch(sender, "");
    }
`

// blockHelper sets what not every fork has: forge refuses to set a base fee before London, and
// calls prevrandao difficulty before Paris.
const blockHelper = `
    function sightlineBlock(uint256 fee, bytes32 random) private {
        (bool ok, ) = address(sightline).call(abi.encodeWithSignature("fee(uint256)", fee));
        (ok, ) = address(sightline).call(abi.encodeWithSignature("prevrandao(bytes32)", random));
        if (!ok) (ok, ) = address(sightline).call(abi.encodeWithSignature("difficulty(uint256)", uint256(random)));
    }
`

// worldText is what makes the World, and the helpers that it uses. calls is the text of the
// calls that follow.
func (t *foundryTest) worldText(calls string) string {
	setUps, all := t.setupsText()
	transactions := t.transactionsText()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "        "+format+"\n", args...) }
	b.WriteString(setUps)
	if t.base != nil && (setUps != "" || len(t.snapshot.Setups) > 0) {
		line("(bool stopped, ) = address(sightline).call(abi.encodeWithSignature(\"stopPrank()\")); // a prank that setUp() left open")
		line("stopped;")
	}
	if !all {
		block := &t.snapshot.World.Block
		chain := block.ChainID
		if chain == 0 {
			chain = evm.ChainID
		}
		line("sightline.warp(%d);", block.Time)
		line("sightline.roll(%d);", block.Number)
		line("sightline.chainId(%d);", chain)
		line("sightline.coinbase(%s);", block.Coinbase.Hex())
		line("sightlineBlock(%d, %s);", block.BaseFee, block.PrevRandao.Hex())
	}
	// What does not occur has no need of ether.
	text := strings.ToLower(transactions + calls)
	funded := slices.DeleteFunc(t.funded(), func(a common.Address) bool { return !t.used[a] && !strings.Contains(text, fmt.Sprintf("%x", a[:])) })
	if transactions != "" {
		for _, a := range funded {
			line("sightline.deal(%s, %s);", t.address(a), t.fundsBefore(a).Dec())
		}
		b.WriteString(transactions)
	}
	for _, a := range funded {
		if left := t.funds(a); transactions == "" || left.Cmp(t.fundsBefore(a)) != 0 {
			line("sightline.deal(%s, %s);", t.address(a), left.Dec())
		}
	}
	b.WriteString(t.attack.world(t))
	for _, a := range t.needs.named {
		if t.certain(a) {
			continue
		}
		name, _ := t.space.NameOf(a)
		line("require(sightlineCode(%s) > 0, \"%s is missing at its address\");", t.address(a), solidityName(name))
	}
	return b.String()
}

// fundsBefore is what a sender owned before the World was made: what any does, and what it sent
// beyond that.
func (t *foundryTest) fundsBefore(a common.Address) *uint256.Int {
	funds := world.Funds()
	for i := range t.snapshot.Made {
		if c := &t.snapshot.Made[i]; c.From == a && !c.Value.Lt(world.Funds()) {
			funds.Add(funds, &c.Value)
		}
	}
	return funds
}

// certain reports whether an account that the test names is there in any case.
func (t *foundryTest) certain(a common.Address) bool {
	if _, held := t.held[a]; held || t.base != nil && a == t.base.Address {
		return true
	}
	_, setUp := t.needs.owners[a]
	return !setUp
}

// setupsText runs the test contracts that the test does not inherit from, and the test functions
// that made the World; all reports whether all that did are run.
func (t *foundryTest) setupsText() (text string, all bool) {
	s := t.snapshot
	var made, also strings.Builder
	all = len(s.Setups) > 0
	for i := range s.Setups {
		up := &s.Setups[i]
		if !t.needs.setUps[i] {
			all = false
			continue
		}
		if up != t.base {
			name, _ := t.imports.name(up.Contract)
			nonce, _ := creationNonce(s.Tester, up.Address)
			fmt.Fprintf(&made, "        sightlineSetUp(%s, %d, %s, type(%s).creationCode);\n", s.Tester.Hex(), nonce, t.address(up.Address), name)
			if up.Function != "" {
				fmt.Fprintf(&made, "        sightlineRun(%s, %s, %s); // %s\n", world.SetupCaller.Hex(), t.address(up.Address), hexLiteral(crypto.Keccak256([]byte(up.Function))[:4]), solidityComment(up.Function))
			}
		}
		for _, call := range up.Also {
			if up != t.base {
				fmt.Fprintf(&also, "        sightlineRun(%s, %s, %s); // %s\n", s.Tester.Hex(), t.address(up.Address), hexLiteral(call.Data), solidityComment(call.Function))
				continue
			}
			fmt.Fprintf(&also, "        sightlineAlso(%s); // %s\n", hexLiteral(call.Data), solidityComment(call.Function))
		}
	}
	return made.String() + also.String(), all
}

// alsoHelper runs a test function of the test contract that is inherited from as forge does.
const alsoHelper = `
    function sightlineAlso(bytes memory data) private {
        (bool ok, ) = address(this).delegatecall(data);
        require(ok, "a test's function fails, unlike when the World was made");
    }
`

// transactionsText makes the transactions that Sightline made.
func (t *foundryTest) transactionsText() string {
	var b strings.Builder
	for i := range t.snapshot.Made {
		c := &t.snapshot.Made[i]
		switch {
		case !t.needs.transactions[i]:
		case c.Create:
			if nonce, ok := creationNonce(c.From, c.Address); ok {
				fmt.Fprintf(&b, "        sightlineDeploy(%s, %d, %s, %s); // %s\n", t.address(c.From), nonce, c.Value.Dec(), t.creationText(c.Data), t.comment(c.Address))
			} else {
				fmt.Fprintf(&b, "        sightlineDeployTo(%s, %s, %s, %s);\n", t.address(c.From), t.address(c.Address), c.Value.Dec(), t.creationText(c.Data))
			}
		default:
			fmt.Fprintf(&b, "        sightlineCall(%s, %s, %s, %s);\n", t.address(c.From), t.address(c.To), c.Value.Dec(), t.calldata(c.Data))
		}
	}
	return b.String()
}

// comment names an account in a comment.
func (t *foundryTest) comment(a common.Address) string {
	if t.base == nil {
		return t.address(a)
	}
	name, _ := t.space.NameOf(a)
	return solidityComment(name) + " at " + a.Hex()
}

// constants are the accounts that the test has names for.
func (t *foundryTest) constants() string {
	var b strings.Builder
	var accounts []common.Address
	for _, s := range t.snapshot.World.Senders {
		accounts = append(accounts, s.Address)
	}
	for _, in := range t.snapshot.World.Instances {
		accounts = append(accounts, in.Address)
	}
	for i, a := range accounts {
		if t.used[a] && !slices.Contains(accounts[:i], a) {
			fmt.Fprintf(&b, "    address private constant %s = %s;\n", t.names[a], a.Hex())
		}
	}
	return b.String()
}

// funded are the accounts that had ether before Sightline deployed anything.
func (t *foundryTest) funded() []common.Address {
	var list []common.Address
	add := func(a common.Address) {
		if account := t.snapshot.World.Accounts[a]; !slices.Contains(list, a) && (account == nil || len(account.Code) == 0) {
			list = append(list, a)
		}
	}
	for _, s := range t.snapshot.World.Senders {
		add(s.Address)
	}
	for i := range t.snapshot.Made {
		add(t.snapshot.Made[i].From)
	}
	return list
}

// funds is the balance of an account in the World.
func (t *foundryTest) funds(a common.Address) *uint256.Int {
	if account := t.snapshot.World.Accounts[a]; account != nil {
		return &account.Balance
	}
	return new(uint256.Int)
}
