package world

import (
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

const (
	// siteBits is how many of the first and of the last bits of an address may mean something: hooks of Uniswap v4 have 14 flags in
	// the last ones, those before them had eight in the first. Arbitrary above that.
	siteBits = 16
	// maxSites bounds the addresses that are tried for a contract: 14 flags, checked one after the other, each found last.
	maxSites = 14 * 2 * siteBits
)

// construct searches for arguments with which a contract can be deployed. A constructor that asks for its own address and fails may
// be meant for another one.
func (au *auto) construct(ctx context.Context, c *bytecode.Contract, code []byte) (*outcome, error) {
	var site *common.Address
	tries := 0
	for {
		constructor := constructorOf(c)
		search, err := au.finder.newSearch(&constructor, constructorParameters(c))
		if err != nil {
			return &outcome{reason: err.Error()}, nil //nolint:nilerr // the contract cannot be deployed: a failure in the report
		}
		search.site = site
		if isPaidOnce(c) {
			search.wei = endowments
		}
		found, err := au.finder.find(ctx, search, func(a *arguments) evm.Call { return au.creation(code, a) }, nil)
		if err != nil {
			return nil, err
		}
		tries += found.tries
		found.tries = tries
		if found.exec == nil {
			found.reason = explain(found, code)
		}
		if found.exec != nil || site != nil || found.best == nil {
			return found, nil
		}
		if site, err = au.settle(ctx, c, code, found.best); err != nil || site == nil {
			return found, err
		}
	}
}

// settle looks for the address at which a constructor gets furthest that asks for its own; nil: it does not ask, or gets no further
// elsewhere. On a chain, people look for the salt with which CREATE2 makes such an address; a World says where its contracts are.
func (au *auto) settle(ctx context.Context, c *bytecode.Contract, code []byte, a *arguments) (*common.Address, error) {
	run := func(site common.Address) (*evm.Execution, error) {
		call := au.creation(code, a)
		call.Address = site
		return au.machine.Run(append(slices.Clip(au.calls), call))
	}
	start := au.creation(code, a).Address
	site := start
	exec, err := run(site)
	if err != nil || !asksWhereItIs(exec, site) {
		return nil, err
	}
	furthest := lengthOf(exec)
	proposals := sites(site, exec)
	if there, ok := au.places[c.QualifiedName()]; ok { // where another build has it
		proposals = append([]common.Address{there}, proposals...)
	}
	for tries := 0; len(proposals) > 0 && tries < maxSites; tries++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next := proposals[0]
		proposals = proposals[1:]
		exec, err := run(next)
		if err != nil {
			return nil, fmt.Errorf("at %s: %w", next, err)
		}
		succeeded := exec.Calls[len(exec.Calls)-1].Outcome == evm.Success
		if length := lengthOf(exec); succeeded || length > furthest {
			site, furthest = next, length
			proposals = sites(site, exec)
		}
		if succeeded {
			break
		}
	}
	if site == start {
		return nil, nil
	}
	return &site, nil
}

// lengthOf is how many blocks the last call entered, each as often as it did, as far as paths are kept.
func lengthOf(exec *evm.Execution) int {
	length := 0
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for i := frames[0]; i < frames[1]; i++ {
		length += len(exec.Frames[i].Path)
	}
	return length
}

// asksWhereItIs reports whether the last call of an execution came to an ADDRESS instruction in a contract's own code.
func asksWhereItIs(exec *evm.Execution, self common.Address) bool {
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for i := frames[0]; i < frames[1]; i++ {
		f := &exec.Frames[i]
		if f.Self != self || f.Program == nil {
			continue
		}
		for _, b := range f.Path {
			block := f.Program.Blocks[b]
			asks := false
			bytecode.Instructions(f.Program.Bytes[block.Start:block.End], func(pc uint32) bool {
				asks = f.Program.Bytes[block.Start+pc] == byte(vm.ADDRESS)
				return !asks
			})
			if asks {
				return true
			}
		}
	}
	return false
}

// sites proposes addresses after a constructor has failed at one: where the last bits, or the first, were compared with something, that;
// and those that differ in one bit.
func sites(self common.Address, exec *evm.Execution) []common.Address {
	const bits = 8 * common.AddressLength
	word := new(uint256.Int).SetBytes(self.Bytes())
	var list []common.Address
	propose := func(n *uint256.Int) {
		a := common.Address(n.Bytes20())
		if a != self && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	// part proposes another value for the bits from one on.
	part := func(from, width uint, was, is *uint256.Int) {
		mask := new(uint256.Int).Lsh(uint256.NewInt(1), width)
		mask.SubUint64(mask, 1)
		now := new(uint256.Int).Rsh(word, from)
		if now.And(now, mask); !now.Eq(was) || is.Gt(mask) {
			return
		}
		cleared := new(uint256.Int).Not(mask.Lsh(mask, from))
		cleared.And(cleared, word)
		propose(cleared.Or(cleared, new(uint256.Int).Lsh(is, from)))
	}
	frames := exec.Calls[len(exec.Calls)-1].Frames
	for i := frames[1] - 1; i >= frames[0]; i-- {
		compared := exec.Frames[i].Comparisons
		for _, c := range compared[max(len(compared)-maxCompared, 0):] {
			for width := uint(1); width <= 2*siteBits; width++ {
				part(0, width, &c.Left, &c.Right)
				part(0, width, &c.Right, &c.Left)
				part(bits-width, width, &c.Left, &c.Right)
				part(bits-width, width, &c.Right, &c.Left)
			}
		}
	}
	for bit := siteBits - 1; bit >= 0; bit-- {
		propose(new(uint256.Int).Xor(word, new(uint256.Int).Lsh(uint256.NewInt(1), uint(bit))))
	}
	for bit := bits - 1; bit >= bits-siteBits; bit-- {
		propose(new(uint256.Int).Xor(word, new(uint256.Int).Lsh(uint256.NewInt(1), uint(bit))))
	}
	return list
}
