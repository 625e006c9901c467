package world

import (
	"context"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// proxySuffix marks the instance that is called through a proxy: "Vault#proxy".
const proxySuffix = "#proxy"

// implementationSlot is where an ERC-1967 proxy keeps the address of the code it
// runs: keccak256("eip1967.proxy.implementation") − 1.
var implementationSlot = common.HexToHash("0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc")

// proxyCode is the creation code of an ERC-1967 proxy that does nothing else: the
// constructor stores the implementation, the runtime code passes every call on.
// It serves where the build holds no proxy.
func proxyCode(implementation common.Address) []byte {
	const size, start = 0x3d, 0x40 // of the runtime code, and where it begins
	runtime := slices.Concat(
		[]byte{0x36, 0x3d, 0x3d, 0x37},       // calldatacopy(0, 0, calldatasize)
		[]byte{0x3d, 0x3d, 0x36, 0x3d, 0x7f}, // delegatecall(gas, sload(slot), 0, calldatasize, 0, 0)
		implementationSlot[:], []byte{0x54, 0x5a, 0xf4},
		[]byte{0x3d, 0x60, 0x00, 0x80, 0x3e}, // returndatacopy(0, 0, returndatasize)
		[]byte{0x60, 0x38, 0x57},             // on success to 0x38
		[]byte{0x3d, 0x60, 0x00, 0xfd},       // revert(0, returndatasize)
		[]byte{0x5b, 0x3d, 0x60, 0x00, 0xf3}, // return(0, returndatasize)
	)
	return slices.Concat(
		[]byte{0x73}, implementation[:], []byte{0x7f}, implementationSlot[:], []byte{0x55}, // sstore(slot, implementation)
		[]byte{0x60, size, 0x80, 0x60, start, 0x3d, 0x39}, // codecopy(0, start, size)
		[]byte{0x3d, 0xf3}, // return(0, size)
		runtime,
	)
}

// deployProxy deploys a proxy of an implementation without initializing it: the
// build's own if it has a plain ERC1967Proxy that accepts that, otherwise the one
// of proxyCode. It returns where the proxy is.
func (b *builder) deployProxy(ctx context.Context, implementation common.Address) (common.Address, error) {
	plain := &arguments{wei: payments[0]}
	for _, c := range b.byRole {
		if !genericProxy(c) {
			continue
		}
		code, err := b.link(ctx, c)
		if err != nil {
			break // for people it is in the report as a library's failure
		}
		if plain.packed, err = c.ABI.Constructor.Inputs.Pack(implementation, []byte{}); err != nil {
			break
		}
		call := b.creation(code, plain)
		exec, err := b.machine.Run(append(slices.Clip(b.calls), call))
		if err != nil {
			return common.Address{}, err
		}
		if exec.Calls[len(exec.Calls)-1].Outcome == evm.Success {
			b.calls = append(b.calls, call)
			return call.Address, nil
		}
		break
	}
	call := b.creation(proxyCode(implementation), &arguments{wei: payments[0]})
	b.calls = append(b.calls, call)
	_, err := b.machine.Run(b.calls)
	return call.Address, err
}

// genericProxy tells whether a contract is OpenZeppelin's ERC1967Proxy or made
// like it: constructor(address logic, bytes data).
func genericProxy(c *bytecode.Contract) bool {
	inputs := c.ABI.Constructor.Inputs
	return c.Name == "ERC1967Proxy" && len(inputs) == 2 &&
		inputs[0].Type.T == abi.AddressTy && inputs[1].Type.T == abi.BytesTy
}
