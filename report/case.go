package report

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
)

// caseVersion is the version of the files that hold a case.
const caseVersion = 1

// Case is a sequence that two machines disagree about, with the World it runs on:
// all that is needed to see it again.
type Case struct {
	World      *evm.World // without its instances: nothing is named here
	Sequence   evm.Sequence
	Lifted     bool   // the machines were without limits on code size
	Difference string // for people
}

type caseFile struct {
	Version    int         `json:"version"`
	Difference string      `json:"difference"`
	WorldHash  common.Hash `json:"worldHash"` // of the JSON of world: tells cases of one World
	Lifted     bool        `json:"liftedCodeSize"`
	Sequence   []callFile  `json:"sequence"`
	World      worldFile   `json:"world"`
}

type callFile struct {
	From         common.Address `json:"from"`
	To           common.Address `json:"to"`
	Data         hexutil.Bytes  `json:"data"`
	Value        *uint256.Int   `json:"value"`
	Gas          uint64         `json:"gas"` // 0: what every call gets
	Create       bool           `json:"create,omitempty"`
	Address      common.Address `json:"address"` // of what is created
	TimeAdvance  uint64         `json:"timeAdvance"`
	BlockAdvance uint64         `json:"blockAdvance"`
	// Overwrites are none unless the campaign fuzzed the state itself.
	Overwrites []overwriteFile `json:"overwrites,omitempty"`
}

type overwriteFile struct {
	Address common.Address `json:"address"`
	Slot    common.Hash    `json:"slot"`
	Value   common.Hash    `json:"value"`
}

// MarshalCase writes a case as JSON. Equal cases give equal bytes.
func MarshalCase(c *Case) ([]byte, error) {
	file := caseFile{Version: caseVersion, Difference: c.Difference, Lifted: c.Lifted, World: packWorld(c.World, nil)}
	file.World.Instances = nil
	world, err := json.Marshal(file.World)
	if err != nil {
		return nil, err
	}
	file.WorldHash = sha256.Sum256(world)
	for i := range c.Sequence {
		call := &c.Sequence[i]
		packed := callFile{
			From: call.From, To: call.To, Data: call.Data, Value: &call.Value, Gas: call.Gas,
			Create: call.Create, Address: call.Address, TimeAdvance: call.TimeAdvance, BlockAdvance: call.BlockAdvance,
		}
		for _, o := range call.Overwrites {
			packed.Overwrites = append(packed.Overwrites, overwriteFile{o.Address, o.Slot.Bytes32(), o.Value.Bytes32()})
		}
		file.Sequence = append(file.Sequence, packed)
	}
	data, err := json.MarshalIndent(file, "", " ")
	return append(data, '\n'), err
}

// CaseFolder is the folder below the output folder that cases are written to.
const CaseFolder = "faults"

// Cases are the files of cases, by path below the output folder.
type Cases map[string][]byte

// Add keeps a case, under a name made of its content, and returns its path.
func (c Cases) Add(kept *Case) (path string, err error) {
	data, err := MarshalCase(kept)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	path = fmt.Sprintf("%s/%x.json", CaseFolder, sum[:6])
	c[path] = data
	return path, nil
}

// named are the cases that a report still names: those of calls that are withheld are
// not among them.
func (c Cases) named(r *Report) map[string][]byte {
	named := map[string][]byte{}
	add := func(file string) {
		if data := c[file]; data != nil {
			named[file] = data
		}
	}
	for _, f := range r.Faults {
		add(f.File)
	}
	for i := range r.Clashes {
		add(r.Clashes[i].Reproducer)
	}
	return named
}

// write writes the cases that the report names.
func (c Cases) write(dir string, r *Report) error {
	named := c.named(r)
	for _, name := range slices.Sorted(maps.Keys(named)) {
		file := filepath.FromSlash(name)
		if folder := filepath.Join(dir, filepath.Dir(file)); os.MkdirAll(folder, 0o755) != nil {
			return outputError(folder, os.MkdirAll(folder, 0o755))
		}
		if err := writeFile(dir, file, named[name]); err != nil {
			return err
		}
	}
	return nil
}

// ReadCase reads what MarshalCase wrote. Anyone may have written it.
func ReadCase(data []byte) (*Case, error) {
	var file caseFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("not the file of a case: %w", err)
	}
	if file.Version != caseVersion {
		return nil, fmt.Errorf("version %d, this program reads version %d", file.Version, caseVersion)
	}
	world, err := file.World.world(nil)
	if err != nil {
		return nil, err
	}
	if err := evm.CheckFork(world.Fork); err != nil {
		return nil, err
	}
	c := &Case{World: world, Lifted: file.Lifted, Difference: file.Difference}
	for _, call := range file.Sequence {
		if call.Value == nil {
			call.Value = new(uint256.Int)
		}
		read := evm.Call{
			From: call.From, To: call.To, Data: call.Data, Value: *call.Value, Gas: call.Gas,
			Create: call.Create, Address: call.Address, TimeAdvance: call.TimeAdvance, BlockAdvance: call.BlockAdvance,
		}
		for _, o := range call.Overwrites {
			read.Overwrites = append(read.Overwrites, evm.Overwrite{
				Address: o.Address, Slot: *new(uint256.Int).SetBytes32(o.Slot[:]), Value: *new(uint256.Int).SetBytes32(o.Value[:]),
			})
		}
		c.Sequence = append(c.Sequence, read)
	}
	return c, nil
}
