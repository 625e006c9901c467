package input

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Likely are the accounts that an address among the parameters of a function takes as a rule: the tokens of the World, for a `token`.
type Likely struct {
	Contract  *bytecode.Contract
	Signature string
	Leaf      int // which of the parameters of elementary types, and of the fields of structs, it is; elements of arrays are one
	Accounts  []common.Address
}

// expect takes what functions are likely given.
func (s *Space) expect(list []Likely, functions map[*bytecode.Contract][]*Function) {
	s.likely = map[*Type][]common.Address{}
	for i := range list {
		for _, f := range functions[list[i].Contract] {
			if f.Signature != list[i].Signature || len(list[i].Accounts) == 0 {
				continue
			}
			leaf := 0
			eachLeaf(f.Inputs, func(t *Type) {
				if leaf == list[i].Leaf && t.Kind == Address {
					s.likely[t] = list[i].Accounts
				}
				leaf++
			})
		}
	}
}

// eachLeaf calls back for each elementary type among types, within arrays and structs, in order.
func eachLeaf(types []Type, do func(*Type)) {
	for i := range types {
		t := &types[i]
		for t.Elem != nil {
			t = t.Elem
		}
		if t.Kind == Tuple {
			eachLeaf(t.Fields, do)
		} else {
			do(t)
		}
	}
}
