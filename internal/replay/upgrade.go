package replay

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// UpgradeFolder is the folder of upgrades in the output folder.
const UpgradeFolder = "upgrades"

// upgradeVersion is the version of the files that hold an upgrade.
const upgradeVersion = 1

// maxUpgradeCalls bounds the calls of an upgrade that is read. Arbitrary: ours have at
// most a few.
const maxUpgradeCalls = 64

// Upgrade shows a clash of storage layouts: calls whose answers change when an address
// in the World of the base version gets the code of the head.
type Upgrade struct {
	World   *evm.World // of the base version, without its instances: the calls name nothing
	Address common.Address
	Code    []byte // that the upgrade puts there
	Calls   []UpgradeCall
}

// UpgradeCall is one of the calls. Each is made on the World itself, not after the others.
type UpgradeCall struct {
	Name          string // for people: "Vault#proxy.owner()"
	From, To      common.Address
	Data          []byte
	Before, After UpgradeAnswer
}

// UpgradeAnswer is the outcome of a call.
type UpgradeAnswer struct {
	Fails  bool
	Output []byte
}

// Equal reports whether two answers are the same.
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

// Marshal writes the upgrade as JSON. Equal upgrades give equal bytes.
func (u *Upgrade) Marshal() ([]byte, error) {
	file := upgradeFile{Version: upgradeVersion, Address: u.Address, Code: u.Code, World: packWorld(u.World, nil)}
	file.World.Instances = nil
	for _, call := range u.Calls {
		file.Calls = append(file.Calls, upgradeCallFile{call.Name, call.From, call.To, call.Data,
			upgradeAnswerFile{call.Before.Fails, call.Before.Output}, upgradeAnswerFile{call.After.Fails, call.After.Output}})
	}
	data, err := json.MarshalIndent(file, "", " ")
	return append(data, '\n'), err
}

// IsUpgrade reports whether a file is of an upgrade, rather than a reproducer.
func IsUpgrade(data []byte) bool {
	var file struct {
		Code *string `json:"upgradedCode"`
	}
	return bytes.Contains(data, []byte(`"upgradedCode"`)) && json.Unmarshal(data, &file) == nil && file.Code != nil
}

// ReadUpgrade reads what [Upgrade.Marshal] wrote. The file may come from anyone.
func ReadUpgrade(data []byte) (*Upgrade, error) {
	var file upgradeFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("not the file of an upgrade: %w", err)
	}
	switch {
	case file.Version != upgradeVersion:
		return nil, fmt.Errorf("version %d, this program reads version %d", file.Version, upgradeVersion)
	case len(file.Calls) == 0 || len(file.Calls) > maxUpgradeCalls:
		return nil, fmt.Errorf("it has %d calls, not 1 to %d", len(file.Calls), maxUpgradeCalls)
	}
	world, err := file.World.world(nil)
	if err != nil {
		return nil, err
	}
	if err := evm.CheckFork(world.Fork); err != nil {
		return nil, err
	}
	u := &Upgrade{World: world, Address: file.Address, Code: file.Code}
	for _, call := range file.Calls {
		u.Calls = append(u.Calls, UpgradeCall{call.Name, call.From, call.To, call.Data,
			UpgradeAnswer{call.Before.Fails, call.Before.Output}, UpgradeAnswer{call.After.Fails, call.After.Output}})
	}
	return u, nil
}
