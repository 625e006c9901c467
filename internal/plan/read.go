package plan

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/replay"
)

const (
	// maxBytes bounds a plan, bytes: as much as a bundle of all of a run's files may have.
	maxBytes = 1 << 30
	// maxWorkers is the bound that --workers has.
	maxWorkers = 256
	// maxQuoted bounds a stranger's text in an error, in characters; arbitrary.
	maxQuoted = 120
)

// remedy ends errors about a file that does not hold a plan.
const remedy = "make it again with `sightline plan`"

// ReadFile reads a plan that a program made; another program's is an error, since what a campaign does is its program's to say.
func ReadFile(path, tool string) (*Plan, *Packed, error) {
	data, err := files.ReadBounded(path, maxBytes)
	if err != nil {
		return nil, nil, files.Plain(err)
	}
	p, packed, err := Read(data)
	if err != nil {
		return nil, nil, err
	}
	if p.Tool != tool {
		return nil, nil, fmt.Errorf("it was made by %s, and this is %s: one version has to plan, fuzz and merge", human.Clean(p.Tool, maxQuoted), tool)
	}
	return p, packed, nil
}

// Read reads what [Plan.Pack] wrote. The data may come from anyone: only the files of a plan are taken, within bounds, and what does not fit
// together is an error that says where.
func Read(data []byte) (*Plan, *Packed, error) {
	parts, err := unpack(data)
	if err != nil {
		return nil, nil, err
	}
	var main mainPart
	if err := json.Unmarshal(parts[mainFile], &main); err != nil || main.Format != formatName {
		return nil, nil, fmt.Errorf("it is not a plan: it has no %s of one; %s", mainFile, remedy)
	}
	if main.Version != Version {
		return nil, nil, fmt.Errorf("the plan has version %d of the format, this program reads version %d; %s", main.Version, Version, remedy)
	}
	p := &Plan{Tool: main.Tool, About: main.About, Nothing: main.Nothing, Options: main.Options, Hashes: main.Hashes}
	packed := &Packed{data, sumOf(data)}
	if p.Nothing != "" {
		if len(parts) > 1 {
			return nil, nil, fmt.Errorf("the plan says that there is nothing to fuzz, and has files besides %s; %s", mainFile, remedy)
		}
		return p, packed, nil
	}
	for _, name := range []string{buildFile, seedsFile, targetsFile, worldFile} {
		switch sum := main.SHA256[name]; {
		case parts[name] == nil:
			return nil, nil, fmt.Errorf("the plan lacks %s: it is not whole; copy it again, or %s", name, remedy)
		case sum != sumOf(parts[name]):
			return nil, nil, fmt.Errorf("%s is not the file of which the plan has the SHA-256; copy it again, or %s", name, remedy)
		}
	}
	if l := main.Limits; l.Workers < 1 || l.Workers > maxWorkers || l.Timeout < 0 || main.SeqLen < 0 || main.SeqLen > input.MaxCalls || main.Ways < 0 ||
		main.AfterReached != nil && !(*main.AfterReached >= 0 && *main.AfterReached <= 1) { // NaN, too
		return nil, nil, fmt.Errorf("%s: limits that a run cannot have; %s", mainFile, remedy)
	}
	p.Config = fuzzer.Config{
		Audit: main.Audit, Added: main.Added, Altered: main.Altered, Seed: main.Seed, SeqLen: main.SeqLen, Ways: main.Ways,
		Timeout: main.Limits.Timeout, MaxCalls: main.Limits.Calls, Workers: main.Limits.Workers,
		AfterReached: main.AfterReached,
	}
	contracts, err := p.readBuild(parts[buildFile])
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w; %s", buildFile, err, remedy)
	}
	if err := p.readWorld(parts[worldFile], contracts); err != nil {
		return nil, nil, fmt.Errorf("%s: %w; %s", worldFile, err, remedy)
	}
	if err := p.readTargets(parts[targetsFile]); err != nil {
		return nil, nil, fmt.Errorf("%s: %w; %s", targetsFile, err, remedy)
	}
	if err := p.readSeeds(parts[seedsFile]); err != nil {
		return nil, nil, fmt.Errorf("%s: %w; %s", seedsFile, err, remedy)
	}
	return p, packed, nil
}

// unpack reads the files of a plan from a tar.
func unpack(data []byte) (map[string][]byte, error) {
	parts := map[string][]byte{}
	in := tar.NewReader(bytes.NewReader(data))
	known := []string{buildFile, mainFile, seedsFile, targetsFile, worldFile}
	for n := 1; ; n++ {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d: not a tar file, or not all of one: %w; copy it again, or %s", n, err, remedy)
		}
		name := human.Clean(header.Name, maxQuoted)
		switch {
		case header.Typeflag != tar.TypeReg || !slices.Contains(known, header.Name):
			return nil, fmt.Errorf("it is not a plan: entry %d (%q) is not one of its files, %s; take the file that `sightline plan` wrote", n, name, strings.Join(known, ", "))
		case header.Size > int64(len(data)):
			return nil, fmt.Errorf("entry %d (%q): %d bytes, more than the file has: it is not whole; copy it again, or %s", n, name, header.Size, remedy)
		case len(header.PAXRecords) > 0: // such as those of a sparse file, whose few bytes become many
			return nil, fmt.Errorf("entry %d (%q) has extensions, which a plan does not need; %s", n, name, remedy)
		case parts[header.Name] != nil:
			return nil, fmt.Errorf("entry %d (%q): it occurs twice; %s", n, name, remedy)
		}
		text, err := io.ReadAll(io.LimitReader(in, header.Size))
		if err != nil {
			return nil, fmt.Errorf("entry %d (%q): %w: it is not whole; copy it again, or %s", n, name, err, remedy)
		}
		parts[header.Name] = append([]byte{}, text...) // never nil
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("it is not a plan: it is empty; %s", remedy)
	}
	return parts, nil
}

// readBuild reads the contracts, and makes the table of those that the build has.
func (p *Plan) readBuild(data []byte) ([]*bytecode.Contract, error) {
	var part buildPart
	if err := json.Unmarshal(data, &part); err != nil {
		return nil, err
	}
	contracts, err := replay.ReadContracts(part.Contracts)
	if err != nil {
		return nil, err
	}
	if part.Table < 0 || part.Table > len(contracts) || len(part.Texts) != len(contracts) || len(part.Encodings) != len(contracts) {
		return nil, fmt.Errorf("%d contracts, %d of the build, literals of %d, encodings of %d", len(contracts), part.Table, len(part.Texts), len(part.Encodings))
	}
	for i, c := range contracts {
		c.Encodings = append(c.Encodings, part.Encodings[i]...) // nil if there are none
		for _, text := range part.Texts[i] {
			c.Texts = append(c.Texts, string(text))
		}
	}
	t := bytecode.NewTable(contracts[:part.Table:part.Table])
	programs := artifacts(t)
	if len(part.Cuts) != len(programs) {
		return nil, fmt.Errorf("blocks of %d pieces of code, of which there are %d", len(part.Cuts), len(programs))
	}
	var cuts []bytecode.Location
	for i, program := range programs {
		for _, pc := range part.Cuts[i] {
			cuts = append(cuts, bytecode.Location{Code: program.ID, PC: pc})
		}
	}
	t.Cut(cuts)
	for _, code := range part.Unknown {
		t.Unknown(code)
	}
	for name, s := range map[string]*spans{"functions": &part.Functions, "places": &part.Places, "exempt": &part.Exempt} {
		if err := s.check(len(programs)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	p.Config.Table, p.Config.FunctionAt, p.Place = t, part.Functions.at, part.Places.at
	p.Config.Exempt = func(l bytecode.Location) bool { _, exempt := part.Exempt.at(l); return exempt }
	return contracts, nil
}

// readWorld reads the World, and makes its Space.
func (p *Plan) readWorld(data []byte, contracts []*bytecode.Contract) error {
	var part worldPart
	if err := json.Unmarshal(data, &part); err != nil {
		return err
	}
	w, err := replay.ReadWorld(part.World, contracts)
	if err != nil {
		return err
	}
	if len(part.Keys) != len(w.Senders) || len(part.Asked) != len(w.Instances) || len(part.Spare) != len(w.Instances) {
		return fmt.Errorf("%d keys of %d senders, %d notes on %d instances", len(part.Keys), len(w.Senders), len(part.Asked), len(w.Instances))
	}
	if err := checkWorld(w, true); err != nil {
		return err
	}
	if (part.Chain == nil) != (part.Origin == nil) {
		return errors.New("a chain and what is known of it go together")
	}
	if part.Origin != nil {
		if err := part.Origin.restore(w); err != nil {
			return err
		}
	}
	p.Chain = part.Chain
	for i, text := range part.Keys {
		if text == "" {
			continue
		}
		key, err := crypto.HexToECDSA(text)
		if err != nil || crypto.PubkeyToAddress(key.PublicKey) != w.Senders[i].Address {
			return fmt.Errorf("the key of sender %d is not its address's", i)
		}
		w.Senders[i].Key = key
	}
	for i, asked := range part.Asked {
		w.Instances[i].Asked, w.Instances[i].Spare = asked, part.Spare[i]
	}
	options, err := part.options(w, contracts)
	if err != nil {
		return err
	}
	p.Config.World = w
	p.Config.Space, err = input.NewSpace(w, options)
	return err
}

// checkWorld returns an error where a World names what it does not have.
func checkWorld(w *evm.World, bares bool) error {
	if err := evm.CheckFork(w.Fork); err != nil {
		return err
	}
	for i := range w.Instances {
		in := &w.Instances[i]
		switch {
		case in.Contract == nil && len(in.Tests) > 0:
			return fmt.Errorf("instance %d has tests, and no contract", i)
		case in.Bare == nil:
		case !bares:
			return fmt.Errorf("instance %d: a bare World has a bare World", i)
		default:
			if err := checkWorld(in.Bare.World, false); err != nil {
				return fmt.Errorf("instance %d: %w", i, err)
			}
		}
	}
	return nil
}

// options are those of the Space.
func (f *worldPart) options(w *evm.World, contracts []*bytecode.Contract) (input.SpaceOptions, error) {
	o := input.SpaceOptions{MaxValue: f.MaxValue, MaxTime: f.MaxTime, MaxBlocks: f.MaxBlocks}
	for i, c := range append(slices.Clip(f.Constructors), f.Constructed...) {
		if c.Contract < 0 || c.Contract >= len(contracts) {
			return o, fmt.Errorf("constructor %d: there is no contract %d", i, c.Contract)
		}
		if contract := contracts[c.Contract]; i < len(f.Constructors) {
			o.Constructors = append(o.Constructors, input.Deployment{Contract: contract, Code: c.Data})
		} else {
			o.Constructed = append(o.Constructed, input.Constructed{Contract: contract, Arguments: c.Data})
		}
	}
	for i := range f.Uses {
		o.Uses = append(o.Uses, f.Uses[i].call())
	}
	for i, l := range f.Likely {
		if l.Contract < 0 || l.Contract >= len(contracts) {
			return o, fmt.Errorf("likely accounts %d are of contract %d, but the plan has %d contracts", i, l.Contract, len(contracts))
		}
		o.Likely = append(o.Likely, input.Likely{Contract: contracts[l.Contract], Signature: l.Signature, Leaf: l.Leaf, Accounts: l.Accounts})
	}
	if f.Called != nil {
		if n := len(w.Instances) + len(f.Constructors); len(*f.Called) != n {
			return o, fmt.Errorf("functions of %d instances, of which there are %d", len(*f.Called), n)
		}
		called, err := calledBy(*f.Called, w, o.Constructors)
		if err != nil {
			return o, err
		}
		o.Called = called
	}
	return o, nil
}

// calledBy tells which functions are listed: those of the World's instances first, then those of contracts that
// sequences deploy.
func calledBy(list [][]string, w *evm.World, deployed []input.Deployment) (func(*evm.Instance, *input.Function) bool, error) {
	type instance struct {
		name     string
		contract *bytecode.Contract
	}
	allowed := map[instance]map[string]bool{}
	fresh := input.FreshNames(deployed)
	for i, signatures := range list {
		of := instance{}
		if i < len(w.Instances) {
			of = instance{w.Instances[i].Name, w.Instances[i].Contract}
		} else {
			at := i - len(w.Instances)
			of = instance{fresh[at], deployed[at].Contract}
		}
		if allowed[of] != nil {
			return nil, fmt.Errorf("two instances are called %s", human.Clean(of.name, maxQuoted))
		}
		allowed[of] = map[string]bool{}
		for _, s := range signatures {
			allowed[of][s] = true
		}
	}
	return func(in *evm.Instance, f *input.Function) bool {
		return allowed[instance{in.Name, in.Contract}][f.Signature]
	}, nil
}

// readTargets reads the targets, whose entries must begin blocks.
func (p *Plan) readTargets(data []byte) error {
	var parts []targetPart
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for i := range parts {
		f := &parts[i]
		t := bytecode.Target{Position: bytecode.Position{File: f.File, Line: f.Line, Column: f.Column}, Contract: f.Contract, Deletion: f.Deletion, Reverts: f.Reverts}
		for _, e := range f.Entries {
			l := bytecode.Location{Code: bytecode.CodeID(e[0]), PC: e[1]}
			program := p.Config.Table.Program(l.Code)
			if program == nil {
				return fmt.Errorf("target %d: there is no code %d", i, l.Code)
			}
			if _, ok := program.StartsAt(uint64(l.PC)); !ok {
				return fmt.Errorf("target %d: no block of code %d begins at %d", i, l.Code, l.PC)
			}
			t.Entries = append(t.Entries, l)
		}
		if len(t.Entries) == 0 {
			return fmt.Errorf("target %d is nowhere in the code", i)
		}
		p.Config.Targets = append(p.Config.Targets, t)
	}
	return nil
}

// readSeeds reads what the campaign begins with.
func (p *Plan) readSeeds(data []byte) error {
	var part seedsPart
	if err := json.Unmarshal(data, &part); err != nil {
		return err
	}
	p.Notes = part.Notes
	lists := map[string]struct {
		from []string
		to   *[]input.Sequence
	}{"seed": {part.Seeds, &p.Config.Seeds}, "saved input": {part.Saved, &p.Config.Saved}, "given input": {part.Given, &p.Config.Given}}
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		for i, text := range lists[name].from {
			seq, err := input.Parse(p.Config.Space, text)
			if err == nil && len(seq) == 0 {
				err = errors.New("it has no calls")
			}
			if err != nil {
				return fmt.Errorf("%s %d: %w", name, i, err)
			}
			*lists[name].to = append(*lists[name].to, seq)
		}
	}
	return nil
}
