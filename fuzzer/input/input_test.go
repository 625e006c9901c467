package input

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	gethabi "github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/attacker"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/abi"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// vaultABI has every kind of function and parameter that Solidity writes.
const vaultABI = `[
 {"type":"constructor","inputs":[{"name":"owner","type":"address"},{"name":"cap","type":"uint256"}],"stateMutability":"payable"},
 {"type":"function","name":"deposit","inputs":[{"name":"amount","type":"uint256"}],"outputs":[],"stateMutability":"payable"},
 {"type":"function","name":"deposit","inputs":[],"outputs":[],"stateMutability":"payable"},
 {"type":"function","name":"withdraw","inputs":[{"name":"amount","type":"uint96"},{"name":"to","type":"address"}],"outputs":[],"stateMutability":"nonpayable"},
 {"type":"function","name":"pause","inputs":[],"outputs":[],"stateMutability":"nonpayable"},
 {"type":"function","name":"mixed","inputs":[
   {"name":"a","type":"int24"},{"name":"b","type":"bool"},{"name":"c","type":"bytes4"},{"name":"d","type":"bytes"},
   {"name":"e","type":"string"},{"name":"f","type":"uint8[]"},{"name":"g","type":"bytes32[3]"},
   {"name":"h","type":"tuple[]","components":[{"name":"x","type":"uint256"},{"name":"y","type":"string[2]"},
      {"name":"z","type":"tuple","components":[{"name":"p","type":"address"},{"name":"q","type":"int256"}]}]}],
   "outputs":[],"stateMutability":"nonpayable"},
 {"type":"function","name":"multicall","inputs":[{"name":"data","type":"bytes[]"}],"outputs":[],"stateMutability":"nonpayable"},
 {"type":"function","name":"balanceOf","inputs":[{"name":"who","type":"address"}],"outputs":[{"name":"","type":"uint256"}],"stateMutability":"view"},
 {"type":"function","name":"echidna_solvent","inputs":[],"outputs":[{"name":"","type":"bool"}],"stateMutability":"view"},
 {"type":"function","name":"invariant_sum","inputs":[],"outputs":[],"stateMutability":"nonpayable"},
 {"type":"function","name":"huge","inputs":[{"name":"a","type":"uint256[1000][1000]"}],"outputs":[],"stateMutability":"nonpayable"},
 {"type":"fallback","stateMutability":"nonpayable"},
 {"type":"receive","stateMutability":"payable"}
]`

const tokenABI = `[
 {"type":"function","name":"transfer","inputs":[{"name":"to","type":"address"},{"name":"amount","type":"uint256"}],"outputs":[],"stateMutability":"nonpayable"},
 {"type":"function","name":"totalSupply","inputs":[],"outputs":[{"name":"","type":"uint256"}],"stateMutability":"view"}
]`

// vaultCode pushes 1234567 and 0xdeadbeef, and holds a jump destination at 9.
var vaultCode = common.FromHex("6212d68763deadbeef5b600900")

func testContract(t testing.TB, name, abiJSON string, code []byte) *bytecode.Contract {
	t.Helper()
	parsed, err := gethabi.JSON(strings.NewReader(abiJSON))
	if err != nil {
		t.Fatal(err)
	}
	return &bytecode.Contract{
		Name: name, Source: "src/" + name + ".sol", ABI: parsed,
		Creation: &bytecode.Code{Kind: bytecode.Creation, Bytes: append([]byte{0x60, 0x01}, code...)},
		Runtime:  &bytecode.Code{Kind: bytecode.Runtime, Bytes: code},
	}
}

func account(n byte) common.Address { return common.Address{0xac, 19: n} }

// testWorld has two vaults, a token and three senders.
func testWorld(t testing.TB) *evm.World {
	vault := testContract(t, "Vault", vaultABI, vaultCode)
	token := testContract(t, "Token", tokenABI, []byte{0x00})
	world := &evm.World{
		Accounts: map[common.Address]*evm.Account{},
		Block:    evm.Block{Number: 100, Time: 1_700_000_000},
		Instances: []evm.Instance{
			{Name: "Vault", Address: account(16), Contract: vault},
			{Name: "Vault#2", Address: account(17), Contract: vault},
			{Name: "Token", Address: account(18), Contract: token},
		},
		Senders: []evm.Sender{
			{Name: "deployer", Address: account(1)}, {Name: "user1", Address: account(2)}, {Name: "attacker", Address: account(3)},
			{Name: attacker.Name, Address: attacker.Address, Through: account(19)},
		},
		Callbacks: []string{"onPaid(uint256)(bool)", "price()(uint256,address)", "note()()"},
	}
	ether := uint256.MustFromDecimal("1000000000000000000")
	for i := byte(0); i < 20; i++ {
		world.Accounts[account(i)] = &evm.Account{Balance: *new(uint256.Int).Mul(ether, uint256.NewInt(uint64(i)*100))}
	}
	return world
}

func testSpace(t testing.TB, deploy bool) *Space {
	t.Helper()
	world := testWorld(t)
	var options SpaceOptions
	if deploy {
		c := world.Instances[0].Contract
		options.Constructors = []Deployment{{Contract: c, Code: c.Creation.Bytes}}
	}
	space, err := NewSpace(world, options)
	if err != nil {
		t.Fatal(err)
	}
	return space
}

func testMutator(t testing.TB, deploy bool) *Mutator {
	space := testSpace(t, deploy)
	table := bytecode.NewTable([]*bytecode.Contract{space.Instances[0].Contract, space.Instances[2].Contract})
	var programs []*bytecode.Program
	for _, c := range table.Contracts() {
		programs = append(programs, table.Program(c.Runtime.ID))
	}
	m := NewMutator(space, NewDictionary(programs), Options{})
	asked := NewAsked() // every function comes back to the attacker's contract
	for _, c := range space.Callables {
		asked.of[c.Function] = [][4]byte{{}, attacker.Selector("onPaid(uint256)"), attacker.Selector("price()"), {1, 2, 3, 4}}
	}
	m.Ask(asked)
	return m
}

func testRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// find is the function with that signature of an instance.
func find(t testing.TB, s *Space, instance, signature string) (int, *Function) {
	t.Helper()
	i, ok := s.names.instances[instance]
	if !ok {
		t.Fatalf("no instance %s", instance)
	}
	f := s.Instances[i].function(signature)
	if f == nil {
		t.Fatalf("no function %s in %s", signature, instance)
	}
	return i, f
}

// makeCall is a call with zero arguments.
func makeCall(t testing.TB, s *Space, instance, signature string) Call {
	t.Helper()
	i, f := find(t, s, instance, signature)
	return Call{Instance: i, Function: f, Args: abi.Zeros(f.Inputs)}
}

// wordValues maps every input word of a sequence to its value.
func wordValues(t testing.TB, s *Space, seq Sequence) map[Word]uint256.Int {
	t.Helper()
	out := map[Word]uint256.Int{}
	for _, w := range AppendWords(nil, seq) {
		x, ok := s.Get(seq, w)
		if !ok {
			t.Fatalf("word %v of the sequence's own list does not exist", w)
		}
		if _, twice := out[w]; twice {
			t.Fatalf("word %v is listed twice", w)
		}
		out[w] = x
	}
	return out
}

func mustValid(t testing.TB, s *Space, seq Sequence, what any) {
	t.Helper()
	if err := s.Validate(seq); err != nil {
		t.Fatalf("%v: %v", what, err)
	}
}

func signatures(callables []Callable, s *Space) []string {
	var out []string
	for _, c := range callables {
		out = append(out, fmt.Sprintf("%s.%s", s.Instances[c.Instance].Name, c.Function.Signature))
	}
	return out
}
