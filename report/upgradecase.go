package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// UpgradeFolder is the folder below the output folder that upgrade cases are written to.
const UpgradeFolder = "upgrades"

// upgradeVersion is the version of the files that hold an upgrade case.
const upgradeVersion = 1

// maxUpgradeCalls bounds the calls of a case that is read; ours have a few.
const maxUpgradeCalls = 64

// UpgradeCase shows a clash of storage layouts: calls that answer one thing on the
// World of the base version, and another one as soon as an address has the head's code.
type UpgradeCase struct {
	World   *evm.World // of the base version; without its instances: nothing is named here
	Address common.Address
	Code    []byte // that the upgrade puts there
	Calls   []UpgradeCall
}

// UpgradeCall is one of the calls, each of which is made on the World as it is.
type UpgradeCall struct {
	Name          string // for people: "Vault#proxy.owner()"
	From, To      common.Address
	Data          []byte
	Before, After UpgradeAnswer
}

// UpgradeAnswer is what came of a call.
type UpgradeAnswer struct {
	Fails  bool
	Output []byte
}

// Equal reports whether two answers are one.
func (a UpgradeAnswer) Equal(b UpgradeAnswer) bool {
	return a.Fails == b.Fails && bytes.Equal(a.Output, b.Output)
}

type upgradeFile struct {
	Version int               `json:"version"`
	Address common.Address    `json:"upgradedAddress"`
	Code    hexutil.Bytes     `json:"upgradedCode"`
	Calls   []upgradeCallFile `json:"calls"`
	World   worldFile         `json:"world"`
}

type upgradeCallFile struct {
	Name   string            `json:"name"`
	From   common.Address    `json:"from"`
	To     common.Address    `json:"to"`
	Data   hexutil.Bytes     `json:"data"`
	Before upgradeAnswerFile `json:"before"`
	After  upgradeAnswerFile `json:"after"`
}

type upgradeAnswerFile struct {
	Fails  bool          `json:"fails,omitempty"`
	Output hexutil.Bytes `json:"output"`
}

// MarshalUpgrade writes a case as JSON. Equal cases give equal bytes.
func MarshalUpgrade(c *UpgradeCase) ([]byte, error) {
	file := upgradeFile{Version: upgradeVersion, Address: c.Address, Code: c.Code, World: packWorld(c.World, nil)}
	file.World.Instances = nil
	for _, call := range c.Calls {
		file.Calls = append(file.Calls, upgradeCallFile{call.Name, call.From, call.To, call.Data,
			upgradeAnswerFile{call.Before.Fails, call.Before.Output}, upgradeAnswerFile{call.After.Fails, call.After.Output}})
	}
	data, err := json.MarshalIndent(file, "", " ")
	return append(data, '\n'), err
}

// IsUpgrade tells the file of an upgrade case from others.
func IsUpgrade(data []byte) bool {
	var file struct {
		Code *string `json:"upgradedCode"`
	}
	return bytes.Contains(data, []byte(`"upgradedCode"`)) && json.Unmarshal(data, &file) == nil && file.Code != nil
}

// ReadUpgrade reads what MarshalUpgrade wrote. Anyone may have written it.
func ReadUpgrade(data []byte) (*UpgradeCase, error) {
	var file upgradeFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("not the file of an upgrade: %w", err)
	}
	switch {
	case file.Version != upgradeVersion:
		return nil, fmt.Errorf("version %d, this program reads version %d", file.Version, upgradeVersion)
	case len(file.Calls) == 0 || len(file.Calls) > maxUpgradeCalls:
		return nil, fmt.Errorf("it has %d calls; at least one and at most %d are made", len(file.Calls), maxUpgradeCalls)
	}
	world, err := file.World.world(nil)
	if err != nil {
		return nil, err
	}
	if err := evm.CheckFork(world.Fork); err != nil {
		return nil, err
	}
	c := &UpgradeCase{World: world, Address: file.Address, Code: file.Code}
	for _, call := range file.Calls {
		c.Calls = append(c.Calls, UpgradeCall{call.Name, call.From, call.To, call.Data,
			UpgradeAnswer{call.Before.Fails, call.Before.Output}, UpgradeAnswer{call.After.Fails, call.After.Output}})
	}
	return c, nil
}
