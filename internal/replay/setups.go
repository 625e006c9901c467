package replay

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// setupFile is a set-up that made the World.
type setupFile struct {
	Contract int             `json:"contract"` // index
	Function string          `json:"function,omitempty"`
	Address  common.Address  `json:"address"`
	Made     []madeAccount   `json:"made,omitempty"`
	Also     []setupCallFile `json:"also,omitempty"`
}

// setupCallFile is a test function that ran after the set-ups.
type setupCallFile struct {
	Function string        `json:"function"`
	Data     []byte        `json:"data"` // base64
	Made     []madeAccount `json:"made,omitempty"`
}

type madeAccount struct {
	Address common.Address `json:"address"`
	Salted  bool           `json:"salted,omitempty"`
}

// UsedSetups are those that made a World.
func UsedSetups(tried []world.TestSetup) []world.TestSetup {
	var used []world.TestSetup
	for _, up := range tried {
		if up.Failure == "" {
			used = append(used, up)
		}
	}
	return used
}

func packSetups(list []world.TestSetup, index map[*bytecode.Contract]int) []setupFile {
	var packed []setupFile
	for i := range list {
		up := &list[i]
		n, known := index[up.Contract]
		if !known {
			n = -1
		}
		file := setupFile{Contract: n, Function: up.Function, Address: up.Address, Made: packMade(up.Made)}
		for _, call := range up.Also {
			file.Also = append(file.Also, setupCallFile{call.Function, call.Data, packMade(call.Made)})
		}
		packed = append(packed, file)
	}
	return packed
}

func packMade(made []world.MadeAccount) []madeAccount {
	var list []madeAccount
	for _, a := range made {
		list = append(list, madeAccount(a))
	}
	return list
}

func (f *snapshotFile) setUps(contracts []*bytecode.Contract) ([]world.TestSetup, error) {
	var list []world.TestSetup
	for i := range f.Setups {
		file := &f.Setups[i]
		if file.Contract < 0 || file.Contract >= len(contracts) {
			return nil, fmt.Errorf("set-up %d: there is no contract %d", i, file.Contract)
		}
		up := world.TestSetup{Contract: contracts[file.Contract], Function: file.Function, Address: file.Address, Made: unpackMade(file.Made)}
		for _, call := range file.Also {
			up.Also = append(up.Also, world.TestCall{Function: call.Function, Data: call.Data, Made: unpackMade(call.Made)})
		}
		list = append(list, up)
	}
	return list, nil
}

func unpackMade(made []madeAccount) []world.MadeAccount {
	var list []world.MadeAccount
	for _, a := range made {
		list = append(list, world.MadeAccount(a))
	}
	return list
}
