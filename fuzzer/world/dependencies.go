package world

import (
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// implements tells whether an instance of c can stand where the type is asked
// for: by the base list, or, since Solidity lets addresses be converted freely,
// by having every function of the type's ABI.
func (b *builder) implements(c *bytecode.Contract, typ string) bool {
	if c.Name == typ || slices.Contains(c.Implements, typ) {
		return true
	}
	for _, t := range b.contracts {
		if t.Name == typ && !t.Deployable() && hasMethods(c.ABI, t.ABI) {
			return true
		}
	}
	return false
}

// hasMethods tells whether c has every function of t, of which there is at least
// one.
func hasMethods(c, t abi.ABI) bool {
	for _, m := range t.Methods {
		if !hasMethod(c, m.Sig) {
			return false
		}
	}
	return len(t.Methods) > 0
}

func hasMethod(c abi.ABI, signature string) bool {
	for _, m := range c.Methods {
		if m.Sig == signature {
			return true
		}
	}
	return false
}

// isToken tells whether a contract looks like an ERC-20.
func isToken(c *bytecode.Contract) bool {
	return hasMethod(c.ABI, "transfer(address,uint256)") && hasMethod(c.ABI, "balanceOf(address)")
}

// need is something that one constructor parameter asks for.
type need func(*bytecode.Contract) bool

// needs lists what the constructor's parameters ask for: contract types, and
// tokens by name.
func (b *builder) needs(c *bytecode.Contract) []need {
	var needs []need
	for i, p := range c.ABI.Constructor.Inputs {
		typ := argumentType(c, i)
		switch {
		case typ != "":
			needs = append(needs, func(d *bytecode.Contract) bool { return b.implements(d, typ) })
		case baseType(p.Type).T == abi.AddressTy && tokenName(p.Name):
			needs = append(needs, isToken)
		}
	}
	return needs
}

// ready tells whether every need is met, or met by nothing that waits.
func (b *builder) ready(c *bytecode.Contract, waiting []*candidate) bool {
	for _, need := range b.needs(c) {
		if len(b.matching(need)) > 0 {
			continue
		}
		if typed := slices.ContainsFunc(waiting, func(w *candidate) bool { return w.contract != c && need(w.contract) }); typed {
			return false
		}
		if b.outside(c, need) != nil {
			return false
		}
	}
	return true
}

// dependency is a contract that meets an unmet need and that nobody asked for.
func (b *builder) dependency(c *bytecode.Contract) *bytecode.Contract {
	for _, need := range b.needs(c) {
		if len(b.matching(need)) == 0 {
			if d := b.outside(c, need); d != nil {
				return d
			}
		}
	}
	return nil
}

// outside is the first contract of the build, not tried so far, that meets a
// need.
func (b *builder) outside(c *bytecode.Contract, need need) *bytecode.Contract {
	for _, d := range b.contracts {
		if d != c && d.Deployable() && !d.Library && !b.tried[d] && need(d) {
			return d
		}
	}
	return nil
}

// matching lists the deployed instances that meet a need.
func (b *builder) matching(need need) []common.Address {
	var addresses []common.Address
	for _, i := range b.instances {
		if need(i.Contract) {
			addresses = append(addresses, i.Address)
		}
	}
	return addresses
}

// argumentType is the contract type of a constructor parameter, or of its
// elements if it is an array; "" for others.
func argumentType(c *bytecode.Contract, parameter int) string {
	if parameter >= len(c.ArgumentTypes) {
		return ""
	}
	typ, _, _ := strings.Cut(c.ArgumentTypes[parameter], "[")
	return typ
}

// baseType is the element type of an array of any depth.
func baseType(t abi.Type) abi.Type {
	for t.Elem != nil && (t.T == abi.SliceTy || t.T == abi.ArrayTy) {
		t = *t.Elem
	}
	return t
}

// takesAddress tells whether a constructor could name another instance.
func takesAddress(c *bytecode.Contract) bool {
	return slices.ContainsFunc(c.ABI.Constructor.Inputs, func(p abi.Argument) bool {
		return strings.Contains(p.Type.String(), "address")
	})
}
