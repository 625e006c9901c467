package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/mine"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
)

// invariantTest writes laws as a Foundry test that makes the World, calls it through a handler and asks the
// laws after each call.
type invariantTest struct {
	*foundryTest
	actors []common.Address // that call
}

// Invariants writes laws of the snapshot's World as a Foundry test. An error says for people why there is none.
func (s *Snapshot) Invariants(table *bytecode.Table, space *input.Space, laws []*mine.Law) (string, error) {
	const file = "SightlineLaws.t.sol"
	l := &loaded{path: file, reproducer: &Reproducer{}, snapshot: s, table: table, space: space}
	if !s.Told {
		return "", exit.CannotFuzz("the laws cannot be written as a test: neither Sightline nor a Foundry test made the World from nothing")
	}
	t := &invariantTest{foundryTest: &foundryTest{loaded: l, needs: needsOf(l, &evm.Execution{}), created: map[common.Address]string{}, names: map[common.Address]string{}, used: map[common.Address]bool{},
		imports: &imports{within: "test", names: map[string]string{}, sources: map[*bytecode.Contract]string{}, harnesses: s.Harnesses}}}
	for i := range s.World.Instances {
		t.needs.name(s.World.Instances[i].Address)
	}
	t.needs.close()
	if len(t.needs.setUps) > 0 {
		return "", exit.CannotFuzz("the laws cannot be written as a test, since tests of the project set up the World, and forge gives the test that it runs the address of one of them; with --setup none, Sightline sets it up itself")
	}
	t.nameAccounts()
	if err := t.checkWorld(); err != nil {
		return "", err
	}
	for _, sender := range s.World.Senders {
		if !sender.TestsOnly && !sender.IsContract() {
			t.actors = append(t.actors, sender.Address)
		}
	}
	return t.write(laws), nil
}

// invariantHead is the license, the compilers and what the test is.
const invariantHead = `// SPDX-License-Identifier: UNLICENSED
pragma solidity >=0.6.2;
%s
// Laws that Sightline found: each held in every call that could break it, and in a campaign that tried to.
// Save this as test/SightlineLaws.t.sol, and run: forge test --match-contract SightlineLaws
// Sums are over the accounts that the handler calls as, and those that the World has.

`

// handlerHelpers choose callers, accounts and amounts.
const handlerHelpers = `
    function actor(uint256 seed) private view returns (address) {
        return actors[seed %% %d];
    }

    // An account of the World: a caller, or any other.
    function account(address seed) private view returns (address) {
        return actors[uint256(uint160(seed)) %% actors.length];
    }

    function amount(uint256 seed) private pure returns (uint256) {
        uint256 x = seed / 4;
        if (seed %% 4 == 0) return x %% 1000;
        if (seed %% 4 == 1) return x %% 1e20;
        if (seed %% 4 == 2) return x %% 1e27;
        return seed;
    }

    function count() external view returns (uint256) {
        return actors.length;
    }
`

func (t *invariantTest) write(laws []*mine.Law) string {
	var invariants, said strings.Builder
	for i, l := range laws {
		condition, ok := t.condition(l)
		if !ok {
			fmt.Fprintf(&said, "// Not in the test: %s\n", solidityComment(l.String()))
			continue
		}
		fmt.Fprintf(&invariants, "\n    // %s: held in %d calls of %d functions.\n    function invariant_%d_%s() public view {\n        require(%s, \"%s\");\n    }\n",
			solidityComment(l.String()), l.Calls, len(l.Functions), i+1, solidityName(t.short(l)), condition, solidityText(l.Lost()))
	}
	targets := t.targets()
	accounts := t.accounts()
	world := t.worldText(invariants.String() + targets + accounts)
	var b strings.Builder
	pragma := ""
	if strings.Contains(targets, "[] memory") {
		pragma = "pragma experimental ABIEncoderV2;\n"
	}
	fmt.Fprintf(&b, invariantHead, pragma)
	t.imports.write(&b)
	if said.Len() > 0 {
		b.WriteString("\n" + said.String())
	}
	var helpers, more strings.Builder
	for _, h := range []struct{ name, source string }{{"sightlineBlock", blockHelper}, {"sightlineDeploy", deployHelper}, {"sightlineCall", callHelper}, {"sightlineCode", codeHelper}} {
		if strings.Contains(world, h.name+"(") {
			helpers.WriteString(h.source)
		}
	}
	all := world + helpers.String()
	for _, c := range moreCheatcodes {
		if strings.Contains(all, "sightline."+c.name+"(") || c.name == "load" {
			more.WriteString(c.source)
		}
	}
	fmt.Fprintf(&b, cheatcodes, more.String())
	fmt.Fprintf(&b, "// Calls everything that the World has, as the accounts that use it.\ncontract SightlineHandler {\n%s%s    address[] public actors;\n\n    constructor() {\n%s    }\n", vmConstant, t.constants(), accounts)
	fmt.Fprintf(&b, handlerHelpers, len(t.actors))
	b.WriteString(targets + "}\n\n")
	fmt.Fprintf(&b, "contract SightlineLaws {\n%s%s    SightlineHandler private handler;\n%s\n    function setUp() public {\n%s        handler = new SightlineHandler();\n    }\n", vmConstant, t.constants(), helpers.String(), world)
	b.WriteString("\n    function targetContracts() public view returns (address[] memory all) {\n        all = new address[](1);\n        all[0] = address(handler);\n    }\n")
	b.WriteString(invariantReads)
	b.WriteString(invariants.String() + "}\n")
	return b.String()
}

// invariantReads read storage as the laws name it: by slots, since variables may be private.
const invariantReads = `
    // A variable of so many bytes at an offset of a slot.
    function variable(address of_, uint256 slot, uint256 offset, uint256 bytes_) private view returns (uint256 x) {
        x = uint256(sightline.load(of_, bytes32(slot))) >> (8 * offset);
        if (bytes_ < 32) x &= (uint256(1) << (8 * bytes_)) - 1;
    }

    // The sum of a mapping by accounts.
    function sum(address of_, uint256 slot) private view returns (uint256 total) {
        uint256 n = handler.count();
        for (uint256 i = 0; i < n; i++) total += uint256(sightline.load(of_, keccak256(abi.encode(handler.actors(i), slot))));
    }

    // What a view answers.
    function answer(address of_, bytes memory data) private view returns (uint256) {
        (bool ok, bytes memory out) = of_.staticcall(data);
        if (!ok || out.length != 32) {
            assembly { stop() } // the invariant says nothing then
        }
        return abi.decode(out, (uint256));
    }
`

// short names a law in an identifier.
func (t *invariantTest) short(l *mine.Law) string {
	const most = 60 // characters; arbitrary
	text := strings.NewReplacer("the sum of ", "sum_", "'s ", "_", "()", "", "…", "").Replace(l.String())
	return text[:min(len(text), most)]
}

// solidityText makes a text safe in a string literal.
func solidityText(text string) string {
	return strings.NewReplacer(`"`, "'", `\`, "/").Replace(solidityComment(text))
}

// condition is a law as an expression; false for one about what a call does, and one whose sum has keys
// that are not known.
func (t *invariantTest) condition(l *mine.Law) (string, bool) {
	a, first := t.quantity(l.A)
	if !first {
		return "", false
	}
	switch l.Template {
	case mine.Constant:
		value := l.A.Initial()
		return fmt.Sprintf("%s == %s", a, value.Dec()), true
	case mine.Equal, mine.Covers:
		b, second := t.quantity(l.B)
		if !second || l.Template == mine.Equal && !l.Balanced() {
			return "", false
		}
		if l.Template == mine.Equal {
			return a + " == " + b, true
		}
		return a + " >= " + b, true
	default:
		return "", false
	}
}

// quantity is a number as an expression.
func (t *invariantTest) quantity(q *mine.Quantity) (string, bool) {
	at := t.address(q.Account)
	switch q.Kind {
	case mine.Ether:
		return fmt.Sprintf("%s.balance", at), true
	case mine.Holding:
		return fmt.Sprintf("answer(%s, abi.encodeWithSignature(\"balanceOf(address)\", %s))", t.address(q.Token.Address), t.address(q.Instance.Address)), true
	case mine.Sum:
		return fmt.Sprintf("sum(%s, %s)", at, q.Slot.Dec()), !q.Odd
	case mine.Answer:
		at = t.address(q.Instance.Address)
		if inner, composed := strings.CutSuffix(q.View, "(totalSupply())"); composed {
			return fmt.Sprintf("answer(%s, abi.encodeWithSignature(\"%s(uint256)\", answer(%s, abi.encodeWithSignature(\"totalSupply()\"))))", at, inner, at), true
		}
		return fmt.Sprintf("answer(%s, abi.encodeWithSignature(\"%s\"))", at, solidityText(q.View)), true
	default:
		offset, bytes := uint(0), uint(wordBytes)
		if q.Variable != nil && q.Variable.Bytes > 0 {
			offset, bytes = q.Variable.Offset, q.Variable.Bytes
		}
		return fmt.Sprintf("variable(%s, %s, %d, %d)", at, q.Slot.Dec(), offset, bytes), true
	}
}

// accounts fills the list of accounts: first those that call, then all others that the World has.
func (t *invariantTest) accounts() string {
	var b strings.Builder
	list := append(slices.Clone(t.actors), common.Address{})
	for _, a := range slices.SortedFunc(maps.Keys(t.snapshot.World.Accounts), common.Address.Cmp) {
		const most = 128 // arbitrary: sums go through all of them
		if !slices.Contains(list, a) && len(list) < most {
			list = append(list, a)
		}
	}
	for _, a := range list {
		fmt.Fprintf(&b, "        actors.push(%s);\n", t.address(a))
	}
	return b.String()
}

// targets are the functions of the handler.
func (t *invariantTest) targets() string {
	var b strings.Builder
	n := 0
	for i := range t.snapshot.World.Instances {
		in := &t.snapshot.World.Instances[i]
		if in.Contract == nil || in.Contract.Generated || in.Asked || world.IsHarness(in.Contract) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(in.Contract.ABI.Methods)) {
			m := in.Contract.ABI.Methods[name]
			if !m.IsConstant() {
				t.target(&b, in, &m, &n)
			}
		}
		if in.Contract.ABI.HasReceive() {
			n++
			fmt.Fprintf(&b, "\n    function call_%d_%s_receive(uint256 sightlineWho, uint256 sightlineWei) external {\n        address from = actor(sightlineWho);\n        uint256 wei_ = sightlineWei %% 1e19;\n        sightline.deal(from, from.balance + wei_);\n        sightline.prank(from, from);\n        (bool ok, ) = %s.call{value: wei_}(\"\");\n        ok;\n    }\n",
				n, solidityName(in.Name), t.address(in.Address))
		}
	}
	return b.String()
}

// target is a function of the handler that calls one of an instance; none where its arguments are
// structs or nested arrays.
func (t *invariantTest) target(b *strings.Builder, in *evm.Instance, m *gethabi.Method, n *int) {
	parameters := []string{"uint256 sightlineWho"}
	var arguments strings.Builder
	for i, input := range m.Inputs {
		typ, location, value := input.Type.String(), "", fmt.Sprintf("a%d", i)
		switch input.Type.T {
		case gethabi.AddressTy:
			value = "account(" + value + ")"
		case gethabi.UintTy:
			if input.Type.Size == 8*wordBytes {
				value = "amount(" + value + ")"
			}
		case gethabi.StringTy, gethabi.BytesTy:
			location = " memory"
		case gethabi.SliceTy, gethabi.ArrayTy:
			location = " memory"
			switch input.Type.Elem.T {
			case gethabi.SliceTy, gethabi.ArrayTy, gethabi.TupleTy, gethabi.StringTy, gethabi.BytesTy:
				return
			}
		case gethabi.TupleTy, gethabi.FunctionTy:
			return
		}
		parameters = append(parameters, fmt.Sprintf("%s%s a%d", typ, location, i))
		arguments.WriteString(", " + value)
	}
	const most = 6 // parameters: more may be too many for the compiler's stack
	if len(parameters) > most {
		return
	}
	*n++
	value, prepare := "", ""
	if m.IsPayable() {
		parameters = append(parameters, "uint256 sightlineWei")
		prepare = "        sightlineWei = sightlineWei % 1e19;\n        sightline.deal(from, from.balance + sightlineWei);\n"
		value = "{value: sightlineWei}"
	}
	fmt.Fprintf(b, "\n    function call_%d_%s_%s(%s) external {\n        address from = actor(sightlineWho);\n%s        sightline.prank(from, from);\n        (bool ok, ) = %s.call%s(abi.encodeWithSelector(0x%x%s));\n        ok;\n    }\n",
		*n, solidityName(in.Name), solidityName(m.RawName), strings.Join(parameters, ", "), prepare, t.address(in.Address), value, m.ID, arguments.String())
}
