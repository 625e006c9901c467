package world

import (
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// linker links contracts to their libraries, which it deploys when they are first needed.
type linker struct {
	*deployer
	libraries map[string]*library // by qualified name
}

func newLinker(d *deployer) *linker { return &linker{deployer: d, libraries: map[string]*library{}} }

// library is a library that some contract links to.
type library struct {
	address common.Address
	err     error // why it could not be deployed
	pending bool  // it is being deployed: its own links must not lead back to it
}

// link is the contract's creation code with the addresses of its libraries,
// which are deployed when they are first linked.
func (ln *linker) link(ctx context.Context, c *bytecode.Contract) ([]byte, error) {
	code := slices.Clone(c.Creation.Bytes)
	for _, l := range c.Creation.Links {
		address, err := ln.libraryAddress(ctx, l.Library)
		if err != nil {
			return nil, err
		}
		if int(l.Offset)+common.AddressLength > len(code) {
			return nil, fmt.Errorf("its link to %s lies behind the end of its code: the build output is damaged", l.Library)
		}
		copy(code[l.Offset:], address[:])
	}
	return code, nil
}

// libraryAddress deploys a library by its qualified name.
func (ln *linker) libraryAddress(ctx context.Context, name string) (common.Address, error) {
	if known := ln.libraries[name]; known != nil {
		if known.pending {
			return common.Address{}, fmt.Errorf("libraries link to each other in a circle through %s", name)
		}
		return known.address, known.err
	}
	l := &library{pending: true}
	ln.libraries[name] = l
	l.address, l.err = ln.deployLibrary(ctx, name)
	l.pending = false
	return l.address, l.err
}

func (ln *linker) deployLibrary(ctx context.Context, name string) (common.Address, error) {
	i := slices.IndexFunc(ln.build.contracts, func(c *bytecode.Contract) bool { return c.QualifiedName() == name })
	if i < 0 || !ln.build.contracts[i].Deployable() {
		return common.Address{}, fmt.Errorf("it links to the library %s, whose code is not in the build", name)
	}
	c := ln.build.contracts[i]
	code, err := ln.link(ctx, c)
	if err != nil {
		return common.Address{}, fmt.Errorf("library %s: %w", name, err)
	}
	if err := ctx.Err(); err != nil {
		return common.Address{}, err
	}
	call := ln.creation(code, &arguments{wei: new(uint256.Int)})
	exec, err := ln.machine.Run(append(slices.Clip(ln.calls), call))
	if err != nil {
		return common.Address{}, fmt.Errorf("library %s: %w", name, err)
	}
	if result := exec.Calls[len(exec.Calls)-1]; result.Outcome != evm.Success {
		return common.Address{}, fmt.Errorf("it links to the library %s, whose deployment failed: %s", name, result.Reason())
	}
	ln.calls = append(ln.calls, call)
	ln.namer.labels[call.Address] = c.Name
	ln.writer.steps = append(ln.writer.steps, Step{Contract: ln.writer.planName(c)})
	ln.report.Deployments = append(ln.report.Deployments, Deployment{
		Name: c.Name, Contract: c, Address: call.Address, Tries: 1,
		Code: code, Call: call, Covered: coveredBy(exec, len(exec.Calls)-1),
	})
	return call.Address, nil
}

// reportLibraries says of every library that is not deployed why.
func (ln *linker) reportLibraries() {
	for _, c := range ln.build.contracts {
		if !c.Library {
			continue
		}
		l := ln.libraries[c.QualifiedName()]
		switch {
		case l == nil:
			ln.report.Failures = append(ln.report.Failures, Failure{Contract: c, Reason: "it is a library that no deployed contract links to"})
		case l.err != nil:
			ln.report.Failures = append(ln.report.Failures, Failure{Contract: c, Reason: l.err.Error(), Tries: 1})
		}
	}
}
