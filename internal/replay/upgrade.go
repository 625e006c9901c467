package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
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

// Run makes the calls on go-ethereum, and returns what each answers before the upgrade and
// after it.
func (u *Upgrade) Run() ([][2]UpgradeAnswer, error) {
	upgraded := *u.World
	upgraded.Accounts = maps.Clone(u.World.Accounts)
	account := upgraded.Accounts[u.Address]
	if account == nil {
		return nil, fmt.Errorf("there is no contract at %s to upgrade", u.Address.Hex())
	}
	changed := *account
	changed.Code = u.Code
	upgraded.Accounts[u.Address] = &changed
	answers := make([][2]UpgradeAnswer, len(u.Calls))
	for side, w := range []*evm.World{u.World, &upgraded} {
		machine, err := gethvm.New(w, bytecode.NewTable(nil), evm.LiftCodeSizeLimits)
		if err != nil {
			return nil, err
		}
		for i := range u.Calls {
			call := &u.Calls[i]
			exec, err := machine.Run(evm.Sequence{{From: call.From, To: call.To, Data: call.Data}})
			if err != nil {
				return nil, err
			}
			result := &exec.Calls[0]
			answers[i][side] = UpgradeAnswer{Fails: result.Outcome != evm.Success, Output: slices.Clone(result.Output)}
		}
	}
	return answers, nil
}

// holds reports whether every call answers as the file says, and something else after
// the upgrade than before.
func (u *Upgrade) holds(answers [][2]UpgradeAnswer) bool {
	for i, call := range u.Calls {
		if !answers[i][0].Equal(call.Before) || !answers[i][1].Equal(call.After) || call.Before.Equal(call.After) {
			return false
		}
	}
	return true
}

// showsClash reports whether the file of an upgrade shows its clash.
func showsClash(data []byte) bool {
	u, err := ReadUpgrade(data)
	if err != nil {
		return false
	}
	answers, err := u.Run()
	return err == nil && u.holds(answers)
}

// replayUpgrade runs an upgrade, and reports whether it shows its clash.
func replayUpgrade(out io.Writer, path string, data []byte, asJSON bool) (holds bool, err error) {
	u, err := ReadUpgrade(data)
	if err != nil {
		return false, exit.BadInput("upgrade %s: %w", path, err)
	}
	answers, err := u.Run()
	if err != nil {
		return false, exit.BadInput("upgrade %s: %w", path, err)
	}
	holds = u.holds(answers)
	if asJSON {
		return holds, json.NewEncoder(out).Encode(map[string]any{"upgrade": path, "holds": holds})
	}
	for i, call := range u.Calls {
		fmt.Fprintf(out, "%s\n  before the upgrade  %s\n  after it            %s\n", human.Printable(call.Name), answers[i][0], answers[i][1])
	}
	if holds {
		fmt.Fprintln(out, "confirmed on go-ethereum: the answers change with the upgrade")
	} else {
		fmt.Fprintf(out, "NOT confirmed: %s claims otherwise\n", path)
	}
	return holds, nil
}

// String shows the answer undecoded: the file has no ABI.
func (a UpgradeAnswer) String() string {
	text := fmt.Sprintf("%#x", a.Output)
	if a.Fails {
		text = "fails: " + text
	}
	return human.Printable(text)
}
