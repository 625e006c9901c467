package replay

import (
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// SnapshotFile is the snapshot's name in the output folder.
const SnapshotFile = "world.json"

// snapshotVersion is the version of world.json and of reproducer files.
const snapshotVersion = 1

// Snapshot is what reproducers need to run without the project: the World, the
// compiled contracts, and the source line of each instruction. It is written to
// world.json, next to report.json.
type Snapshot struct {
	World     *evm.World
	Contracts []*bytecode.Contract
	// Deployable lists the contracts that sequences may deploy.
	Deployable []input.Deployment
	// Lines returns the source line of an instruction, and false if it has none.
	Lines func(bytecode.Location) (bytecode.Position, bool)
	// Told: Setups and Made are all that made the World. Otherwise a live chain, a state file
	// or a step that no transaction is took part, or it is not known.
	Told bool
	// Setups are the test contracts that set up the World, run by Tester; nil: none.
	Setups []world.TestSetup
	Tester common.Address
	// Made are the transactions that made the World of an empty one in which the senders
	// have ether, or after Setups.
	Made []world.MadeCall
	// Variables are the state variables of contracts by qualified name, where the
	// build describes the storage layout.
	Variables map[string][]Variable
	// Harnesses are the texts of sources that Sightline wrote, by name: the project lacks them.
	Harnesses map[string]string
}

type snapshotFile struct {
	Version    int                 `json:"version"`
	Contracts  []contractFile      `json:"contracts"`
	Deployable []deployableFile    `json:"deployable"`
	World      worldFile           `json:"world"`
	Files      []string            `json:"files"` // of the line tables
	Lines      map[string][][3]int `json:"lines"` // by artifact: pc, file, line where it changes

	Variables map[string][]Variable `json:"variables,omitempty"` // by qualified name
	Harnesses map[string]string     `json:"harnesses,omitempty"` // texts by name
	Told      bool                  `json:"told,omitempty"`
	Setups    []setupFile           `json:"setUps,omitempty"`
	Tester    *common.Address       `json:"tester,omitempty"` // with set-ups
	Made      []madeFile            `json:"made,omitempty"`
}

// madeFile is a transaction that made the World.
type madeFile struct {
	From  common.Address  `json:"from"`
	To    *common.Address `json:"to,omitempty"`   // nil: a deployment
	Made  *common.Address `json:"made,omitempty"` // of a deployment: the contract's
	Value *uint256.Int    `json:"value,omitempty"`
	Data  []byte          `json:"data"` // base64

	Changes []common.Address `json:"changes,omitempty"`
	Reads   []common.Address `json:"reads,omitempty"`
}

type contractFile struct {
	Name          string              `json:"name"`
	Source        string              `json:"source"`
	Folder        string              `json:"folder,omitempty"`
	Variant       string              `json:"variant,omitempty"`
	Library       bool                `json:"library,omitempty"`
	Generated     bool                `json:"generated,omitempty"`
	ABI           json.RawMessage     `json:"abi,omitempty"`
	Creation      *codeFile           `json:"creation,omitempty"`
	Runtime       *codeFile           `json:"runtime,omitempty"`
	ArgumentTypes []string            `json:"argumentTypes,omitempty"`
	Implements    []string            `json:"implements,omitempty"`
	Variables     []bytecode.Variable `json:"slots,omitempty"`
}

type codeFile struct {
	Bytes      []byte           `json:"bytes"` // base64
	Links      []bytecode.Link  `json:"links,omitempty"`
	Immutables []bytecode.Range `json:"immutables,omitempty"`
	Checks     []uint32         `json:"checks,omitempty"`
	Known      bool             `json:"checksKnown,omitempty"`
	Traps      []uint32         `json:"traps,omitempty"`
	Shared     []bytecode.Range `json:"shared,omitempty"`
	Released   int              `json:"shipped,omitempty"`
}

type deployableFile struct {
	Contract int    `json:"contract"` // index
	Code     []byte `json:"code"`
}

type worldFile struct {
	Fork      string                         `json:"fork"`
	Block     evm.Block                      `json:"block"`
	Accounts  map[common.Address]accountFile `json:"accounts"` // encoding/json sorts the keys
	Instances []instanceFile                 `json:"instances"`
	Senders   []evm.Sender                   `json:"senders"`
	Callbacks []string                       `json:"callbacks,omitempty"`
	Cheats    *evm.Cheats                    `json:"cheats,omitempty"`

	Properties []string `json:"properties,omitempty"`
}

type accountFile struct {
	Balance *uint256.Int                `json:"balance"`
	Nonce   uint64                      `json:"nonce"`
	Code    []byte                      `json:"code,omitempty"`
	Storage map[common.Hash]common.Hash `json:"storage,omitempty"`
}

type instanceFile struct {
	Name     string         `json:"name"`
	Address  common.Address `json:"address"`
	Contract int            `json:"contract"` // index; -1 if unknown
	Tests    []string       `json:"tests,omitempty"`
	Scope    *evm.Scope     `json:"scope,omitempty"`
	Bare     *bareFile      `json:"bare,omitempty"`
}

// bareFile is an [evm.Bare].
type bareFile struct {
	Address common.Address `json:"address"`
	World   worldFile      `json:"world"`
}

// Marshal writes the snapshot as JSON. Equal snapshots give equal bytes.
func (s *Snapshot) Marshal() ([]byte, error) {
	file := snapshotFile{Version: snapshotVersion, Lines: map[string][][3]int{}, Variables: s.Variables, Harnesses: s.Harnesses, Told: s.Told}
	index := map[*bytecode.Contract]int{}
	for i, c := range s.Contracts {
		index[c] = i
		file.Contracts = append(file.Contracts, packContract(c))
	}
	for _, d := range s.Deployable {
		file.Deployable = append(file.Deployable, deployableFile{index[d.Contract], d.Code})
	}
	file.World = packWorld(s.World, index)
	if file.Setups = packSetups(s.Setups, index); len(s.Setups) > 0 {
		file.Tester = &s.Tester
	}
	for i := range s.Made {
		c := &s.Made[i]
		made := madeFile{From: c.From, Data: c.Data, Changes: c.Changes, Reads: c.Reads}
		if c.Create {
			made.Made = &c.Address
		} else {
			made.To = &c.To
		}
		if !c.Value.IsZero() {
			made.Value = &c.Value
		}
		file.Made = append(file.Made, made)
	}
	file.packLines(s)
	return marshal(file)
}

func packCode(c *bytecode.Code) *codeFile {
	if c == nil {
		return nil
	}
	return &codeFile{c.Bytes, c.Links, c.Immutables, c.Checks, c.ChecksKnown, c.Traps, c.Shared, c.Released}
}

func packWorld(w *evm.World, index map[*bytecode.Contract]int) worldFile {
	w = w.Closed()
	out := worldFile{Fork: w.Fork, Block: w.Block, Senders: w.Senders, Cheats: w.Cheats, Properties: w.Properties, Callbacks: w.Callbacks, Accounts: map[common.Address]accountFile{}}
	for address, a := range w.Accounts {
		out.Accounts[address] = accountFile{&a.Balance, a.Nonce, a.Code, a.Storage}
	}
	for _, in := range w.Instances {
		i, known := index[in.Contract]
		if !known {
			i = -1
		}
		file := instanceFile{Name: in.Name, Address: in.Address, Contract: i, Tests: in.Tests, Scope: in.Scope}
		if in.Bare != nil {
			file.Bare = &bareFile{in.Bare.Address, packWorld(in.Bare.World, index)}
		}
		out.Instances = append(out.Instances, file)
	}
	return out
}

// packLines makes a run-length table of the lines of each artifact.
func (f *snapshotFile) packLines(s *Snapshot) {
	if s.Lines == nil {
		return
	}
	files := map[string]int{}
	for _, c := range s.Contracts {
		for _, code := range []*bytecode.Code{c.Creation, c.Runtime} {
			if code == nil {
				continue
			}
			var table [][3]int
			last := [3]int{-1, -1, -1}
			bytecode.Instructions(code.Bytes, func(pc uint32) bool {
				entry := [3]int{int(pc), -1, 0}
				if at, ok := s.Lines(bytecode.Location{Code: code.ID, PC: pc}); ok {
					n, known := files[at.File]
					if !known {
						n = len(f.Files)
						files[at.File] = n
						f.Files = append(f.Files, at.File)
					}
					entry[1], entry[2] = n, at.Line
				}
				if entry[1] != last[1] || entry[2] != last[2] {
					table, last = append(table, entry), entry
				}
				return true
			})
			f.Lines[artifactName(c, code.Kind)] = table
		}
	}
}

// artifactName names an artifact in files: "src/Vault.sol:Vault runtime".
func artifactName(c *bytecode.Contract, kind bytecode.Kind) string {
	return c.QualifiedName() + " " + kind.String()
}

// ReadSnapshot reads what [Snapshot.Marshal] wrote, with a table of its contracts.
// The file may come from anyone: an inconsistent one is an error that says where.
func ReadSnapshot(data []byte) (*Snapshot, *bytecode.Table, error) {
	var file snapshotFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, nil, fmt.Errorf("not a world file: %w", err)
	}
	if file.Version != snapshotVersion {
		return nil, nil, fmt.Errorf("version %d, this program reads version %d", file.Version, snapshotVersion)
	}
	s := &Snapshot{Variables: file.Variables, Harnesses: file.Harnesses, Told: file.Told}
	var err error
	if s.Contracts, err = readContracts(file.Contracts); err != nil {
		return nil, nil, err
	}
	for i, d := range file.Deployable {
		if d.Contract < 0 || d.Contract >= len(s.Contracts) {
			return nil, nil, fmt.Errorf("deployable %d: there is no contract %d", i, d.Contract)
		}
		s.Deployable = append(s.Deployable, input.Deployment{Contract: s.Contracts[d.Contract], Code: d.Code})
	}
	if s.World, err = file.World.world(s.Contracts); err != nil {
		return nil, nil, err
	}
	if s.Setups, err = file.setUps(s.Contracts); err != nil {
		return nil, nil, err
	}
	if file.Tester != nil {
		s.Tester = *file.Tester
	}
	for i, made := range file.Made {
		call := evm.Call{From: made.From, Data: made.Data, Create: made.Made != nil}
		switch {
		case made.Made != nil && made.To == nil:
			call.Address = *made.Made
		case made.To != nil && made.Made == nil:
			call.To = *made.To
		default:
			return nil, nil, fmt.Errorf("transaction %d: it must have one of to and made", i)
		}
		if made.Value != nil {
			call.Value = *made.Value
		}
		s.Made = append(s.Made, world.MadeCall{Call: call, Changes: made.Changes, Reads: made.Reads})
	}
	table := bytecode.NewTable(s.Contracts)
	s.Lines = file.lineTable(s.Contracts)
	return s, table, nil
}

func (f *contractFile) contract() (*bytecode.Contract, error) {
	c := &bytecode.Contract{
		Name: f.Name, Source: f.Source, Folder: f.Folder, Variant: f.Variant, Library: f.Library, Generated: f.Generated, RawABI: f.ABI,
		ArgumentTypes: f.ArgumentTypes, Implements: f.Implements, Variables: f.Variables,
	}
	var err error
	if len(f.ABI) > 0 {
		if c.ABI, err = bytecode.ParseABI(f.ABI); err != nil {
			return nil, err
		}
	}
	if c.Creation, err = f.Creation.code(bytecode.Creation); err != nil {
		return nil, fmt.Errorf("creation code: %w", err)
	}
	if c.Runtime, err = f.Runtime.code(bytecode.Runtime); err != nil {
		return nil, fmt.Errorf("runtime code: %w", err)
	}
	return c, nil
}

func (f *codeFile) code(kind bytecode.Kind) (*bytecode.Code, error) {
	if f == nil {
		return nil, nil
	}
	n := uint32(len(f.Bytes))
	for _, l := range f.Links {
		if l.Offset > n || n-l.Offset < 20 {
			return nil, fmt.Errorf("library address at %d is outside the code", l.Offset)
		}
	}
	for _, r := range f.Immutables {
		if r.Start > r.End || r.End > n {
			return nil, fmt.Errorf("immutable at %d is outside the code", r.Start)
		}
	}
	return &bytecode.Code{Kind: kind, Bytes: f.Bytes, Links: f.Links, Immutables: f.Immutables, Checks: f.Checks, ChecksKnown: f.Known, Traps: f.Traps, Shared: f.Shared, Released: f.Released}, nil
}

func (f *worldFile) world(contracts []*bytecode.Contract) (*evm.World, error) {
	w := &evm.World{Fork: f.Fork, Block: f.Block, Senders: f.Senders, Cheats: f.Cheats, Properties: f.Properties, Callbacks: f.Callbacks, Accounts: map[common.Address]*evm.Account{}}
	for address, a := range f.Accounts {
		account := &evm.Account{Nonce: a.Nonce, Code: a.Code, Storage: a.Storage}
		if a.Balance != nil {
			account.Balance = *a.Balance
		}
		w.Accounts[address] = account
	}
	for _, in := range f.Instances {
		instance := evm.Instance{Name: in.Name, Address: in.Address, Tests: in.Tests, Scope: in.Scope}
		if in.Contract >= len(contracts) {
			return nil, fmt.Errorf("instance %s: there is no contract %d", in.Name, in.Contract)
		}
		if in.Contract >= 0 {
			instance.Contract = contracts[in.Contract]
		}
		if in.Bare != nil {
			bare, err := in.Bare.World.world(contracts)
			if err != nil {
				return nil, err
			}
			instance.Bare = &evm.Bare{World: bare, Address: in.Bare.Address}
		}
		w.Instances = append(w.Instances, instance)
	}
	return w, nil
}

// lineTable looks lines up in the run-length tables.
func (f *snapshotFile) lineTable(contracts []*bytecode.Contract) func(bytecode.Location) (bytecode.Position, bool) {
	tables := map[bytecode.CodeID][][3]int{}
	for _, c := range contracts {
		for _, code := range []*bytecode.Code{c.Creation, c.Runtime} {
			if code != nil {
				tables[code.ID] = f.Lines[artifactName(c, code.Kind)]
			}
		}
	}
	return func(l bytecode.Location) (bytecode.Position, bool) {
		found := [3]int{0, -1, 0}
		for _, entry := range tables[l.Code] { // in order of pc
			if entry[0] > int(l.PC) {
				break
			}
			found = entry
		}
		if found[1] < 0 || found[1] >= len(f.Files) {
			return bytecode.Position{}, false
		}
		return bytecode.Position{File: f.Files[found[1]], Line: found[2]}, true
	}
}
