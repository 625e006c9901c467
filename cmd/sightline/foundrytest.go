package main

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

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/oracle"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// This file writes a reproducer as a Foundry test: one that inherits the test contract
// which set up the World, and makes the calls of the sequence.

// foundryTest is such a test while it is written.
type foundryTest struct {
	*replayed
	base  *bytecode.Contract // the test contract
	at    common.Address     // where it is in the World
	held  map[common.Address]heldPlace
	fixed []evm.Instance // that are called, and that it does not hold
}

// heldPlace is where the test contract's storage has the address of an instance.
type heldPlace struct {
	name   string // of the instance
	slot   uint256.Int
	offset int // bytes from the right
}

// newFoundryTest finds the test contract whose storage has most of what the sequence
// calls.
func newFoundryTest(r *replayed) (*foundryTest, error) {
	var best *foundryTest
	most := -1
	for _, s := range r.bundle.World.Senders {
		account := r.bundle.World.Accounts[s.Address]
		if account == nil || len(account.Code) == 0 || createdBy(world.Deployer.Address, s.Address) {
			continue
		}
		p := r.table.LookupRuntime(account.Code)
		if p == nil || p.Contract == nil || s.Name != p.Contract.Name {
			continue
		}
		t := &foundryTest{replayed: r, base: p.Contract, at: s.Address, held: r.holding(account)}
		n := 0
		for i := range r.sequence {
			if _, ok := t.held[r.space.Instances[r.sequence[i].Instance].Address]; ok {
				n++
			}
		}
		if n > most {
			best, most = t, n
		}
	}
	if best == nil {
		return nil, exit.BadInput("%s: its World was not set up by a Foundry test, which another test could inherit", r.path)
	}
	if comment(best.base.Source) != best.base.Source || strings.ContainsAny(best.base.Source, `"\`) {
		return nil, exit.BadInput("%s: %s cannot be imported: its name has more than letters, digits and signs", r.path, human.Printable(best.base.Source))
	}
	return best, best.check()
}

// holding finds the instances that a contract has in its storage, wherever that is: few
// builds say where variables are.
func (r *replayed) holding(account *evm.Account) map[common.Address]heldPlace {
	held := map[common.Address]heldPlace{}
	slots := slices.SortedFunc(maps.Keys(account.Storage), func(a, b common.Hash) int { return a.Cmp(b) })
	for _, slot := range slots {
		word := account.Storage[slot]
		for offset := 0; offset+common.AddressLength <= common.HashLength; offset++ {
			end := common.HashLength - offset
			a := common.Address(word[end-common.AddressLength : end])
			name, ok := r.space.NameOf(a)
			if _, known := held[a]; ok && !known && slices.ContainsFunc(r.bundle.World.Instances, func(in evm.Instance) bool { return in.Address == a }) {
				held[a] = heldPlace{name, *new(uint256.Int).SetBytes32(slot[:]), offset}
			}
		}
	}
	return held
}

// maxNonce bounds the contracts that one account is looked for among the creators of;
// arbitrary.
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

// check tells why a test cannot make the calls.
func (t *foundryTest) check() error {
	for i := range t.sequence {
		in := &t.space.Instances[t.sequence[i].Instance]
		if in.Fresh {
			return exit.BadInput("%s: it deploys %s, which a test of this kind does not", t.path, in.Name)
		}
		_, held := t.held[in.Address]
		switch {
		case held || in.Address == t.at:
		case createdBy(world.Deployer.Address, in.Address):
			return exit.BadInput("%s: %s was deployed by Sightline and by no test", t.path, in.Name)
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
// Save it beside %s, and run: forge test --match-test %s -vvv

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
        (ok, out) = address(sightline).call(abi.encodeWithSignature("stopPrank()")); // one that setUp() left open
`

// source writes the test; exec is what the sequence did.
func (t *foundryTest) source(exec *evm.Execution) string {
	claim := &t.reproducer.Claim
	what := t.describeClaim()
	name := "test_" + identifier(strings.TrimSuffix(path.Base(t.path), ".json"))
	var b strings.Builder
	fmt.Fprintf(&b, foundryTestHead, comment(what), t.base.Source, name, t.base.Name, path.Base(t.base.Source),
		"Sightline_"+identifier(strings.TrimSuffix(path.Base(t.path), ".json")), t.base.Name, t.helper(), name)
	for _, in := range t.fixed {
		fmt.Fprintf(&b, "        require(sightlineCode(%s) > 0, \"%s is not where it was\");\n", t.address(in.Address), identifier(in.Name))
	}
	calls := t.space.Encode(t.sequence, nil)
	now, number := t.bundle.World.Block.Time, t.bundle.World.Block.Number
	for i := range calls {
		c := &calls[i]
		now, number = now+c.TimeAdvance, number+c.BlockAdvance
		failed := exec.Calls[i].Outcome != evm.Success
		last := i == len(calls)-1
		fmt.Fprintf(&b, "\n        // %d. %s\n", i+1, comment(t.space.Describe(&t.sequence[i])))
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
			b.WriteString("        if (!ok) assembly { revert(add(out, 32), mload(out)) } // what is found: the call should not fail so\n")
		case failed:
			fmt.Fprintf(&b, "        require(!ok, \"call %d succeeds, other than when it was found\");\n", i+1)
		default:
			fmt.Fprintf(&b, "        require(ok, \"call %d fails, other than when it was found\");\n", i+1)
		}
	}
	if claim.Kind == "finding" && exec.Calls[len(calls)-1].Outcome == evm.Success {
		fmt.Fprintf(&b, "        // what is found, and no call fails for it: %s\n", comment(claim.Message))
	}
	b.WriteString("    }\n}\n")
	return b.String()
}

// helper is the functions that the test needs.
func (t *foundryTest) helper() string {
	if len(t.fixed) > 0 {
		return heldHelper + codeHelper
	}
	return heldHelper
}

// heldHelper reads an address from the test contract's storage, be the variable private or not.
const heldHelper = `
    function sightlineHeld(uint256 slot, uint256 offset) private view returns (address) {
        return address(uint160(uint256(sightline.load(address(this), bytes32(slot))) >> (8 * offset)));
    }
`

// codeHelper is for contracts that are known by their address alone.
const codeHelper = `
    function sightlineCode(address account) private view returns (uint256 size) {
        assembly { size := extcodesize(account) }
    }
`

// address writes an account: by the place that holds it where there is one, since
// forge may put it elsewhere.
func (t *foundryTest) address(a common.Address) string {
	if a == t.at {
		return "address(this)"
	}
	if p, ok := t.held[a]; ok {
		return fmt.Sprintf("sightlineHeld(%s, %d) /* %s */", p.slot.Dec(), p.offset, comment(p.name))
	}
	return fmt.Sprintf("address(%s)", a.Hex())
}

// funds is what an account has to send ether from.
func (t *foundryTest) funds(a common.Address) *uint256.Int {
	if account := t.bundle.World.Accounts[a]; account != nil {
		return &account.Balance
	}
	return new(uint256.Int)
}

// calldata writes calldata, with accounts among its words as address does.
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

// identifier makes a name of a text.
func identifier(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, text)
}

// comment makes a text one that ends no comment: names in it are others', and Solidity
// knows more ends of a line than ASCII has.
func comment(text string) string {
	const most = 500 // characters; arbitrary
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
	return strings.ReplaceAll(ascii[:min(len(ascii), most)], "*/", "* /")
}

// printFoundryTest prints a reproducer as a Foundry test.
func (p *program) printFoundryTest(r *replayed) (bool, error) {
	t, err := newFoundryTest(r)
	if err != nil {
		return false, err
	}
	machine, err := evm.NewReference(r.bundle.World, r.table, evm.LiftCodeSizeLimits)
	if err != nil {
		return false, exit.BadInput("world of reproducer %s: %w", r.path, err)
	}
	exec, observed, err := fuzzer.Replay(machine, &fuzzer.Config{Space: r.space, Oracles: oracle.All()}, r.sequence)
	if err != nil {
		return false, exit.CannotFuzz("%s: %w", r.path, err)
	}
	fmt.Fprint(p.stdout, t.source(exec))
	return r.holds(exec, observed), nil
}
