package replay

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// foundryTest writes a reproducer as a Foundry test that makes the calls of the sequence. It
// inherits the test contract that set up the World, or makes the World itself if Sightline
// deployed it.
type foundryTest struct {
	*loaded
	base  *bytecode.Contract // the test contract; nil: the test makes the World itself
	at    common.Address     // where it is in the World
	held  map[common.Address]heldPlace
	fixed []evm.Instance // that are called, and whose addresses it does not hold
	// placed are accounts that the test puts into its state, since Sightline deployed them.
	placed []common.Address

	names   map[common.Address]string // constants of a test that makes the World itself
	used    map[common.Address]bool   // of them
	imports *imports                  // of that test
}

// heldPlace is where the test contract's storage has the address of an instance.
type heldPlace struct {
	name   string // of the instance
	slot   uint256.Int
	offset int // bytes from the right
}

// newFoundryTest is a test that makes the World as it was made, or one that inherits it.
func newFoundryTest(l *loaded) (*foundryTest, error) {
	if len(l.snapshot.Made) > 0 {
		return newWorldTest(l)
	}
	return newInheritingTest(l)
}

// newInheritingTest finds the test contract whose storage has the addresses of most
// instances that the sequence calls; where no set-up is a test contract's, any that sends calls.
func newInheritingTest(l *loaded) (*foundryTest, error) {
	var best *foundryTest
	most := -1
	for _, s := range l.snapshot.World.Senders {
		account := l.snapshot.World.Accounts[s.Address]
		if account == nil || len(account.Code) == 0 || createdBy(world.Deployer.Address, s.Address) {
			continue
		}
		p := l.table.LookupRuntime(account.Code)
		if p == nil || p.Contract == nil || s.Name != p.Contract.Name {
			continue
		}
		t := &foundryTest{loaded: l, base: p.Contract, at: s.Address, held: l.holding(account)}
		n := 0
		if world.IsTestContract(p.Contract) {
			n = len(l.sequence) + 1 // contracts under test send calls as well, and may hold addresses
		}
		for i := range l.sequence {
			if _, ok := t.held[l.space.Instances[l.sequence[i].Instance].Address]; ok {
				n++
			}
		}
		if n > most {
			best, most = t, n
		}
	}
	if best == nil {
		return nil, exit.BadInput("%s: neither Sightline nor a Foundry test made its World from nothing (a live chain, a state file or another version of Sightline did)", l.path)
	}
	if solidityComment(best.base.Source) != best.base.Source || strings.ContainsAny(best.base.Source, `"\`) || solidityName(best.base.Name) != best.base.Name {
		return nil, exit.BadInput("%s: %s cannot be imported: its name has unusual characters", l.path, human.Printable(best.base.Source))
	}
	return best, best.check()
}

// holding finds the instances whose addresses an account has anywhere in its storage: few
// builds describe the storage layout.
func (l *loaded) holding(account *evm.Account) map[common.Address]heldPlace {
	held := map[common.Address]heldPlace{}
	slots := slices.SortedFunc(maps.Keys(account.Storage), func(a, b common.Hash) int { return a.Cmp(b) })
	for _, slot := range slots {
		word := account.Storage[slot]
		for offset := 0; offset+common.AddressLength <= common.HashLength; offset++ {
			end := common.HashLength - offset
			a := common.Address(word[end-common.AddressLength : end])
			name, ok := l.space.NameOf(a)
			if _, known := held[a]; ok && !known && slices.ContainsFunc(l.snapshot.World.Instances, func(in evm.Instance) bool { return in.Address == a }) {
				held[a] = heldPlace{name, *new(uint256.Int).SetBytes32(slot[:]), offset}
			}
		}
	}
	return held
}

// maxNonce bounds the nonces that are tried for the creator of a contract; arbitrary.
const maxNonce = 1 << 10

// createdBy reports whether an account created a contract with CREATE.
func createdBy(creator, contract common.Address) bool {
	for nonce := range uint64(maxNonce) {
		if crypto.CreateAddress(creator, nonce) == contract {
			return true
		}
	}
	return false
}

// check returns an error if a test cannot make the calls.
func (t *foundryTest) check() error {
	made, fits := t.sightlineMade()
	for i := range t.sequence {
		in := &t.space.Instances[t.sequence[i].Instance]
		if in.Fresh {
			return exit.BadInput("%s: it deploys %s, which such a test cannot", t.path, in.Name)
		}
		_, held := t.held[in.Address]
		switch {
		case held || in.Address == t.at:
		case fits && slices.Contains(made, in.Address):
			t.placed = made
		case createdBy(world.Deployer.Address, in.Address):
			return exit.BadInput("%s: %s was deployed by Sightline, not by a test, and is too large to be put into one", t.path, in.Name)
		default:
			if !slices.ContainsFunc(t.fixed, func(other evm.Instance) bool { return other.Address == in.Address }) {
				t.fixed = append(t.fixed, in.Instance)
			}
		}
	}
	for _, c := range t.space.Encode(t.sequence, nil) {
		if fits && slices.ContainsFunc(made, func(a common.Address) bool {
			return bytes.Contains(c.Data, common.LeftPadBytes(a[:], common.HashLength))
		}) {
			t.placed = made
		}
	}
	return nil
}

// foundryTestHead is the license, the range of compilers that have all that the test uses,
// and what it is.
const foundryTestHead = `// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2;

// %s
// Save it as %s, and run: forge test --match-test %s -vvv
// %s

`

// cheatcodes are those of Foundry's that every test uses.
const cheatcodes = `
interface SightlineVm {
    function deal(address account, uint256 wei_) external;
    function warp(uint256 time) external;
    function roll(uint256 number) external;
    function prank(address sender, address origin) external;
%s}

`

// inheritedCheatcodes are what a test that inherits its World uses in addition.
const inheritedCheatcodes = `    function stopPrank() external;
    function load(address account, bytes32 slot) external view returns (bytes32);
`

// Text of a test's line that says what it means that it passes or fails.
const (
	failsSaid  = "It fails as long as the finding happens, and ends early, with a log, where a call before it ends otherwise than when it was found."
	passesSaid = "None of its calls fails, so it passes: -vvvv shows what they do."
)

// source is the test, and whether it fails as long as the finding happens; exec is the
// execution of the sequence.
func (t *foundryTest) source(exec *evm.Execution) (text string, fails bool) {
	claim := &t.reproducer.Claim
	id := solidityName(strings.TrimSuffix(path.Base(t.path), ".json"))
	name := "test_" + id
	var body strings.Builder
	fails = t.writeCalls(&body, exec)
	meaning := passesSaid
	if fails {
		meaning = failsSaid
	}
	var b strings.Builder
	fmt.Fprintf(&b, foundryTestHead, solidityComment(claim.describe(t.path)), solidityComment(t.place(id)), name, meaning)
	contract := "Sightline_" + id
	if t.base == nil {
		t.writeWorld(&b, contract, body.String())
	} else {
		fmt.Fprintf(&b, "import {%s} from \"./%s\";\n", t.base.Name, path.Base(t.base.Source))
		more := inheritedCheatcodes
		if len(t.placed) > 0 {
			more += placedCheatcodes
		}
		fmt.Fprintf(&b, cheatcodes+"contract %s is %s {\n%s%s", more, contract, t.base.Name, vmConstant, t.helper())
	}
	if strings.Contains(body.String(), "sightlineLog(") {
		b.WriteString(logHelper)
	}
	fmt.Fprintf(&b, "\n    function %s() public {\n        bool ok;\n        bytes memory out;\n", name)
	if t.base != nil {
		b.WriteString("        (ok, out) = address(sightline).call(abi.encodeWithSignature(\"stopPrank()\")); // a prank that setUp() left open\n")
	}
	t.writePlaced(&b)
	for _, in := range t.fixed {
		fmt.Fprintf(&b, "        require(sightlineCode(%s) > 0, \"%s is missing at its address\");\n", t.address(in.Address), solidityName(in.Name))
	}
	b.WriteString(body.String() + "    }\n}\n")
	return b.String(), fails
}

// FoundryTest is a reproducer as the text of a Foundry test.
type FoundryTest struct {
	Text  string
	Fails bool // as long as the finding happens; otherwise it only shows the calls
}

// FoundryTest writes a reproducer of the snapshot's World, whose path is that of its file, as
// a Foundry test. The table is the contracts'. An error says for people why there is none.
func (s *Snapshot) FoundryTest(table *bytecode.Table, path string, r *Reproducer) (*FoundryTest, error) {
	l := &loaded{path: path, reproducer: r, snapshot: s, table: table}
	if err := l.prepare(); err != nil {
		return nil, err
	}
	if input.IsTest(l.sequence) {
		text, err := l.testRun()
		return &FoundryTest{text, true}, err
	}
	t, err := newFoundryTest(l)
	if err != nil {
		return nil, err
	}
	machine, err := l.machine()
	if err != nil {
		return nil, err
	}
	exec, _, err := l.run(machine)
	if err != nil {
		return nil, err
	}
	text, fails := t.source(exec)
	return &FoundryTest{text, fails}, nil
}

// testRun is a reproducer that runs a fuzz test, as the text of a Foundry test.
func (l *loaded) testRun() (string, error) {
	t, err := NewFuzzTestRun(l.space, l.sequence)
	if err != nil {
		return "", exit.BadInput("%s: %w", l.path, err)
	}
	return t.Source(strings.TrimSuffix(path.Base(l.path), ".json"), ".", l.reproducer.Claim.describe(l.path)), nil
}

// logHelper prints a text as forge-std's console does: at -vv and above.
const logHelper = `
    function sightlineLog(string memory text) private view {
        (bool ok, ) = address(0x000000000000000000636F6e736F6c652e6c6f67).staticcall(abi.encodeWithSignature("log(string)", text));
        ok;
    }
`

// vmConstant is the account of Foundry's cheatcodes.
const vmConstant = "    SightlineVm private constant sightline = SightlineVm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);\n"

// place is the file to save the test as.
func (t *foundryTest) place(id string) string {
	folder := "test"
	if t.base != nil {
		folder = path.Join(t.base.Folder, path.Dir(t.base.Source))
	} else if t.imports.folder != "" {
		folder = t.imports.folder + "/test"
	}
	return path.Join(folder, id+".t.sol")
}

// writeCalls writes the calls of the sequence, and reports whether the last one fails the
// test as long as the finding happens.
func (t *foundryTest) writeCalls(b *strings.Builder, exec *evm.Execution) (fails bool) {
	claim := &t.reproducer.Claim
	calls := t.space.Encode(t.sequence, nil)
	now, number := t.snapshot.World.Block.Time, t.snapshot.World.Block.Number
	for i := range calls {
		c := &calls[i]
		now, number = now+c.TimeAdvance, number+c.BlockAdvance
		failed := exec.Calls[i].Outcome != evm.Success
		last := i == len(calls)-1
		fmt.Fprintf(b, "\n        // %d. %s\n", i+1, solidityComment(t.space.Describe(&t.sequence[i])))
		if t.base != nil || i == 0 || c.TimeAdvance+c.BlockAdvance > 0 {
			fmt.Fprintf(b, "        sightline.warp(%d);\n        sightline.roll(%d);\n", now, number)
		}
		if !c.Value.IsZero() && t.base != nil {
			fmt.Fprintf(b, "        sightline.deal(%s, %s);\n", t.address(c.From), t.funds(c.From).Dec())
		}
		value := ""
		if !c.Value.IsZero() {
			value = fmt.Sprintf("{value: %s}", c.Value.Dec())
		}
		fmt.Fprintf(b, "        sightline.prank(%s, %s);\n", t.address(c.From), t.address(c.From))
		fmt.Fprintf(b, "        (ok, out) = %s.call%s(%s);\n", t.address(c.To), value, t.calldata(c.Data))
		function := t.sequence[i].Function
		mustRevert := last && claim.Kind == FindingClaim && function != nil && function.Property && function.Reverts
		switch {
		case mustRevert && !failed:
			b.WriteString("        require(!ok, \"the finding: the property does not revert\");\n")
			fails = true
		case last && failed && claim.Kind == FindingClaim:
			// A call that the mended code refuses for another reason passes.
			fmt.Fprintf(b, "        if (!ok && keccak256(out) == %s) {\n            assembly { revert(add(out, 32), mload(out)) } // the finding: the call should not fail like this\n        }\n",
				crypto.Keccak256Hash(exec.Calls[i].Output))
			fails = true
		case failed:
			fmt.Fprintf(b, "        if (ok) return sightlineLog(\"call %d succeeds, unlike when it was found\");\n", i+1)
		default:
			fmt.Fprintf(b, "        if (!ok) return sightlineLog(\"call %d fails, unlike when it was found\");\n", i+1)
		}
		if !last || failed || fails || claim.Kind != FindingClaim {
			continue
		}
		if output := exec.Calls[i].Output; function != nil && function.Property && len(output) == common.HashLength && common.BytesToHash(output) == (common.Hash{}) {
			b.WriteString("        require(abi.decode(out, (bool)), \"the finding: the property is false\");\n")
			fails = true
		} else {
			fmt.Fprintf(b, "        // the finding, for which no call fails: %s\n", solidityComment(claim.Message))
		}
	}
	return fails
}

// helper are the functions that the test needs.
func (t *foundryTest) helper() string {
	if len(t.fixed) > 0 {
		return heldHelper + codeHelper
	}
	return heldHelper
}

// heldHelper reads an address from the test contract's storage, whether or not the variable
// is private.
const heldHelper = `
    function sightlineHeld(uint256 slot, uint256 offset) private view returns (address) {
        return address(uint160(uint256(sightline.load(address(this), bytes32(slot))) >> (8 * offset)));
    }
`

// codeHelper is for contracts that are known only by their address.
const codeHelper = `
    function sightlineCode(address account) private view returns (uint256 size) {
        assembly { size := extcodesize(account) }
    }
`

// address writes an account: by the place in storage that holds it if there is one, since
// forge may put the account elsewhere.
func (t *foundryTest) address(a common.Address) string {
	if t.base != nil && a == t.at {
		return "address(this)"
	}
	if name := t.names[a]; name != "" {
		t.used[a] = true
		return name
	}
	if p, ok := t.held[a]; ok {
		return fmt.Sprintf("sightlineHeld(%s, %d) /* %s */", p.slot.Dec(), p.offset, solidityComment(p.name))
	}
	return fmt.Sprintf("address(%s)", a.Hex())
}

// funds is the balance of an account in the World.
func (t *foundryTest) funds(a common.Address) *uint256.Int {
	if account := t.snapshot.World.Accounts[a]; account != nil {
		return &account.Balance
	}
	return new(uint256.Int)
}

// calldata writes calldata, with accounts among its words written by [foundryTest.address].
func (t *foundryTest) calldata(data []byte) string {
	const selector = 4
	var parts []string
	begin := 0
	for at := selector; at+common.HashLength <= len(data); at += common.HashLength {
		word := data[at : at+common.HashLength]
		a := common.BytesToAddress(word)
		_, held := t.held[a]
		if t.base == nil || !held && a != t.at || !bytes.Equal(common.LeftPadBytes(a[:], common.HashLength), word) {
			continue
		}
		if at > begin {
			parts = append(parts, hexLiteral(data[begin:at]))
		}
		parts = append(parts, "abi.encode("+t.address(a)+")")
		begin = at + common.HashLength
	}
	if begin < len(data) || len(parts) == 0 {
		parts = append(parts, hexLiteral(data[begin:]))
	}
	if len(parts) == 1 && begin == 0 {
		return parts[0]
	}
	return "abi.encodePacked(" + strings.Join(parts, ", ") + ")"
}

func hexLiteral(data []byte) string { return `hex"` + hex.EncodeToString(data) + `"` }

// solidityName makes a part of an identifier of a text.
func solidityName(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, text)
}

// solidityComment makes a text safe in a comment: strangers chose the names in it, and
// Solidity knows more line terminators than ASCII has.
func solidityComment(text string) string {
	const most = 500 // characters; arbitrary
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
	return strings.ReplaceAll(ascii[:min(len(ascii), most)], "*/", "* /")
}
