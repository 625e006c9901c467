package world

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// The registry of ERC-1820 is at this address on every chain, and contracts have it as a constant:
// the constructor of an ERC-777 calls it. A fresh chain gets it where code names it. It is our own, which does
// what the standard says.
var registryAddress = common.HexToAddress("0x1820a4B7618BdE71Dce8cdc73aAB6C95905faD24")

// registryMock is the built-in mock, and registryName the instance.
const (
	registryMock = "TestRegistry1820"
	registryName = "ERC1820Registry"
)

// namesRegistry reports whether code of contracts has the registry's address.
func namesRegistry(contracts []*bytecode.Contract) bool {
	has := func(code *bytecode.Code) bool { return code != nil && bytes.Contains(code.Bytes, registryAddress[:]) }
	return slices.ContainsFunc(contracts, func(c *bytecode.Contract) bool { return has(c.Creation) || has(c.Runtime) })
}

// putRegistry puts the registry into a World that begins empty, if contracts name it.
func putRegistry(w *evm.World, contracts []*bytecode.Contract) {
	if w.Origin == nil && w.Accounts[registryAddress] == nil && namesRegistry(contracts) {
		w.Accounts[registryAddress] = &evm.Account{Nonce: 1, Code: namedMock(registryMock).Runtime.Bytes}
	}
}

// nameRegistry makes an instance of the registry, if it was put into the World.
func nameRegistry(d *deployer) error {
	a, err := d.machine.World().Account(registryAddress)
	c := namedMock(registryMock)
	if err != nil || a == nil || !bytes.Equal(a.Code, c.Runtime.Bytes) {
		return err
	}
	d.untold = true // no transaction made it
	if d.namer.labels[registryAddress] != "" || len(d.instances) >= d.limit {
		return nil
	}
	name := d.addition(registryName, registryAddress, c, "is on every chain", "")
	d.writer.steps = append(d.writer.steps, Step{Contract: c.QualifiedName(), Name: name, Address: registryAddress.Hex()})
	return nil
}
