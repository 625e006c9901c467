package world

import (
	"context"
	"reflect"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// proxySuffix marks the instance that is called through a proxy: "Vault#proxy".
const proxySuffix = "#proxy"

// The slots in which proxies keep the address of the code that they run, of who may change it, and of
// the contract that says which code (ERC-1967).
var (
	ImplementationSlot = erc1967("implementation")
	AdminSlot          = erc1967("admin")
	BeaconSlot         = erc1967("beacon")
)

// erc1967 is keccak256("eip1967.proxy." and a name) − 1.
func erc1967(name string) common.Hash {
	slot := new(uint256.Int).SetBytes(crypto.Keccak256([]byte("eip1967.proxy." + name)))
	return slot.SubUint64(slot, 1).Bytes32()
}

// mockProxy is a built-in ERC-1967 proxy that does nothing else: the constructor stores
// the implementation, and the runtime code passes every call on. It serves where the build
// has no proxy.
func mockProxy() *bytecode.Contract {
	const size = 0x3d // of the runtime code
	runtime := slices.Concat(
		[]byte{0x36, 0x3d, 0x3d, 0x37},       // calldatacopy(0, 0, calldatasize)
		[]byte{0x3d, 0x3d, 0x36, 0x3d, 0x7f}, // delegatecall(gas, sload(slot), 0, calldatasize, 0, 0)
		ImplementationSlot[:], []byte{0x54, 0x5a, 0xf4},
		[]byte{0x3d, 0x60, 0x00, 0x80, 0x3e}, // returndatacopy(0, 0, returndatasize)
		[]byte{0x60, 0x38, 0x57},             // on success to 0x38
		[]byte{0x3d, 0x60, 0x00, 0xfd},       // revert(0, returndatasize)
		[]byte{0x5b, 0x3d, 0x60, 0x00, 0xf3}, // return(0, returndatasize)
	)
	const start = 0x34 // of the runtime code
	creation := slices.Concat(
		[]byte{0x60, 0x20, 0x80, 0x38, 0x03, 0x3d, 0x39},              // codecopy(0, codesize − 32, 32): the argument
		[]byte{0x3d, 0x51, 0x7f}, ImplementationSlot[:], []byte{0x55}, // sstore(slot, implementation)
		[]byte{0x60, size, 0x80, 0x60, start, 0x3d, 0x39}, []byte{0x3d, 0xf3}, // codecopy(0, start, size), return(0, size)
		runtime,
	)
	const constructor = `[{"type":"constructor","inputs":[{"name":"implementation","type":"address"}]}]`
	return &bytecode.Contract{
		Name: "ERC1967Proxy", Source: mockSource, ABI: mockABI(constructor), RawABI: []byte(constructor),
		Creation: &bytecode.Code{Kind: bytecode.Creation, Bytes: creation}, Runtime: &bytecode.Code{Kind: bytecode.Runtime, Bytes: runtime},
		Implements: []string{"ERC1967Proxy"},
	}
}

// newProxy is a proxy as it was deployed.
type newProxy struct {
	address   common.Address
	contract  *bytecode.Contract
	arguments *arguments
}

// deployProxy deploys a proxy of an implementation without initializing it: the
// build's own if it has a plain ERC1967Proxy that accepts that, otherwise ours.
func (it *initializer) deployProxy(ctx context.Context, implementation common.Address) (*newProxy, error) {
	ours := namedMock("ERC1967Proxy")
	for _, c := range it.build.byRole {
		if !genericProxy(c) {
			continue
		}
		proxy, err := it.proxyOf(ctx, c, reflect.ValueOf(implementation), reflect.ValueOf([]byte{}))
		if proxy != nil || err != nil {
			return proxy, err
		}
		break
	}
	return it.proxyOf(ctx, ours, reflect.ValueOf(implementation))
}

// proxyOf deploys a proxy; nil when that fails.
func (it *initializer) proxyOf(ctx context.Context, c *bytecode.Contract, values ...reflect.Value) (*newProxy, error) {
	code, err := it.linker.link(ctx, c)
	if err != nil {
		return nil, ctx.Err() // for people it is in the report as a library's failure
	}
	a := &arguments{inputs: c.ABI.Constructor.Inputs, values: values, wei: payments[0]}
	packed := make([]any, len(values))
	for i, v := range values {
		packed[i] = v.Interface()
	}
	if a.packed, err = a.inputs.Pack(packed...); err != nil {
		return nil, nil //nolint:nilerr // not the constructor that it looked like
	}
	call := it.creation(code, a)
	exec, err := it.machine.Run(append(slices.Clip(it.calls), call))
	if err != nil || exec.Calls[len(exec.Calls)-1].Outcome != evm.Success {
		return nil, err
	}
	it.calls = append(it.calls, call)
	return &newProxy{call.Address, c, a}, nil
}

// genericProxy reports whether a contract is OpenZeppelin's ERC1967Proxy or made
// like it: constructor(address logic, bytes data).
func genericProxy(c *bytecode.Contract) bool {
	inputs := c.ABI.Constructor.Inputs
	return c.Name == "ERC1967Proxy" && len(inputs) == 2 &&
		inputs[0].Type.T == abi.AddressTy && inputs[1].Type.T == abi.BytesTy
}
