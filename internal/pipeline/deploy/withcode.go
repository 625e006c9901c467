package deploy

import (
	"bytes"
	"context"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// RunTests runs test functions of the project, see [world.RunTests].
func (d *Deployment) RunTests(ctx context.Context, r *Recipe, concerns func(*bytecode.Contract) bool, look func(*world.TestRun) error) error {
	return world.RunTests(ctx, d.Table, world.Options{Setup: r.Tests, Plan: r.planOn(d.Table), Fork: r.Fork}, concerns, look)
}

// RunOn runs a test again, with the contracts of another build of the project in place of this one's wherever
// it creates one. Tests and mocks stay those of this build.
func (d *Deployment) RunOn(other *Build, run *world.TestRun) (*evm.Execution, error) {
	m, err := interp.New(run.World, d.Table, evm.LiftCodeSizeLimits)
	if err != nil {
		return nil, err
	}
	m.Instead(func(creation []byte) []byte { return d.creationIn(other, creation) })
	return m.Run(run.Calls)
}

// creationIn is creation code of this build, with the constructor's arguments, as another build has it. It is
// the same where the other one lacks the contract, or its constructor takes something else.
func (d *Deployment) creationIn(other *Build, creation []byte) []byte {
	p := d.Table.LookupCreation(creation)
	if p == nil || p.Contract == nil {
		return creation
	}
	role, _ := world.RoleOf(p.Contract)
	was := other.Contract(p.Contract.QualifiedName())
	if role != world.UnderTest && role != world.Dependency || was == nil || !was.Deployable() ||
		!slices.EqualFunc(was.ABI.Constructor.Inputs, p.Contract.ABI.Constructor.Inputs, func(a, b abi.Argument) bool { return a.Type.String() == b.Type.String() }) {
		return creation
	}
	code := bytes.Clone(was.Creation.Bytes)
	for _, l := range was.Creation.Links {
		address, ok := linked(p, creation, l.Library)
		if !ok || int(l.Offset)+common.AddressLength > len(code) {
			return creation
		}
		copy(code[l.Offset:], address)
	}
	return append(code, creation[len(p.Bytes):]...)
}

// linked is the address of a library in creation code that links to it.
func linked(p *bytecode.Program, creation []byte, library string) (address []byte, ok bool) {
	for _, l := range p.Contract.Creation.Links {
		if l.Library == library {
			return creation[l.Offset : l.Offset+common.AddressLength], true
		}
	}
	return nil, false
}
