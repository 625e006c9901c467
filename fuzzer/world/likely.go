package world

import (
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Likely says which accounts an address among the parameters of a function probably means, by its type or its name.
type Likely struct {
	Contract  *bytecode.Contract
	Signature string
	Leaf      int // which of the parameters of elementary types, and of the fields of structs, it is; elements of arrays are one
	Accounts  []common.Address
}

// Bounds of what is said. Arbitrary: what could be any of many accounts is any.
const (
	maxLikely         = 4096
	maxLikelyAccounts = 4
)

// likely says so of the functions of all instances that change something.
func (dp *dependencies) likely() (list []Likely) {
	seen := map[*bytecode.Contract]bool{}
	for _, in := range dp.instances {
		if in.Contract == nil || seen[in.Contract] {
			continue
		}
		seen[in.Contract] = true
		for _, m := range sortedMethods(in.Contract) {
			if m.IsConstant() {
				continue
			}
			leaf := 0
			eachLeaf(methodParameters(in.Contract, &m), func(p *parameter) {
				if accounts := dp.meantBy(p); len(accounts) > 0 && len(accounts) <= maxLikelyAccounts && len(list) < maxLikely {
					list = append(list, Likely{in.Contract, m.Sig, leaf, accounts})
				}
				leaf++
			})
		}
	}
	return list
}

// eachLeaf calls back for each parameter of an elementary type, or with elements of one, and for such fields of structs, in order.
func eachLeaf(list []parameter, do func(*parameter)) {
	for i := range list {
		if p := &list[i]; baseType(p.typ).T == abi.TupleTy {
			eachLeaf(p.fields, do)
		} else {
			do(p)
		}
	}
}

// meantBy are the instances that an address of a function means: those of its type, of the kind that its name says, or of its name.
func (dp *dependencies) meantBy(p *parameter) []common.Address {
	if baseType(p.typ).T != abi.AddressTy {
		return nil
	}
	named := meant(p.name)
	list := dp.usable(func(c *bytecode.Contract) bool { return p.contract != "" && dp.build.implements(c, p.contract) })
	if kind := kindNamed(p.name); kind != nil && len(list) == 0 {
		list = dp.usable(kind.meets)
	}
	if len(list) == 0 && len(named) > 0 {
		list = dp.usable(func(c *bytecode.Contract) bool { return sameWords(c.Name, named) })
	}
	return list
}

// usable lists the instances that meet a need, without those that others stand for.
func (dp *dependencies) usable(meets func(*bytecode.Contract) bool) []common.Address {
	return slices.DeleteFunc(dp.useful(meets), func(a common.Address) bool { return dp.proxied[a] || dp.spares[a] })
}
