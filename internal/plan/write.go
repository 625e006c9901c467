package plan

import (
	"archive/tar"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/replay"
)

// Pack writes a plan. Equal plans give equal bytes. It is an error if something of the campaign cannot be written.
func (p *Plan) Pack() (*Packed, error) {
	parts := map[string][]byte{}
	main := mainPart{Format: formatName, Version: Version, Tool: p.Tool, About: p.About, Nothing: p.Nothing, Options: p.Options}
	if p.Nothing == "" {
		c := &p.Config
		main.Audit, main.Added, main.Altered, main.Seed, main.SeqLen, main.Ways = c.Audit, c.Added, c.Altered, c.Seed, c.SeqLen, c.Ways
		main.AfterReached = c.AfterReached
		main.Limits, main.Hashes = Limits{c.Timeout, c.MaxCalls, c.Workers}, p.Hashes
		contracts, known := contractsOf(c)
		build, err := p.build(contracts, known)
		if err != nil {
			return nil, err
		}
		world, err := p.world(contracts)
		if err != nil {
			return nil, err
		}
		seeds, err := p.seeds()
		if err != nil {
			return nil, err
		}
		for name, part := range map[string]any{buildFile: build, worldFile: world, seedsFile: seeds, targetsFile: targetsOf(c.Targets)} {
			if parts[name], err = marshal(part); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		main.SHA256 = map[string]string{}
		for name, data := range parts {
			main.SHA256[name] = sumOf(data)
		}
	}
	var err error
	if parts[mainFile], err = marshal(main); err != nil {
		return nil, fmt.Errorf("%s: %w", mainFile, err)
	}
	data, err := pack(parts)
	if err != nil {
		return nil, err
	}
	if len(data) > maxBytes {
		return nil, fmt.Errorf("it would have %d bytes, at most %d are read", len(data), maxBytes)
	}
	return &Packed{data, sumOf(data)}, nil
}

// Write writes the file of a packed plan, whole or not at all.
func (p *Packed) Write(path string) error {
	folder, err := files.OpenFolder(filepath.Dir(path), false)
	if err == nil {
		err = errors.Join(atomicfile.WriteIn(folder, filepath.Base(path), p.Data), folder.Close())
	}
	if err != nil {
		return fmt.Errorf("the plan %s cannot be written: %w; name another file with --plan", path, files.Plain(err))
	}
	return nil
}

// pack writes files as a tar without times, owners and modes of their own, in order of the names.
func pack(parts map[string][]byte) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(parts[name]))})
		if err == nil {
			_, err = w.Write(parts[name])
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// marshal writes a value as one line of JSON.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return out.Bytes(), err
}

// contractsOf are the contracts of the table, which are so many, and then those that only the World has.
func contractsOf(c *fuzzer.Config) (contracts []*bytecode.Contract, table int) {
	contracts = slices.Clone(c.Table.Contracts())
	table = len(contracts)
	seen := map[*bytecode.Contract]bool{nil: true}
	for _, contract := range contracts {
		seen[contract] = true
	}
	var add func(w *evm.World)
	add = func(w *evm.World) {
		for i := range w.Instances {
			in := &w.Instances[i]
			if !seen[in.Contract] {
				seen[in.Contract] = true
				contracts = append(contracts, in.Contract)
			}
			if in.Bare != nil {
				add(in.Bare.World)
			}
		}
	}
	add(c.World)
	return contracts, table
}

// build packs the contracts with what is known of their code.
func (p *Plan) build(contracts []*bytecode.Contract, table int) (*buildPart, error) {
	out := &buildPart{Table: table, Unknown: p.Config.Table.UnknownCode(), Cuts: [][]uint32{}}
	for _, c := range contracts {
		if abi := &c.ABI; len(c.RawABI) == 0 && (len(abi.Methods) > 0 || len(abi.Constructor.Inputs) > 0 || abi.HasFallback() || abi.HasReceive()) {
			return nil, fmt.Errorf("%s has an ABI without its text", c.QualifiedName())
		}
		texts := [][]byte{}
		for _, text := range c.Texts {
			texts = append(texts, []byte(text))
		}
		out.Texts = append(out.Texts, texts)
		out.Encodings = append(out.Encodings, append([]string{}, c.Encodings...))
	}
	var err error
	if out.Contracts, err = replay.MarshalContracts(contracts); err != nil {
		return nil, err
	}
	programs := artifacts(p.Config.Table)
	for _, program := range programs {
		out.Cuts = append(out.Cuts, cutsOf(program))
	}
	text := func(f func(bytecode.Location) (string, bool)) func(bytecode.Location) (string, bool) {
		if f != nil {
			return f
		}
		return func(bytecode.Location) (string, bool) { return "", false }
	}
	out.Functions, out.Places = spansOf(programs, text(p.Config.FunctionAt)), spansOf(programs, text(p.Place))
	out.Exempt = spansOf(programs, func(l bytecode.Location) (string, bool) {
		return "", p.Config.Exempt != nil && p.Config.Exempt(l)
	})
	return out, nil
}

// cutsOf are the pcs at which blocks begin because the table was cut there.
func cutsOf(p *bytecode.Program) []uint32 {
	uncut := bytecode.NewTable(nil).Unknown(p.Bytes)
	cuts := []uint32{}
	for _, b := range p.Blocks {
		if _, ok := uncut.StartsAt(uint64(b.Start)); !ok {
			cuts = append(cuts, b.Start)
		}
	}
	return cuts
}

// world packs World and Space.
func (p *Plan) world(contracts []*bytecode.Contract) (*worldPart, error) {
	c := &p.Config
	index := map[*bytecode.Contract]int{}
	for i, contract := range contracts {
		index[contract] = i
	}
	o := &c.Space.Options
	w, origin := apart(c.World)
	out := &worldPart{Chain: p.Chain, Origin: origin, Keys: []string{}, Asked: []bool{}, Spare: []bool{}, MaxValue: o.MaxValue, MaxTime: o.MaxTime, MaxBlocks: o.MaxBlocks}
	var err error
	if out.World, err = replay.MarshalWorld(w, contracts); err != nil {
		return nil, err
	}
	for i := range c.World.Senders {
		key := ""
		if k := c.World.Senders[i].Key; k != nil {
			key = hex.EncodeToString(crypto.FromECDSA(k))
		}
		out.Keys = append(out.Keys, key)
	}
	for i := range c.World.Instances {
		out.Asked = append(out.Asked, c.World.Instances[i].Asked)
		out.Spare = append(out.Spare, c.World.Instances[i].Spare)
	}
	if o.Called != nil {
		called := [][]string{}
		for i := range c.Space.Instances {
			signatures := []string{}
			for _, f := range c.Space.Instances[i].Functions {
				signatures = append(signatures, f.Signature)
			}
			called = append(called, signatures)
		}
		out.Called = &called
	}
	place := func(contract *bytecode.Contract, data []byte) (constructorPart, error) {
		i, ok := index[contract]
		if !ok {
			return constructorPart{}, fmt.Errorf("%s is neither of the build nor of the World", contract.QualifiedName())
		}
		return constructorPart{i, data}, nil
	}
	for _, d := range o.Constructors {
		part, err := place(d.Contract, d.Code)
		if err != nil {
			return nil, err
		}
		out.Constructors = append(out.Constructors, part)
	}
	for _, d := range o.Constructed {
		part, err := place(d.Contract, d.Arguments)
		if err != nil {
			return nil, err
		}
		out.Constructed = append(out.Constructed, part)
	}
	for _, l := range o.Likely {
		part, err := place(l.Contract, nil)
		if err != nil {
			return nil, err
		}
		out.Likely = append(out.Likely, likelyPart{part.Contract, l.Signature, l.Leaf, l.Accounts})
	}
	out.Uses = usesOf(c.Space)
	return out, nil
}

// usesOf are the calls of the World's makers that a Space takes something from, each once.
func usesOf(s *input.Space) []usePart {
	var uses []usePart
	seen := map[string]bool{}
	for i := range s.Options.Uses {
		call := s.Options.Uses[i]
		if call.Create {
			continue
		}
		use := usePart{call.To, call.Data}
		key := string(append(use.To.Bytes(), use.Data...))
		if seen[key] {
			continue
		}
		seen[key] = true
		read := use.call()
		read.From = s.Senders[0].Address
		if _, err := s.Read(&read); err == nil {
			uses = append(uses, use)
		}
	}
	return uses
}

func targetsOf(targets []bytecode.Target) []targetPart {
	parts := []targetPart{}
	for i := range targets {
		t := &targets[i]
		part := targetPart{File: t.Position.File, Line: t.Position.Line, Column: t.Position.Column, Contract: t.Contract, Deletion: t.Deletion, Reverts: t.Reverts}
		for _, l := range t.Entries {
			part.Entries = append(part.Entries, [2]uint32{uint32(l.Code), l.PC})
		}
		parts = append(parts, part)
	}
	return parts
}

// seeds packs what the campaign begins with.
func (p *Plan) seeds() (*seedsPart, error) {
	c := &p.Config
	out := &seedsPart{Notes: p.Notes}
	for _, list := range []struct {
		from []input.Sequence
		to   *[]string
	}{{c.Seeds, &out.Seeds}, {c.Saved, &out.Saved}, {c.Given, &out.Given}} {
		for _, seq := range list.from {
			text := input.Format(c.Space, seq)
			again, err := input.Parse(c.Space, text)
			if err == nil && (len(seq) == 0 || !again.Equal(seq)) {
				err = errors.New("it reads otherwise")
			}
			if err != nil {
				return nil, fmt.Errorf("the input %q cannot be written: %w", text, err)
			}
			*list.to = append(*list.to, text)
		}
	}
	return out, nil
}
