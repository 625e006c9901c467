package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/diffmap/compile"
	"github.com/sightline-evm/sightline/diffmap/compile/project"
	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/examples"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// contracts are our own sources; the crowdsale is the example's.
//
//go:embed contracts/*.sol
var contracts embed.FS

// solcVersion is the newest compiler when the contracts were written.
const solcVersion = "0.8.37"

// install gets what the contracts under test need, and tells where it is.
func install(ctx context.Context, run *harness.Run) (modules string, err error) {
	return run.Install(ctx, "machine", harness.Packages{"@openzeppelin/contracts": "5.7.0"}.Solc(solcVersion))
}

// compileContracts makes the debug build of the contracts under test, as campaigns run
// it: the optimizer off.
func compileContracts(ctx context.Context, run *harness.Run, modules string) (*bytecode.Table, error) {
	folder := filepath.Join(filepath.Dir(modules), "project")
	if err := writeSources(filepath.Join(folder, "src")); err != nil {
		return nil, err
	}
	outputs, err := project.CompileSources(ctx, folder, solc.Options{NodeModules: []string{modules}},
		compile.DebugOptions{Cache: filepath.Join(run.Cache, "builds", "machine")})
	if err != nil {
		return nil, err
	}
	return bytecode.NewTable(compile.Contracts(outputs)), nil
}

func writeSources(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	own, err := fs.Sub(contracts, "contracts")
	if err != nil {
		return err
	}
	crowdsale, err := examples.Load("crowdsale")
	if err != nil {
		return err
	}
	for name, files := range map[string]struct {
		fs.FS
		path string
	}{
		"Token.sol":     {own, "Token.sol"},
		"Vault.sol":     {own, "Vault.sol"},
		"Crowdsale.sol": {crowdsale, "head/src/Crowdsale.sol"},
	} {
		text, err := fs.ReadFile(files, files.path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// deployed is the World that sequences run on: the three contracts, and senders
// who own tokens that the vault may take.
type deployed struct {
	world *evm.World
}

// ether is 10^18 wei, which is a whole token too.
var ether = uint256.NewInt(1e18)

func deployContracts(table *bytecode.Table) (*deployed, error) {
	base := world.Empty("")
	machine, err := gethvm.New(base, table, evm.LiftCodeSizeLimits)
	if err != nil {
		return nil, err
	}
	var setup evm.Sequence
	var instances []evm.Instance
	deploy := func(name string, arguments ...any) (evm.Instance, error) {
		i := slices.IndexFunc(table.Contracts(), func(c *bytecode.Contract) bool { return c.Name == name && c.Deployable() })
		if i < 0 {
			return evm.Instance{}, fmt.Errorf("no contract %s was compiled", name)
		}
		c := table.Contracts()[i]
		packed, err := c.ABI.Pack("", arguments...)
		if err != nil {
			return evm.Instance{}, fmt.Errorf("%s: %w", name, err)
		}
		instance := evm.Instance{Name: name, Contract: c, Address: crypto.CreateAddress(world.Deployer.Address, uint64(len(instances)))}
		setup = append(setup, evm.Call{From: world.Deployer.Address, Create: true, Address: instance.Address, Data: slices.Concat(c.Creation.Bytes, packed)})
		instances = append(instances, instance)
		return instance, nil
	}
	coin, err := deploy(token)
	if err != nil {
		return nil, err
	}
	vault, err := deploy("Vault", coin.Address)
	if err != nil {
		return nil, err
	}
	if _, err := deploy("Crowdsale"); err != nil {
		return nil, err
	}
	for _, s := range base.Senders {
		million := new(big.Int).Mul(big.NewInt(1e6), ether.ToBig())
		for _, call := range []struct {
			method    string
			arguments []any
		}{{"mint", []any{s.Address, million}}, {"approve", []any{vault.Address, million}}} {
			data, err := coin.Contract.ABI.Pack(call.method, call.arguments...)
			if err != nil {
				return nil, err
			}
			setup = append(setup, evm.Call{From: s.Address, To: coin.Address, Data: data})
		}
	}
	exec, err := machine.Run(setup)
	if err != nil {
		return nil, err
	}
	for i, c := range exec.Calls {
		if c.Outcome != evm.Success {
			return nil, fmt.Errorf("call %d of the set-up failed: %s", i, c.Reason())
		}
	}
	w := machine.Export()
	w.Instances = instances
	return &deployed{w}, nil
}

// workload is a list of sequences to run.
type workload struct {
	name      string
	sequences []evm.Sequence
}

// mixed names the workload on all contracts at once, token the ERC-20.
const (
	mixed = "all three"
	token = "Token"
)

// The sequences of a workload: enough that no cache holds them all, and short
// ones as often as long ones.
const (
	sequenceCount = 4096
	maxCalls      = 8 // the length that campaigns begin with
)

// workloads makes the random sequences: for each contract, and for all of them.
func (s *deployed) workloads(seed uint64) ([]workload, error) {
	list := []workload{{name: mixed}}
	for _, in := range s.world.Instances {
		list = append(list, workload{name: in.Name})
	}
	for i := range list {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		instances := s.world.Instances
		if i > 0 {
			instances = instances[i-1 : i]
		}
		for n := range sequenceCount {
			var seq evm.Sequence
			for range 1 + random.IntN(maxCalls) {
				call, err := s.call(random, instances[random.IntN(len(instances))])
				if err != nil {
					return nil, err
				}
				seq = append(seq, call)
			}
			distinguish(seq, n)
			list[i].sequences = append(list[i].sequences, seq)
		}
	}
	return list, nil
}

// distinguish makes the first call of the n-th sequence unlike any other's:
// machines may keep what calls led to that a sequence shares with the last one,
// and this is not about that.
func distinguish(seq evm.Sequence, n int) { seq[0].TimeAdvance += uint64(n + 1) }

// call is a random call of a function that changes state.
func (s *deployed) call(random *rand.Rand, in evm.Instance) (evm.Call, error) {
	var methods []abi.Method
	for _, m := range in.Contract.ABI.Methods {
		if !m.IsConstant() {
			methods = append(methods, m)
		}
	}
	slices.SortFunc(methods, func(a, b abi.Method) int { return bytes.Compare(a.ID, b.ID) })
	m := methods[random.IntN(len(methods))]
	var arguments []any
	for _, input := range m.Inputs {
		switch input.Type.T {
		case abi.AddressTy:
			arguments = append(arguments, s.address(random))
		case abi.UintTy:
			arguments = append(arguments, amount(random).ToBig())
		default:
			return evm.Call{}, fmt.Errorf("%s.%s takes a %s, which sequences here are not made of", in.Name, m.Name, input.Type)
		}
	}
	packed, err := m.Inputs.Pack(arguments...)
	if err != nil {
		return evm.Call{}, fmt.Errorf("%s.%s: %w", in.Name, m.Name, err)
	}
	call := evm.Call{From: s.world.Senders[random.IntN(len(s.world.Senders))].Address, To: in.Address, Data: slices.Concat(m.ID, packed)}
	if m.IsPayable() {
		call.Value = *amount(random)
	}
	if random.IntN(8) == 0 {
		call.TimeAdvance = random.Uint64N(30 * 24 * 3600) // past the crowdsale's deadline, half the time
	}
	return call, nil
}

// address is a sender, or one time in five a contract.
func (s *deployed) address(random *rand.Rand) common.Address {
	if random.IntN(5) == 0 {
		return s.world.Instances[random.IntN(len(s.world.Instances))].Address
	}
	return s.world.Senders[random.IntN(len(s.world.Senders))].Address
}

// amount is what people move, mostly: up to 100 units, up to 100 tokens, up to
// a hundred million tokens, anything.
func amount(random *rand.Rand) *uint256.Int {
	v := uint256.NewInt(random.Uint64N(101))
	switch random.IntN(8) {
	case 0:
	case 1:
		v.Mul(v, new(uint256.Int).Mul(ether, uint256.NewInt(1e6)))
	case 2:
		v.SetBytes32(binaryWord(random))
	default:
		v.Mul(v, ether)
	}
	return v
}

// binaryWord is 32 random bytes.
func binaryWord(random *rand.Rand) []byte {
	word := make([]byte, 32)
	for i := range word {
		word[i] = byte(random.Uint32())
	}
	return word
}
