package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/soljson"
	"github.com/sightline-evm/sightline/report/lcov"
)

// replay is the test that forge runs: it makes the same World and performs the
// same calls.
//
//go:embed replay/Replay.t.sol
var replay []byte

// config is foundry.toml. Gas and sizes are not what is compared. The EVM version
// is the one that runs; forge compiles for the newest up to it that the compiler
// knows, which is the project's.
const config = `[profile.default]
solc = %q
evm_version = %q
offline = true
optimizer = false
gas_limit = "18446744073709551615"
memory_limit = 1073741824
code_size_limit = 4194304
fs_permissions = [{ access = "read-write", path = "./" }]
`

// foundry is a Foundry project with the sources of a project.
type foundry struct {
	folder string
	forge  string
}

// writeFoundry writes a project's sources and what else forge needs.
func (b *bench) writeFoundry(p *project, sources map[string]string) (*foundry, error) {
	f := &foundry{filepath.Join(b.work, p.name), filepath.Join(b.modules, "@foundry-rs", "forge-linux-amd64", "bin", "forge")}
	if err := os.RemoveAll(f.folder); err != nil {
		return nil, err
	}
	for name, text := range sources {
		if err := f.write(name, []byte(text)); err != nil {
			return nil, err
		}
	}
	if err := f.write("test/Replay.t.sol", replay); err != nil {
		return nil, err
	}
	solc, err := soljson.Program(f.folder, filepath.Join(b.modules, "solc-"+p.solc, "soljson.js"))
	if err != nil {
		return nil, err
	}
	return f, f.write("foundry.toml", fmt.Appendf(nil, config, solc, fork(p.evm)))
}

func (f *foundry) write(name string, text []byte) error {
	file := filepath.Join(f.folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// The structs of Replay.t.sol.
type (
	abiEnvironment struct {
		Chain    *big.Int
		Coinbase common.Address
		Fee      *big.Int
		Random   common.Hash
		Number   *big.Int
		Time     *big.Int
	}
	abiAccount struct {
		At      common.Address
		Balance *big.Int
		Nonce   uint64
		Code    []byte
		Keys    []common.Hash
		Values  []common.Hash
	}
	abiCall struct {
		From    common.Address
		To      common.Address
		Value   *big.Int
		Number  *big.Int
		Time    *big.Int
		Data    []byte
		Success bool
		Output  common.Hash
	}
)

// Their types, as the ABI writes them.
var (
	environmentType = tuple("tuple", "chain uint256", "coinbase address", "fee uint256", "random bytes32", "number uint256", "time uint256")
	accountsType    = tuple("tuple[]", "at address", "balance uint256", "nonce uint64", "code bytes", "keys bytes32[]", "values bytes32[]")
	callFields      = []string{"from address", "to address", "value uint256", "number uint256", "time uint256", "data bytes", "success bool", "output bytes32"}
)

func tuple(typ string, fields ...string) abi.Argument {
	var components []abi.ArgumentMarshaling
	for _, field := range fields {
		name, fieldType, _ := strings.Cut(field, " ")
		components = append(components, abi.ArgumentMarshaling{Name: name, Type: fieldType})
	}
	t, err := abi.NewType(typ, "", components)
	if err != nil {
		panic(err) // the types above are right
	}
	return abi.Argument{Type: t}
}

// writeWorld writes the World for forge: the senders' funds, the deployments,
// and what the accounts are behind them.
func (f *foundry) writeWorld(s *deployment) error {
	b := s.World.Block
	environment := abiEnvironment{big.NewInt(evm.ChainID), b.Coinbase, new(big.Int).SetUint64(b.BaseFee), b.PrevRandao,
		new(big.Int).SetUint64(b.Number), new(big.Int).SetUint64(b.Time)}
	var deployments []abiCall
	for _, d := range s.Setup.Deployments {
		deployments = append(deployments, abiCall{From: d.Call.From, To: d.Call.Address, Value: d.Call.Value.ToBig(), Data: d.Call.Data,
			Number: environment.Number, Time: environment.Time})
	}
	text, err := abi.Arguments{environmentType, accountsType, tuple("tuple[]", callFields...), accountsType}.Pack(
		environment, accountsOf(world.Empty(s.World.Fork)), deployments, accountsOf(s.World))
	if err != nil {
		return err
	}
	return f.write("world.bin", text)
}

func accountsOf(w *evm.World) []abiAccount {
	list := []abiAccount{}
	for _, address := range sortedAddresses(w.Accounts) {
		a := w.Accounts[address]
		out := abiAccount{At: address, Balance: a.Balance.ToBig(), Nonce: a.Nonce, Code: a.Code}
		for key, value := range a.Storage {
			out.Keys, out.Values = append(out.Keys, key), append(out.Values, value)
		}
		list = append(list, out)
	}
	return list
}

// writeCalls writes the sequences with what came out of them here.
func (f *foundry) writeCalls(s *deployment, sequences []evm.Sequence, outcomes []outcome) error {
	all := [][]abiCall{}
	for i, seq := range sequences {
		number, time := new(big.Int).SetUint64(s.World.Block.Number), new(big.Int).SetUint64(s.World.Block.Time)
		var calls []abiCall
		for k := range seq {
			c := &seq[k]
			number = new(big.Int).Add(number, new(big.Int).SetUint64(c.BlockAdvance))
			time = new(big.Int).Add(time, new(big.Int).SetUint64(c.TimeAdvance))
			o := outcomes[i].calls[k]
			calls = append(calls, abiCall{c.From, c.To, c.Value.ToBig(), number, time, c.Data, o.success, crypto.Keccak256Hash(o.output)})
		}
		all = append(all, calls)
	}
	text, err := abi.Arguments{tuple("tuple[][]", callFields...)}.Pack(all)
	if err != nil {
		return err
	}
	return f.write("calls.bin", text)
}

// hits are how often forge saw lines executed, by "src/…" and line.
type hits map[string]map[int]int

// coverage runs the test under forge coverage. differ are the calls, as "3 0"
// for the first one of the fourth sequence, whose outcome is another than here.
func (f *foundry) coverage(ctx context.Context) (hits, []string, error) {
	const report = "lcov.info"
	if err := os.RemoveAll(filepath.Join(f.folder, "differences.txt")); err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, f.forge, "coverage", "--report", "lcov", "--report-file", report, "--threads", "1")
	cmd.Dir = f.folder
	cmd.Env = append(os.Environ(), "FOUNDRY_DISABLE_NIGHTLY_WARNING=1", "NO_COLOR=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("forge coverage: %w: %s", err, bytes.TrimSpace(out))
	}
	text, err := os.ReadFile(filepath.Join(f.folder, report))
	if err != nil {
		return nil, nil, err
	}
	lines, err := readLCOV(text)
	if err != nil {
		return nil, nil, err
	}
	differences, err := os.ReadFile(filepath.Join(f.folder, "differences.txt"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	return lines, strings.FieldsFunc(string(differences), func(r rune) bool { return r == '\n' }), nil
}

// readLCOV reads the lines of a tracefile.
func readLCOV(text []byte) (hits, error) {
	sources, err := lcov.Read(text)
	if err != nil {
		return nil, fmt.Errorf("lcov: %w", err)
	}
	lines := hits{}
	for i := range sources {
		lines[sources[i].Path] = map[int]int{}
		for line, count := range sources[i].Hits {
			lines[sources[i].Path][line] = int(min(count, math.MaxInt))
		}
	}
	return lines, nil
}
