package replay

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// MarshalContracts writes contracts as a snapshot has them. Equal contracts give equal bytes.
func MarshalContracts(contracts []*bytecode.Contract) ([]byte, error) {
	list := []contractFile{}
	for _, c := range contracts {
		list = append(list, packContract(c))
	}
	return marshal(list)
}

// ReadContracts reads what [MarshalContracts] wrote. No Table has them yet. The data may come from
// anyone: what is inconsistent is an error that says where.
func ReadContracts(data []byte) ([]*bytecode.Contract, error) {
	var list []contractFile
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	return readContracts(list)
}

// MarshalWorld writes a World as a snapshot has it, with its origin's answers so far. The contracts of its instances
// are told by their places among contracts. Equal Worlds give equal bytes.
func MarshalWorld(w *evm.World, contracts []*bytecode.Contract) ([]byte, error) {
	index := map[*bytecode.Contract]int{}
	for i, c := range contracts {
		index[c] = i
	}
	return marshal(packWorld(w, index))
}

// ReadWorld reads what [MarshalWorld] wrote. The data may come from anyone: what is inconsistent is an error that
// says where.
func ReadWorld(data []byte, contracts []*bytecode.Contract) (*evm.World, error) {
	var file worldFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	return file.world(contracts)
}

func packContract(c *bytecode.Contract) contractFile {
	return contractFile{
		Name: c.Name, Source: c.Source, Folder: c.Folder, Variant: c.Variant, Library: c.Library, Generated: c.Generated, ABI: c.RawABI,
		Creation: packCode(c.Creation), Runtime: packCode(c.Runtime),
		ArgumentTypes: c.ArgumentTypes, Implements: c.Implements, Variables: c.Variables,
	}
}

func readContracts(list []contractFile) ([]*bytecode.Contract, error) {
	var contracts []*bytecode.Contract
	for i := range list {
		c, err := list[i].contract()
		if err != nil {
			return nil, fmt.Errorf("contract %d (%s): %w", i, list[i].Name, err)
		}
		contracts = append(contracts, c)
	}
	return contracts, nil
}

// marshal writes a value as one line of JSON.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
