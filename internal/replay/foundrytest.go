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
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// foundryTest writes a reproducer as a Foundry test: one that inherits the test contract
// that set up the World, and makes the calls of the sequence.
type foundryTest struct {
	*loaded
	base  *bytecode.Contract // the test contract
	at    common.Address     // where it is in the World
	held  map[common.Address]heldPlace
	fixed []evm.Instance // that are called, and whose addresses it does not hold
}

// heldPlace is where the test contract's storage has the address of an instance.
type heldPlace struct {
	name   string // of the instance
	slot   uint256.Int
	offset int // bytes from the right
}

// newFoundryTest finds the test contract whose storage has the addresses of most instances
// that the sequence calls.
func newFoundryTest(l *loaded) (*foundryTest, error) {
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
		return nil, exit.BadInput("%s: no Foundry test set up its World, so that there is none to inherit", l.path)
	}
	if solidityComment(best.base.Source) != best.base.Source || strings.ContainsAny(best.base.Source, `"\`) {
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
	for i := range t.sequence {
		in := &t.space.Instances[t.sequence[i].Instance]
		if in.Fresh {
			return exit.BadInput("%s: it deploys %s, which such a test cannot", t.path, in.Name)
		}
		_, held := t.held[in.Address]
		switch {
		case held || in.Address == t.at:
		case createdBy(world.Deployer.Address, in.Address):
			return exit.BadInput("%s: %s was deployed by Sightline, not by a test", t.path, in.Name)
		default:
			if !slices.ContainsFunc(t.fixed, func(other evm.Instance) bool { return other.Address == in.Address }) {
				t.fixed = append(t.fixed, in.Instance)
			}
		}
	}
	return nil
}

const foundryTestHead = `// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2;

// %s
// Save it next to %s, and run: forge test --match-test %s -vvv

import {%s} from "./%s";

interface SightlineVm {
    function deal(address account, uint256 wei_) external;
    function warp(uint256 time) external;
    function roll(uint256 number) external;
    function prank(address sender, address origin) external;
    function stopPrank() external;
    function load(address account, bytes32 slot) external view returns (bytes32);
}

contract %s is %s {
    SightlineVm private constant sightline = SightlineVm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
%s
    function %s() public {
        bool ok;
        bytes memory out;
        (ok, out) = address(sightline).call(abi.encodeWithSignature("stopPrank()")); // a prank that setUp() left open
`

// source is the test; exec is the execution of the sequence.
func (t *foundryTest) source(exec *evm.Execution) string {
	claim := &t.reproducer.Claim
	what := claim.describe(t.path)
	name := "test_" + solidityName(strings.TrimSuffix(path.Base(t.path), ".json"))
	var b strings.Builder
	fmt.Fprintf(&b, foundryTestHead, solidityComment(what), t.base.Source, name, t.base.Name, path.Base(t.base.Source),
		"Sightline_"+solidityName(strings.TrimSuffix(path.Base(t.path), ".json")), t.base.Name, t.helper(), name)
	for _, in := range t.fixed {
		fmt.Fprintf(&b, "        require(sightlineCode(%s) > 0, \"%s is missing at its address\");\n", t.address(in.Address), solidityName(in.Name))
	}
	calls := t.space.Encode(t.sequence, nil)
	now, number := t.snapshot.World.Block.Time, t.snapshot.World.Block.Number
	for i := range calls {
		c := &calls[i]
		now, number = now+c.TimeAdvance, number+c.BlockAdvance
		failed := exec.Calls[i].Outcome != evm.Success
		last := i == len(calls)-1
		fmt.Fprintf(&b, "\n        // %d. %s\n", i+1, solidityComment(t.space.Describe(&t.sequence[i])))
		fmt.Fprintf(&b, "        sightline.warp(%d);\n        sightline.roll(%d);\n", now, number)
		if !c.Value.IsZero() {
			fmt.Fprintf(&b, "        sightline.deal(%s, %s);\n", t.address(c.From), t.funds(c.From).Dec())
		}
		value := ""
		if !c.Value.IsZero() {
			value = fmt.Sprintf("{value: %s}", c.Value.Dec())
		}
		fmt.Fprintf(&b, "        sightline.prank(%s, %s);\n", t.address(c.From), t.address(c.From))
		fmt.Fprintf(&b, "        (ok, out) = %s.call%s(%s);\n", t.address(c.To), value, t.calldata(c.Data))
		switch {
		case last && failed && claim.Kind == "finding":
			b.WriteString("        if (!ok) assembly { revert(add(out, 32), mload(out)) } // the finding: the call should not fail like this\n")
		case failed:
			fmt.Fprintf(&b, "        require(!ok, \"call %d succeeds, unlike when it was found\");\n", i+1)
		default:
			fmt.Fprintf(&b, "        require(ok, \"call %d fails, unlike when it was found\");\n", i+1)
		}
	}
	if claim.Kind == "finding" && exec.Calls[len(calls)-1].Outcome == evm.Success {
		fmt.Fprintf(&b, "        // the finding, for which no call fails: %s\n", solidityComment(claim.Message))
	}
	b.WriteString("    }\n}\n")
	return b.String()
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
	if a == t.at {
		return "address(this)"
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
		if !held && a != t.at || !bytes.Equal(common.LeftPadBytes(a[:], common.HashLength), word) {
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
