package replay

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/cheatcode"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// foundryTest writes a reproducer as a Foundry test that makes the calls of the sequence. It
// inherits the test contract that set up the World first, if the calls need it, and makes what
// else they need as it was made.
type foundryTest struct {
	*loaded
	needs *needs
	base  *world.TestSetup // whose test contract it inherits; nil: it makes the World itself
	held  map[common.Address]heldPlace

	created map[common.Address]string // variables of what calls of the sequence deploy
	names   map[common.Address]string // constants of a test that inherits nothing
	used    map[common.Address]bool   // of them
	imports *imports
	attack  *attack
	kept    *keeping // nil: it is for those who save it
	now     uint64   // the time of the call that is being written
}

// heldPlace is where the test contract's storage has the address of an instance.
type heldPlace struct {
	name   string // of the instance
	slot   uint256.Int
	offset int // bytes from the right
}

// newFoundryTest is the test of a sequence, whose execution exec is.
func newFoundryTest(l *loaded, exec *evm.Execution) (*foundryTest, error) {
	return newFoundryTestIn(l, exec, nil)
}

// newFoundryTestIn is a test that is kept in a folder, if there is one.
func newFoundryTestIn(l *loaded, exec *evm.Execution, kept *keeping) (*foundryTest, error) {
	if !l.snapshot.Told {
		return nil, exit.BadInput("%s: neither Sightline nor a Foundry test made its World from nothing (a live chain, a state file, code put at an address or another version of Sightline did)", l.path)
	}
	t := &foundryTest{loaded: l, needs: needsOf(l, exec), created: map[common.Address]string{}, names: map[common.Address]string{}, used: map[common.Address]bool{},
		imports: &imports{within: "test", names: map[string]string{}, sources: map[*bytecode.Contract]string{}, harnesses: l.snapshot.Harnesses}}
	for i := range l.snapshot.Setups {
		up := &l.snapshot.Setups[i]
		if i == 0 || t.needs.setUps[i] {
			t.imports.within = path.Dir(up.Contract.Source)
		}
		if t.needs.setUps[i] {
			break
		}
	}
	if t.kept = kept; kept != nil {
		t.imports.within, t.imports.folder, t.imports.fixed = kept.folder, kept.project, true
	}
	// forge gives the test that it runs the address that the first one has here.
	if t.needs.setUps[0] && len(l.snapshot.Setups) > 0 && l.snapshot.Setups[0].Address == crypto.CreateAddress(l.snapshot.Tester, 1) {
		t.base = &l.snapshot.Setups[0]
		if account := l.snapshot.World.Accounts[t.base.Address]; account != nil {
			t.held = l.holding(account)
			t.release(exec)
		}
	} else {
		t.nameAccounts()
	}
	for i := range t.sequence {
		if in := &t.space.Instances[t.sequence[i].Instance]; in.Fresh && t.created[in.Address] == "" {
			t.created[in.Address] = fmt.Sprintf("sightlineNew%d", len(t.created)+1)
		}
	}
	var err error
	if t.attack, err = t.attackOf(exec); err != nil {
		return nil, err
	}
	if err := t.checkAddresses(); err != nil {
		return nil, err
	}
	if err := t.checkSignatures(exec); err != nil {
		return nil, err
	}
	if err := t.checkCheats(exec); err != nil {
		return nil, err
	}
	return t, t.checkWorld()
}

// release takes off the places in storage that the sequence itself writes.
func (t *foundryTest) release(exec *evm.Execution) {
	for i := range exec.Frames {
		for _, s := range exec.Frames[i].Storage {
			if s.Write && s.Address == t.base.Address {
				maps.DeleteFunc(t.held, func(_ common.Address, p heldPlace) bool { return p.slot == s.Slot })
			}
		}
	}
}

// checkAddresses returns an error if the test must name an account that is elsewhere under forge.
func (t *foundryTest) checkAddresses() error {
	for _, a := range t.needs.named {
		if _, held := t.held[a]; held || !t.needs.moved(a) {
			continue
		}
		name, _ := t.space.NameOf(a)
		return exit.BadInput("%s: the address of %s depends on how its code is compiled (CREATE2), and no variable of the test contract has it", t.path, human.Printable(cmp.Or(name, a.Hex())))
	}
	return nil
}

// checkSignatures returns an error if a contract that the sequence deploys checks a signature: it
// may be for the contract's address (EIP-712), which is another one under forge.
func (t *foundryTest) checkSignatures(exec *evm.Execution) error {
	ecrecover := common.BytesToAddress([]byte{1})
	for i := range exec.Frames {
		f := &exec.Frames[i]
		if f.CodeAddress == ecrecover && f.Parent >= 0 && t.created[exec.Frames[f.Parent].Self] != "" {
			name, _ := t.space.NameOf(exec.Frames[f.Parent].Self)
			return exit.BadInput("%s: %s, which the calls deploy, checks a signature that may be for its address, and that is another one under forge", t.path, human.Printable(name))
		}
	}
	return nil
}

// checkCheats returns an error if a contract calls cheatcodes that it has under forge alone, or
// may have stopped at their account, since it has no code.
func (t *foundryTest) checkCheats(exec *evm.Execution) error {
	w := t.snapshot.World
	allowed := func(a common.Address) bool {
		return w.Cheats != nil && (w.Cheats.Only == nil || slices.Contains(w.Cheats.Only, a))
	}
	for i := range exec.Frames {
		f := &exec.Frames[i]
		account := f.Caller
		if f.CodeAddress != cheatcode.Address {
			code := w.Accounts[f.CodeAddress]
			if account = f.Self; f.Outcome != evm.Reverted || len(f.Output) > 0 || code == nil || !bytes.Contains(code.Code, cheatcode.Address[:]) {
				continue
			}
		}
		if !allowed(account) {
			name, _ := t.space.NameOf(account)
			return exit.BadInput("%s: %s calls Foundry's cheatcodes, which answer it under forge; in the campaign they answer only the test contracts that set up the World", t.path, human.Printable(cmp.Or(name, account.Hex())))
		}
	}
	return nil
}

// nameAccounts gives senders and instances constants.
func (t *foundryTest) nameAccounts() {
	taken := map[string]bool{}
	name := func(a common.Address, text string) {
		if t.names[a] != "" {
			return
		}
		const most = 40 // characters; arbitrary
		short := solidityName(text)
		short = strings.ToLower(short[:min(len(short), 1)]) + short[min(len(short), 1):min(len(short), most)] + "_"
		if short[0] >= '0' && short[0] <= '9' {
			short = "_" + short
		}
		unique := short
		for n := 2; taken[unique]; n++ {
			unique = fmt.Sprintf("%s%d", short, n)
		}
		taken[unique], t.names[a] = true, unique
	}
	for _, s := range t.snapshot.World.Senders {
		name(s.Address, s.Name)
	}
	for _, in := range t.snapshot.World.Instances {
		name(in.Address, in.Name)
	}
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

// foundryTestHead is the license, the range of compilers that have all that the test uses,
// and what it is.
const foundryTestHead = `// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2;

// %s
// Save it as %s, and run: forge test --match-test %s -vvv
// %s

`

// moreCheatcodes are those of Foundry's that only some tests use.
var moreCheatcodes = []struct{ name, source string }{
	{"chainId", "    function chainId(uint256 id) external;\n"},
	{"coinbase", "    function coinbase(address account) external;\n"},
	{"setNonce", "    function setNonce(address account, uint64 nonce) external;\n"},
	{"etch", "    function etch(address account, bytes calldata code) external;\n"},
	{"recordLogs", "    function recordLogs() external;\n"},
	{"getRecordedLogs", "    struct Log {\n        bytes32[] topics;\n        bytes data;\n        address emitter;\n    }\n\n    function getRecordedLogs() external returns (Log[] memory);\n"},
	{"load", "    function load(address account, bytes32 slot) external view returns (bytes32);\n"},
}

// cheatcodes are those that every test has.
const cheatcodes = `
interface SightlineVm {
    function deal(address account, uint256 wei_) external;
    function warp(uint256 time) external;
    function roll(uint256 number) external;
    function prank(address sender, address origin) external;
%s}

`

// Text of a test's line that says what it means that it passes or fails.
const (
	failsSaid  = "It fails as long as the finding happens, and ends early, with a log, where a call before it ends otherwise than when it was found."
	passesSaid = "It passes: -vvvv shows what its calls do. It ends early, with a log, where one ends otherwise than when it was found."
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
	world := t.worldText(body.String())
	var b strings.Builder
	if t.kept != nil {
		b.WriteString(t.kept.head(t.loaded, fails))
	} else {
		head := fmt.Sprintf(foundryTestHead, solidityComment(claim.describe(t.path)), solidityComment(t.place(id)), name, meaning)
		if strings.Contains(body.String(), "sightlineEvents(") { // which returns structs
			head = strings.Replace(head, "pragma solidity >=0.6.2;\n", "pragma solidity >=0.6.2;\npragma experimental ABIEncoderV2;\n", 1)
		}
		b.WriteString(head)
	}
	if t.base != nil {
		t.imports.name(t.base.Contract)
	}
	t.imports.write(&b)
	t.writeContract(&b, "Sightline_"+id, name, world, body.String())
	return b.String(), fails
}

// writeContract writes the cheatcodes, and the contract with what of helpers it uses.
func (t *foundryTest) writeContract(b *strings.Builder, contract, function, world, body string) {
	stands := t.standIn()
	text := world + body + stands
	var helpers, more strings.Builder
	helper := func(name, source string) {
		if strings.Contains(text, name+"(") {
			helpers.WriteString(source)
			text += source
		}
	}
	helper("sightlineSetUp", setUpHelper)
	helper("sightlineRun", runHelper)
	helper("sightlineAlso", alsoHelper)
	helper("sightlineBlock", blockHelper)
	helper("sightlineDeploy", deployHelper)
	helper("sightlineDeployTo", deployToHelper)
	helper("sightlineCall", callHelper)
	helper("sightlineCreate", createHelper)
	helper("sightlineHeld", heldHelper)
	helper("sightlineCode", codeHelper)
	helper("sightlineLog", logHelper)
	helper("sightlineEvents", eventsHelper)
	for _, c := range moreCheatcodes {
		if strings.Contains(text, "sightline."+c.name+"(") {
			more.WriteString(c.source)
		}
	}
	fmt.Fprintf(b, cheatcodes, more.String())
	if strings.Contains(text, "SightlineRunner") {
		b.WriteString(runnerContract)
	}
	if t.base != nil && stands == "" {
		name, _ := t.imports.name(t.base.Contract)
		contract += " is " + name
	}
	fmt.Fprintf(b, "contract %s {\n%s%s%s", contract, vmConstant, t.constants(), t.attack.constant())
	var local strings.Builder
	for _, a := range slices.Sorted(maps.Values(t.created)) {
		if stands == "" {
			fmt.Fprintf(b, "    address private %s;\n", a)
		} else { // the storage is that of the project's test
			fmt.Fprintf(&local, "        address %s;\n", a)
		}
	}
	b.WriteString(stands + helpers.String())
	switch {
	case t.base == nil:
		fmt.Fprintf(b, "\n    function setUp() public {\n%s    }\n", world)
	case world != "":
		fmt.Fprintf(b, "\n    // What the World has beyond setUp().\n    function sightlineWorld() private {\n%s    }\n", world)
	}
	fmt.Fprintf(b, "\n    function %s() public {\n        bool ok;\n        bytes memory out;\n", function)
	if t.base != nil && world != "" {
		b.WriteString("        sightlineWorld();\n")
	}
	b.WriteString(local.String() + body + "    }\n}\n" + t.attack.contract(body))
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
	machine, err := l.machine()
	if err != nil {
		return nil, err
	}
	exec, _, err := l.run(machine)
	if err != nil {
		return nil, err
	}
	t, err := newFoundryTest(l, exec)
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
	return path.Join(t.imports.folder, t.imports.within, id+".t.sol")
}

// writeCalls writes the calls of the sequence, and reports whether the last one fails the
// test as long as the finding happens.
func (t *foundryTest) writeCalls(b *strings.Builder, exec *evm.Execution) (fails bool) {
	claim := &t.reproducer.Claim
	calls := t.space.Encode(t.sequence, nil)
	number := t.snapshot.World.Block.Number
	t.now = t.snapshot.World.Block.Time
	for i := range calls {
		c := &calls[i]
		t.now, number = t.now+c.TimeAdvance, number+c.BlockAdvance
		failed := exec.Calls[i].Outcome != evm.Success
		last := i == len(calls)-1
		fmt.Fprintf(b, "\n        // %d. %s\n", i+1, solidityComment(t.space.DescribeCall(&t.sequence[i])))
		if t.base != nil || i == 0 || c.TimeAdvance+c.BlockAdvance > 0 {
			fmt.Fprintf(b, "        sightline.warp(%d);\n        sightline.roll(%d);\n", t.now, number)
		}
		t.writeScript(b, i, exec)
		if last && claim.Differs == DiffersInEvents {
			b.WriteString("        sightline.recordLogs();\n")
		}
		t.writeCall(b, i, c, exec)
		if last && claim.Differs != "" {
			return t.writeDifference(b, i, exec)
		}
		function := t.sequence[i].Function
		mustRevert := last && claim.Kind == FindingClaim && function != nil && function.Property && function.Reverts
		switch {
		case last && !failed && claim.compared() && claim.Answer != nil:
			fmt.Fprintf(b, "        if (!ok) return sightlineLog(\"call %d fails, unlike when it was found\");\n", i+1)
			t.writeAnswer(b, claim.Answer)
			fails = true
		case last && !failed && claim.compared() && claim.Refused:
			fmt.Fprintf(b, "        require(!ok, \"the finding: the call succeeds\");\n")
			fails = true
		case mustRevert && !failed:
			b.WriteString("        require(!ok, \"the finding: the property does not revert\");\n")
			fails = true
		case last && failed && claim.Kind == FindingClaim:
			// A call that the mended code refuses for another reason passes.
			fmt.Fprintf(b, "        if (!ok && keccak256(out) == %s) {\n            assembly { revert(add(out, 32), mload(out)) } // the finding: the call should not fail like this\n        }\n",
				crypto.Keccak256Hash(exec.Calls[i].Output))
			fails = true
		case t.kept != nil && claim.Kind == LineClaim:
			b.WriteString(outcomeText(i, failed))
			b.WriteString(t.answerText(i, failed, exec.Calls[i].Output))
		case failed:
			fmt.Fprintf(b, "        if (ok) return sightlineLog(\"call %d succeeds, unlike when it was found\");\n", i+1)
		default:
			fmt.Fprintf(b, "        if (!ok) return sightlineLog(\"call %d fails, unlike when it was found\");\n", i+1)
		}
		if !last || failed || fails || claim.Kind != FindingClaim {
			continue
		}
		fails = t.writeResult(b, function, exec.Calls[i].Output)
	}
	return fails
}

// writeResult fails the test if the last call, which succeeds, returns what shows the finding, and reports whether something it returns does.
func (t *foundryTest) writeResult(b *strings.Builder, function *input.Function, output []byte) (fails bool) {
	switch isBool := function != nil && len(output) == common.HashLength; {
	case isBool && function.Property && common.BytesToHash(output) == (common.Hash{}):
		b.WriteString("        require(abi.decode(out, (bool)), \"the finding: the property is false\");\n")
		return true
	case isBool && function.Noted && common.BytesToHash(output) != (common.Hash{}): // forge fails the test for it as well
		b.WriteString("        require(!abi.decode(out, (bool)), \"the finding: an assertion has failed\");\n")
		return true
	}
	fmt.Fprintf(b, "        // the finding, for which no call fails: %s\n", solidityComment(t.reproducer.Claim.Message))
	return false
}

// writeAnswer asks what is asked after the sequence, and fails the test if the answer is the head's.
func (t *foundryTest) writeAnswer(b *strings.Builder, a *Answer) {
	said := a.Describe(t.space)
	fmt.Fprintf(b, "\n        // Afterwards, %s is %s; on the base %s.\n", solidityComment(said.Of), solidityComment(said.Head), solidityComment(said.Base))
	if len(a.Data) == 0 {
		fmt.Fprintf(b, "        require(%s.balance != %s, \"the finding: what an account owns\");\n", t.address(a.To), new(uint256.Int).SetBytes(a.Head).Dec())
		return
	}
	fmt.Fprintf(b, "        (ok, out) = %s.staticcall(%s);\n", t.address(a.To), t.calldata(a.Data))
	fmt.Fprintf(b, "        require(keccak256(out) != keccak256(%s), \"the finding: what an account owns\");\n", t.words(a.Head, 0))
}

// writeCall makes a call, whose outcome is then in the variables ok and out.
func (t *foundryTest) writeCall(b *strings.Builder, i int, c *evm.Call, exec *evm.Execution) {
	from := t.address(c.From)
	if account := t.snapshot.World.Accounts[c.From]; !c.Value.IsZero() && account != nil && len(account.Code) > 0 && c.From != attacker.Address {
		fmt.Fprintf(b, "        sightline.deal(%s, %s);\n", from, account.Balance.Dec())
	}
	fmt.Fprintf(b, "        sightline.prank(%s, %s);\n", from, t.address(c.Sender()))
	if c.Create {
		fmt.Fprintf(b, "        (ok, out, %s) = sightlineCreate(%s, %s);\n", t.created[c.Address], c.Value.Dec(), t.creationText(c.Data))
		return
	}
	var options []string
	if !c.Value.IsZero() {
		options = append(options, "value: "+c.Value.Dec())
	}
	if t.attack.burns(i, exec) { // what is left of it decides
		options = append(options, fmt.Sprintf("gas: %d", cmp.Or(c.Gas, evm.CallGas)))
	}
	option := ""
	if options != nil {
		option = "{" + strings.Join(options, ", ") + "}"
	}
	fmt.Fprintf(b, "        (ok, out) = %s.call%s(%s);\n", t.address(c.To), option, t.calldata(c.Data))
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

// address writes an account: by the variable that holds it if there is one, since it may be
// elsewhere under forge, or where the project's test is changed.
func (t *foundryTest) address(a common.Address) string {
	if variable := t.variable(a); variable != "" {
		return variable
	}
	if t.attack != nil && t.attack.needed && a == attacker.Address {
		return "address(" + t.attack.name + ")"
	}
	if name := t.names[a]; name != "" {
		t.used[a] = true
		return name
	}
	if name, ok := t.space.NameOf(a); ok && t.base != nil && t.needs.hasCode(a) {
		return fmt.Sprintf("address(%s) /* %s */", a.Hex(), solidityComment(name))
	}
	return fmt.Sprintf("address(%s)", a.Hex())
}

// variable is an account that the test has in a variable; empty: none has it.
func (t *foundryTest) variable(a common.Address) string {
	if name := t.created[a]; name != "" {
		return name
	}
	if t.base == nil {
		return ""
	}
	if a == t.base.Address {
		return "address(this)"
	}
	if p, ok := t.held[a]; ok {
		return fmt.Sprintf("sightlineHeld(%s, %d) /* %s */", p.slot.Dec(), p.offset, solidityComment(p.name))
	}
	return ""
}

// calldata writes calldata, with accounts among its words written by [foundryTest.variable].
func (t *foundryTest) calldata(data []byte) string {
	const selector = 4
	return t.words(data, selector)
}

// words writes the words of data from an offset on, likewise.
func (t *foundryTest) words(data []byte, from int) string {
	var parts []string
	begin := 0
	for at := from; at+common.HashLength <= len(data); at += common.HashLength {
		word := data[at : at+common.HashLength]
		a := common.BytesToAddress(word)
		variable := t.variable(a)
		if variable == "" || !bytes.Equal(common.LeftPadBytes(a[:], common.HashLength), word) {
			continue
		}
		if at > begin {
			parts = append(parts, hexLiteral(data[begin:at]))
		}
		parts = append(parts, "abi.encode("+variable+")")
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
