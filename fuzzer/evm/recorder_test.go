package evm_test

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/google/go-cmp/cmp"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/testing/testsolc"
)

// pipelines are the ways that code to be fuzzed is compiled.
var pipelines = map[string]testsolc.Settings{
	"debug build":          {},
	"debug build via IR":   {ViaIR: true},
	"release build":        {Optimize: true},
	"release build via IR": {Optimize: true, ViaIR: true},
	"0.5":                  {Package: "solc-0.5.17"},
}

const branches = `
contract Branches {
    function computed(uint256 a) external pure returns (uint256) {
        if (3 * a * a + 7 * a + 101 == 12345) return 1;
        return 2;
    }
    function both(uint256 a, uint256 b) external pure returns (uint256) {
        if (a < 1001 && b > 2002) return 1;
        return 2;
    }
    function needs(int256 a) external pure {
        require(a < -3003, "needs");
    }
    function helper(uint256 a) external pure returns (uint256) {
        if (!odd(a, 4004)) return 1;
        return 2;
    }
    function odd(uint256 a, uint256 b) internal pure returns (bool) { return a == b; }
    function differs(uint256 a) external pure returns (uint256) {
        if (a != 5005) return 1;
        return 2;
    }
}`

// truth is whether a comparison holds.
func truth(c *evm.Comparison) bool {
	switch vm.OpCode(c.Op) {
	case vm.EQ:
		return c.Left.Eq(&c.Right)
	case vm.LT:
		return c.Left.Lt(&c.Right)
	case vm.GT:
		return c.Left.Gt(&c.Right)
	case vm.SLT:
		return c.Left.Slt(&c.Right)
	case vm.SGT:
		return c.Left.Sgt(&c.Right)
	case vm.ISZERO:
		return c.Left.IsZero()
	}
	panic(fmt.Sprintf("unknown comparison %#x", c.Op))
}

// checkComparisons holds every comparison to its definition: the jump is taken
// just when the comparison holds, or the other way round when it is negated.
func checkComparisons(t *testing.T, e *evm.Execution) {
	t.Helper()
	for i := range e.Frames {
		for j := range e.Frames[i].Comparisons {
			c := &e.Frames[i].Comparisons[j]
			if (truth(c) != c.Negated) != c.Taken {
				t.Fatalf("frame %d: %+v contradicts itself", i, *c)
			}
		}
	}
}

func TestComparisons(t *testing.T) {
	for name, settings := range pipelines {
		t.Run(name, func(t *testing.T) {
			b := deployed(t, branches, "Branches", settings)
			for _, tc := range []struct {
				call evm.Call
				want []string // in any operator and order, "left right"
			}{
				{b.call("computed", big.NewInt(10)), []string{"471 12345"}},
				{b.call("both", big.NewInt(7), big.NewInt(8)), []string{"7 1001", "8 2002"}},
				{b.call("needs", big.NewInt(9)), []string{"9 -3003"}},
				{b.call("helper", big.NewInt(6)), []string{"6 4004"}},
				{b.call("differs", big.NewInt(6)), []string{"6 5005"}},
			} {
				exec := b.run(tc.call)
				checkComparisons(t, exec)
				f := &exec.Frames[exec.Calls[1].Frames[0]]
				for _, want := range tc.want {
					if !slices.ContainsFunc(f.Comparisons, func(c evm.Comparison) bool { return operands(&c) == want }) {
						t.Errorf("no comparison of %s among %v", want, comparisonTexts(f))
					}
				}
			}
		})
	}
}

// operands are both sides of a comparison as signed numbers, the smaller
// absolute value first.
func operands(c *evm.Comparison) string {
	l, r := signed(&c.Left), signed(&c.Right)
	if l.CmpAbs(r) > 0 {
		l, r = r, l
	}
	return l.String() + " " + r.String()
}

func signed(w *uint256.Int) *big.Int {
	if w.Sign() >= 0 {
		return w.ToBig()
	}
	return new(big.Int).Neg(new(uint256.Int).Neg(w).ToBig())
}

func comparisonTexts(f *evm.Frame) []string {
	var out []string
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		out = append(out, fmt.Sprintf("%v(%v, %v) negated %t taken %t", vm.OpCode(c.Op), signed(&c.Left), signed(&c.Right), c.Negated, c.Taken))
	}
	return out
}

func TestComparisonsOfBench(t *testing.T) {
	b := deployed(t, bank, "Bank", testsolc.Settings{})
	for _, seq := range randomSequences(b, 100) {
		exec, err := b.machine.Run(seq)
		if err != nil {
			t.Fatal(err)
		}
		checkComparisons(t, exec)
	}
}

const layout = `
pragma experimental ABIEncoderV2;
contract Layout {
    struct Item { uint256 a; uint256 b; mapping(uint256 => uint256) inner; }
    uint256 plain;                                              // slot 0
    mapping(address => uint256) flat;                           // slot 1
    mapping(address => mapping(uint256 => uint256)) nested;     // slot 2
    mapping(uint256 => Item) items;                             // slot 3
    uint256[] list;                                             // slot 4
    mapping(string => uint256) byName;                          // slot 5
    function setPlain(uint256 v) external { plain = v; }
    function setFlat(uint256 v) external { flat[msg.sender] = v; }
    function setNested(uint256 v) external { nested[msg.sender][v] = v; }
    function setItem(uint256 v) external { items[v].b = v; items[v].inner[v] = v; }
    function push(uint256 v) external { list.push(v); list.push(v); }
    function setName(string calldata n, uint256 v) external { byName[n] = v; }
}`

func TestStorageBases(t *testing.T) {
	v := big.NewInt(77)
	sender := new(uint256.Int).SetBytes(user.Bytes()).Uint64() // its last bytes
	for name, settings := range pipelines {
		t.Run(name, func(t *testing.T) {
			b := deployed(t, layout, "Layout", settings)
			for _, tc := range []struct {
				call evm.Call
				base []uint64   // of the writes, in order
				keys [][]uint64 // likewise
			}{
				{b.call("setPlain", v), []uint64{0}, [][]uint64{nil}},
				{b.call("setFlat", v), []uint64{1}, [][]uint64{{sender}}},
				{b.call("setNested", v), []uint64{2}, [][]uint64{{77, sender}}},
				{b.call("setItem", v), []uint64{3, 3}, [][]uint64{{77}, {77, 77}}},
				{b.call("push", v), []uint64{4, 4, 4, 4}, [][]uint64{nil, nil, nil, nil}},
				{b.call("setName", "somebody with a rather long name that needs two words", v), []uint64{5}, [][]uint64{nil}},
			} {
				exec := b.run(tc.call)
				f := &exec.Frames[exec.Calls[1].Frames[0]]
				var got []uint64
				var keys [][]uint64
				for _, a := range f.Storage {
					if a.Write {
						got = append(got, a.Base.Uint64())
						keys = append(keys, nil)
						for _, key := range a.Keys.Words[:a.Keys.Count] {
							keys[len(keys)-1] = append(keys[len(keys)-1], key.Uint64())
						}
						if !a.Value.Eq(uint256.NewInt(77)) && tc.base[0] != 4 {
							t.Errorf("wrote %v", &a.Value)
						}
					}
				}
				if diff := cmp.Diff(tc.base, got); diff != "" {
					t.Errorf("bases of writes (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(tc.keys, keys); diff != "" {
					t.Errorf("keys of writes (-want +got):\n%s", diff)
				}
			}
			exec := b.run(b.call("setPlain", v), b.call("setPlain", v))
			f := &exec.Frames[exec.Calls[2].Frames[0]]
			for _, a := range f.Storage {
				if !a.Write && !a.Value.Eq(uint256.NewInt(77)) {
					t.Errorf("read %v, want 77", &a.Value)
				}
			}
		})
	}
}

const failing = `
contract Other {
    error Unlucky(address who, string why, uint256[] numbers);
    function fail(uint256 n) external view {
        uint256[] memory list = new uint256[](2);
        list[0] = n;
        revert Unlucky(msg.sender, "thirteen", list);
    }
}
contract Failing {
    error Custom(uint256 a, bool b);
    error Deep(uint256[][][][][][] a);
    error Empty();
    Other other = new Other();
    uint256[] list;
    enum E { A, B }
    function f(uint256 n) external returns (uint256) {
        if (n == 0) revert("told so");
        if (n == 1) revert();
        if (n == 2) revert Custom(42, true);
        if (n == 3) revert Empty();
        if (n == 4) assert(n == 5);
        if (n == 5) return n - 6;
        if (n == 6) return 5 / (n - 6);
        if (n == 7) return list[n];
        if (n == 8) list.pop();
        if (n == 9) return uint256(E(n));
        if (n == 10) other.fail(n);
        if (n == 11) { assembly { invalid() } }
        if (n == 12) { while (true) n += 1; }
        if (n == 13) { assembly { mstore(0, 0xdeadbeef) revert(28, 4) } }
        if (n == 14) { assembly { revert(0, 4000) } }
        if (n == 15) { // all elements of an array are the same array: 8^6 numbers
            bytes memory data = abi.encodePacked(Deep.selector, uint256(32));
            for (uint256 level = 0; level < 6; level++) {
                data = abi.encodePacked(data, uint256(8));
                for (uint256 i = 0; i < 8; i++) data = abi.encodePacked(data, uint256(256));
            }
            assembly { revert(add(data, 32), mload(data)) }
        }
        return n;
    }
}`

func TestReasons(t *testing.T) {
	b := deployed(t, failing, "Failing", testsolc.Settings{})
	want := []string{
		"told so",
		"reverted without a reason",
		"Custom(42, true)",
		"Empty()",
		"panic 0x01: assertion failed",
		"panic 0x11: arithmetic overflow or underflow",
		"panic 0x12: division or modulo by zero",
		"panic 0x32: array index out of bounds",
		"panic 0x31: pop on an empty array",
		"panic 0x21: invalid enum value",
		`Unlucky(` + place.Hex() + `, "thirteen", [10, 0])`,
		"invalid opcode",
		"out of gas",
		"reverted with 0xdeadbeef",
		"reverted with 4000 bytes of data",
		"Deep(0x…",
		"",
	}
	for range 2 { // the second time from memory
		for n, want := range want {
			exec := b.run(b.call("f", big.NewInt(int64(n))))
			got := exec.Calls[1].Reason()
			if prefix, cut := strings.CutSuffix(want, "…"); cut && strings.HasPrefix(got, prefix) {
				continue
			}
			if got != want {
				t.Errorf("f(%d): reason %q, want %q", n, got, want)
			}
		}
	}
}

const caught = `
contract Inner {
    uint256 public done;
    function g(uint256 n) external { done = n; if (n > 5) { uint256 k = n * 3; require(k == 1, "inner"); } }
}
contract Caught {
    Inner public inner = new Inner();
    uint256 public failures;
    function f(uint256 n) external { try inner.g(n) { } catch { failures++; } }
    function h(uint256 n) external { inner.g(n); failures = n; }
}`

// TestKept: what a failed frame entered is covered but not kept, unless another
// frame that succeeded entered it.
func TestKept(t *testing.T) {
	b := deployed(t, caught, "Caught", testsolc.Settings{})
	kept := func(e *evm.Execution, call int) (kept, lost int) {
		seen := map[evm.Coverage]bool{}
		for _, c := range e.Covered {
			if c.Call != call {
				continue
			}
			if c.Kept {
				kept++
			} else {
				lost++
			}
			c.Kept = false
			if seen[c] {
				t.Errorf("%+v is there twice", c)
			}
			seen[c] = true
		}
		return kept, lost
	}
	exec := b.run(b.call("f", big.NewInt(1)), b.call("f", big.NewInt(9)), b.call("h", big.NewInt(9)))
	if k, l := kept(exec, 1); k == 0 || l != 0 {
		t.Errorf("a call that succeeds: %d blocks kept, %d lost", k, l)
	}
	if k, l := kept(exec, 2); k == 0 || l == 0 {
		t.Errorf("a call with a failing callee: %d blocks kept, %d lost", k, l)
	}
	if k, l := kept(exec, 3); k != 0 || l == 0 {
		t.Errorf("a call that fails: %d blocks kept, %d lost", k, l)
	}
	f := &exec.Frames[exec.Calls[2].Frames[0]+1]
	if f.Outcome != evm.Reverted || f.Kind != evm.KindCall || f.Parent != exec.Calls[2].Frames[0] || f.Caller != place || f.Depth != 1 {
		t.Errorf("the inner frame: %+v", f)
	}
	parent := &exec.Frames[f.Parent]
	if op := vm.OpCode(parent.Program.Bytes[f.CallPC]); op != vm.CALL {
		t.Errorf("CallPC is at %v", op)
	}
	if op := vm.OpCode(f.Program.Bytes[f.LastPC]); op != vm.REVERT {
		t.Errorf("LastPC is at %v", op)
	}
}

// TestPathID: equal behavior has equal identifiers on every machine, other
// behavior has others.
func TestPathID(t *testing.T) {
	ids := func(b *bench) []bytecode.PathID {
		var out []bytecode.PathID
		for _, n := range []int64{1, 2, 6, 7} {
			exec := b.run(b.call("f", big.NewInt(n)))
			if exec.PathID() != exec.Calls[1].ID {
				t.Error("PathID is not the last call's")
			}
			out = append(out, exec.PathID())
		}
		return out
	}
	a := ids(deployed(t, caught, "Caught", testsolc.Settings{}))
	b := ids(deployed(t, caught, "Caught", testsolc.Settings{}))
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("two machines differ:\n%s", diff)
	}
	if a[0] != a[1] || a[2] != a[3] || a[0] == a[2] {
		t.Errorf("identifiers %v: want two different pairs", a)
	}
}

// TestPathIsBlocks: a path starts at the code's first block and goes on along
// possible edges: to the next block in code order, or to a JUMPDEST.
func TestPathIsBlocks(t *testing.T) {
	b := deployed(t, bank, "Bank", testsolc.Settings{})
	for _, seq := range randomSequences(b, 50) {
		exec, err := b.machine.Run(seq)
		if err != nil {
			t.Fatal(err)
		}
		for i := range exec.Frames {
			f := &exec.Frames[i]
			if f.Program == nil {
				t.Fatalf("frame %d has no program", i)
			}
			for j, block := range f.Path {
				start := f.Program.Blocks[block].Start
				if j == 0 && start != 0 {
					t.Fatalf("frame %d starts at pc %d", i, start)
				}
				if j > 0 && block != f.Path[j-1]+1 && vm.OpCode(f.Program.Bytes[start]) != vm.JUMPDEST {
					t.Fatalf("frame %d goes from block %d to %d", i, f.Path[j-1], block)
				}
			}
		}
	}
}

func TestClone(t *testing.T) {
	b := deployed(t, counter, "Counter", testsolc.Settings{})
	exec := b.run(b.call("add", big.NewInt(3)), b.call("add", big.NewInt(7)))
	clone := exec.Clone()
	before := fmt.Sprintf("%v", clone)
	for range 3 {
		b.run(b.call("count"), b.call("add", big.NewInt(101)), b.call("add", big.NewInt(5)))
	}
	if after := fmt.Sprintf("%v", clone); before != after {
		t.Error("a later run changed the clone")
	}
}

func TestLogs(t *testing.T) {
	b := deployed(t, counter, "Counter", testsolc.Settings{})
	exec := b.run(b.call("add", big.NewInt(3)))
	f := &exec.Frames[exec.Calls[1].Frames[0]]
	l := f.Logs[0]
	if l.Address != place || len(l.Topics) != 2 || common.BytesToAddress(l.Topics[1][:]) != user || !bytes.HasSuffix(l.Data, []byte{3}) {
		t.Errorf("log %+v", l)
	}
	if op := vm.OpCode(f.Program.Bytes[l.PC]); op != vm.LOG2 {
		t.Errorf("the log's pc is at %v", op)
	}
}

func TestDeployment(t *testing.T) {
	const source = `contract C {
        uint256 public immutable x;
        uint256 public size;
        constructor(uint256 v) payable { x = v; size = address(this).code.length; require(v != 13, "unlucky"); }
    }`
	b := deployed(t, source, "C", testsolc.Settings{}, big.NewInt(5))
	exec := b.run(b.call("x"), b.call("size"))
	if got := new(uint256.Int).SetBytes(exec.Calls[1].Output).Uint64(); got != 5 {
		t.Errorf("x = %d", got)
	}
	if got := new(uint256.Int).SetBytes(exec.Calls[2].Output).Uint64(); got != 0 {
		t.Errorf("the code has size %d while it is constructed, want 0", got)
	}
	f := &exec.Frames[0]
	if f.Program.Code == nil || f.Program.Code.Kind != bytecode.Creation || f.Self != place || len(f.Output) != len(b.contract.Runtime.Bytes) {
		t.Errorf("the deployment's frame: %v, %d bytes returned", f.Program.Code, len(f.Output))
	}
	if f := &exec.Frames[1]; f.Program.Contract != b.contract || f.Program.Code.Kind != bytecode.Runtime {
		t.Error("the instance is not recognized with its immutable")
	}
	// The same address again.
	exec, err := b.machine.Run(evm.Sequence{b.deploy, b.deploy})
	if err != nil {
		t.Fatal(err)
	}
	if exec.Calls[1].Outcome != evm.CreateFault {
		t.Errorf("deploying twice: %v", exec.Calls[1].Outcome)
	}
	unlucky := deployed(t, source, "C", testsolc.Settings{}, big.NewInt(13))
	exec, err = unlucky.machine.Run(evm.Sequence{unlucky.deploy, b.call("x")})
	if err != nil {
		t.Fatal(err)
	}
	if exec.Calls[0].Reason() != "unlucky" || exec.Calls[1].Frames[1]-exec.Calls[1].Frames[0] != 1 || exec.Frames[1].Program != nil {
		t.Errorf("a failed deployment: %q, then %+v", exec.Calls[0].Reason(), exec.Frames[1])
	}
}

func TestForkNames(t *testing.T) {
	for _, name := range append(evm.Forks(), "", "Cancun") {
		if err := evm.CheckFork(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	err := evm.CheckFork("london")
	if err == nil || !strings.Contains(err.Error(), "paris, shanghai") {
		t.Errorf("london: %v", err)
	}
	if _, err := gethvm.New(&evm.World{Fork: "london"}, nil); err == nil {
		t.Error("a World before Paris is accepted")
	}
	if _, err := gethvm.New(nil, nil); err == nil {
		t.Error("no World is accepted")
	}
}
