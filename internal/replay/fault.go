package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/gethvm"
	"github.com/sightline-evm/sightline/fuzzer/evm/interp"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// FaultFolder is the folder of faults in the output folder.
const FaultFolder = "faults"

// faultVersion is the version of the files that hold a fault.
const faultVersion = 1

// Fault is a sequence on which the two machines disagree, with the World it starts from:
// all that is needed to see it again.
type Fault struct {
	World      *evm.World // without its instances: the sequence names nothing
	Sequence   evm.Sequence
	Lifted     bool   // the machines had no limits on code size
	Difference string // for people
}

type faultFile struct {
	Version    int         `json:"version"`
	Difference string      `json:"difference"`
	WorldHash  common.Hash `json:"worldHash"` // SHA-256 of the JSON of world: the same for all faults of one World
	Lifted     bool        `json:"liftedCodeSize"`
	Sequence   []callFile  `json:"sequence"`
	World      worldFile   `json:"world"`
}

type callFile struct {
	From         common.Address  `json:"from"`
	To           common.Address  `json:"to"`
	Data         hexutil.Bytes   `json:"data"`
	Value        *uint256.Int    `json:"value"`
	Gas          uint64          `json:"gas"` // 0: the default of every call
	Create       bool            `json:"create,omitempty"`
	Address      common.Address  `json:"address"` // of what is created
	TimeAdvance  uint64          `json:"timeAdvance"`
	BlockAdvance uint64          `json:"blockAdvance"`
	Origin       common.Address  `json:"origin,omitzero"`        // zero: From
	Instructions []overwriteFile `json:"instructions,omitempty"` // of attackers' contracts
	// Overwrites are empty unless the campaign fuzzed the state itself.
	Overwrites []overwriteFile `json:"overwrites,omitempty"`
}

type overwriteFile struct {
	Address common.Address `json:"address"`
	Slot    common.Hash    `json:"slot"`
	Value   common.Hash    `json:"value"`
}

func packOverwrites(words []evm.Overwrite) (packed []overwriteFile) {
	for _, o := range words {
		packed = append(packed, overwriteFile{o.Address, o.Slot.Bytes32(), o.Value.Bytes32()})
	}
	return packed
}

func readOverwrites(packed []overwriteFile) (words []evm.Overwrite) {
	for _, o := range packed {
		words = append(words, evm.Overwrite{
			Address: o.Address, Slot: *new(uint256.Int).SetBytes32(o.Slot[:]), Value: *new(uint256.Int).SetBytes32(o.Value[:]),
		})
	}
	return words
}

// Marshal writes the fault as JSON. Equal faults give equal bytes.
func (f *Fault) Marshal() ([]byte, error) {
	file := faultFile{Version: faultVersion, Difference: f.Difference, Lifted: f.Lifted, World: packWorld(f.World, nil)}
	file.World.Instances = nil
	world, err := json.Marshal(file.World)
	if err != nil {
		return nil, err
	}
	file.WorldHash = sha256.Sum256(world)
	for i := range f.Sequence {
		call := &f.Sequence[i]
		packed := callFile{
			From: call.From, To: call.To, Data: call.Data, Value: &call.Value, Gas: call.Gas,
			Create: call.Create, Address: call.Address, TimeAdvance: call.TimeAdvance, BlockAdvance: call.BlockAdvance,
			Origin: call.Origin, Instructions: packOverwrites(call.Instructions), Overwrites: packOverwrites(call.Overwrites),
		}
		file.Sequence = append(file.Sequence, packed)
	}
	data, err := json.MarshalIndent(file, "", " ")
	return append(data, '\n'), err
}

// IsFault reports whether a file is of a fault, rather than a reproducer.
func IsFault(data []byte) bool {
	var file struct {
		WorldHash string `json:"worldHash"`
	}
	return bytes.Contains(data, []byte(`"worldHash"`)) && json.Unmarshal(data, &file) == nil && file.WorldHash != ""
}

// ReadFault reads what [Fault.Marshal] wrote. The file may come from anyone.
func ReadFault(data []byte) (*Fault, error) {
	var file faultFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("not the file of a fault: %w", err)
	}
	if file.Version != faultVersion {
		return nil, fmt.Errorf("version %d, this program reads version %d", file.Version, faultVersion)
	}
	world, err := file.World.world(nil)
	if err != nil {
		return nil, err
	}
	if err := evm.CheckFork(world.Fork); err != nil {
		return nil, err
	}
	f := &Fault{World: world, Lifted: file.Lifted, Difference: file.Difference}
	for _, call := range file.Sequence {
		if call.Value == nil {
			call.Value = new(uint256.Int)
		}
		read := evm.Call{
			From: call.From, To: call.To, Data: call.Data, Value: *call.Value, Gas: call.Gas,
			Create: call.Create, Address: call.Address, TimeAdvance: call.TimeAdvance, BlockAdvance: call.BlockAdvance,
			Origin: call.Origin, Instructions: readOverwrites(call.Instructions), Overwrites: readOverwrites(call.Overwrites),
		}
		f.Sequence = append(f.Sequence, read)
	}
	return f, nil
}

// Disagreement runs the fault on the interpreter and on go-ethereum, and returns their first
// difference, the interpreter's value first; empty if they agree.
func (f *Fault) Disagreement() (string, error) {
	var options []evm.Option
	if f.Lifted {
		options = append(options, evm.LiftCodeSizeLimits)
	}
	table := bytecode.NewTable(nil)
	reference, err := gethvm.New(f.World, table, options...)
	if err != nil {
		return "", err
	}
	ours, err := interp.New(f.World, table, options...)
	if err != nil {
		return "", err
	}
	want, err := reference.Run(f.Sequence)
	if err != nil {
		return "", err
	}
	got, err := ours.Run(f.Sequence)
	if err != nil {
		return err.Error(), nil //nolint:nilerr // that the interpreter fails is what the fault shows
	}
	if d := evm.Differ(got, want); d != nil {
		return d.String(), nil
	}
	if d := evm.DifferWorlds(ours.Export(), reference.Export()); d != nil {
		return d.String(), nil
	}
	return "", nil
}

// replayFault runs a fault on both machines, and reports whether they still disagree.
func replayFault(out io.Writer, path string, data []byte, asJSON bool) (holds bool, err error) {
	f, err := ReadFault(data)
	if err != nil {
		return false, exit.BadInput("fault %s: %w", path, err)
	}
	difference, err := f.Disagreement()
	if err != nil {
		return false, exit.BadInput("fault %s: %w", path, err)
	}
	holds = difference != ""
	if asJSON {
		return holds, json.NewEncoder(out).Encode(map[string]any{"fault": path, "holds": holds, "difference": difference})
	}
	if holds {
		fmt.Fprintf(out, "%s: the machines disagree: %s (the interpreter, then go-ethereum)\n", path, human.Printable(difference))
	} else {
		fmt.Fprintf(out, "%s: the machines agree about its %s now\n", path, human.Plural(len(f.Sequence), "call"))
	}
	return holds, nil
}
