package world

import (
	"bytes"
	"context"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

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

// probe is calldata whose selector no function has, for lack of a better
// preimage: what answers it is a fallback function.
var probe = crypto.Keccak256([]byte("sightline: is this a proxy?"))[:4]

// recognise adds what can be called besides what was deployed by itself:
// contracts that constructors created, and the contracts behind proxies. A proxy
// is whatever hands calldata that it does not know to the code of a known
// contract by DELEGATECALL: so do ERC-1967, beacon and minimal proxies (EIP-1167),
// and their predecessors with slots of their own.
func (b *builder) recognise(table *bytecode.Table) error {
	exec, err := b.machine.Run(b.calls)
	if err != nil {
		return err
	}
	type child struct {
		address common.Address
		code    []byte
		creator common.Address
	}
	var children []child
	for _, f := range exec.Frames {
		created := f.Kind == evm.KindCreate || f.Kind == evm.KindCreate2
		if created && f.Outcome == evm.Success && exec.Calls[f.Call].Outcome == evm.Success && len(children) < b.limit {
			children = append(children, child{f.Self, bytes.Clone(f.Output), f.Caller})
		}
	}
	deployed := slices.Clone(b.instances)
	for i, in := range deployed {
		if err := b.unwrap(i, in.Address, "proxy "+in.Name); err != nil {
			return err
		}
	}
	for _, c := range children {
		if len(b.instances) >= b.limit {
			break
		}
		if b.labels[c.address] != "" {
			continue
		}
		origin := "created by " + b.labels[c.creator]
		if p := table.LookupRuntime(c.code); p != nil && p.Contract != nil && !p.Contract.Library {
			b.addition(p.Contract.Name, c.address, p.Contract, origin, "")
			continue
		}
		if err := b.unwrap(-1, c.address, "proxy "+origin); err != nil {
			return err
		}
	}
	return nil
}

// unwrap adds the contract behind the proxy at an address, if that is one; i is
// the proxy's own instance, or −1. A proxy without functions of its own makes
// place for what is behind it, any other stays beside it.
func (b *builder) unwrap(i int, address common.Address, origin string) error {
	behind, err := b.behind(address)
	if err != nil || behind == nil || len(b.instances) >= b.limit {
		return err
	}
	if i >= 0 && b.instances[i].Contract == behind { // put there as a proxy
		return nil
	}
	if i >= 0 && len(b.instances[i].Contract.ABI.Methods) == 0 {
		name := b.instanceName(behind.Name + proxySuffix)
		b.instances[i].Name, b.instances[i].Contract = name, behind
		b.labels[address] = name
		b.report.Additions = append(b.report.Additions, Addition{Name: name, Contract: behind, Address: address, Origin: origin})
		return nil
	}
	b.addition(behind.Name+proxySuffix, address, behind, origin, "")
	return nil
}

// behind is the contract that unknown calldata is delegated to; nil when it is
// not.
func (b *builder) behind(address common.Address) (*bytecode.Contract, error) {
	call := evm.Call{From: User2.Address, To: address, Data: probe}
	exec, err := b.machine.Run(append(slices.Clip(b.calls), call))
	if err != nil {
		return nil, err
	}
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for _, f := range exec.Frames[frames[0]:frames[1]] {
		if f.Kind == evm.KindDelegateCall && f.Self == address &&
			bytes.Equal(f.Input, probe) && f.Program != nil && f.Program.Contract != nil && !f.Program.Contract.Library {
			return f.Program.Contract, nil
		}
	}
	return nil, nil
}
