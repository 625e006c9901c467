package config

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/progress"
)

// This file imports what carries over from echidna and medusa configuration. Those files
// were not written for Sightline: an unknown key is not an error, and a value that cannot be
// used is a warning. They may set no more than sightline.yml may, and sightline.yml and flags
// override them.

// importedTool is a fuzzer whose configuration is imported.
type importedTool struct {
	name  string
	files []string // in the project's folder; the first that exists is read
	parse func([]byte) (*importedValue, error)
	keys  []importedKey
	// sections are keys whose own keys are reported one by one; others are reported as one.
	sections []string
}

// importedKey is a key whose value carries over.
type importedKey struct {
	path    string // "fuzzing.senderAddresses"
	becomes string // for the documentation
	read    func(*imports, *importedValue) error
}

// importedTools are these fuzzers, with the keys of echidna 2.3 and medusa 1.3.
var importedTools = []importedTool{
	{"echidna", []string{"echidna.yaml", "echidna.yml", "echidna.config.yaml", "echidna.config.yml"}, parseYAML, []importedKey{
		{"sender", "senders, in addition to Sightline's own", importSenders},
		{"prefix", "functions without parameters that return a bool and whose names have this prefix are properties, too", importPrefix},
		{"seqLen", "`seq-len`, if below 64", importLength},
		{"maxTimeDelay", "the most seconds that pass before a call", importTime},
		{"maxBlockDelay", "the most blocks that pass before a call", importBlocks},
		{"maxValue", "the most wei that a call carries", importValue},
		{"filterFunctions", "functions that are not called; with `filterBlacklist: false`, the only ones that are", importFilter},
		{"filterBlacklist", "see `filterFunctions`", importBlacklist},
		{"allContracts", "with `true`, properties of testers speak of calls of all contracts", importAll},
		{"corpusDir", "`seeds`, in addition to others, unless that is `none`", importCorpus},
	}, nil},
	{"medusa", []string{"medusa.json"}, parseJSON, []importedKey{
		{"fuzzing.senderAddresses", "senders, in addition to Sightline's own", importSenders},
		{"fuzzing.corpusDirectory", "`seeds`, in addition to others, unless that is `none`", importCorpus},
		{"fuzzing.callSequenceLength", "`seq-len`, if below 64", importLength},
		{"fuzzing.blockTimestampDelayMax", "the most seconds that pass before a call", importTime},
		{"fuzzing.blockNumberDelayMax", "the most blocks that pass before a call", importBlocks},
		{"fuzzing.targetContracts", "contracts to deploy, in this order, unless something else has deployed them", importTargets},
		{"fuzzing.targetContractsBalances", "the wei sent to their constructors", importBalances},
		{"fuzzing.constructorArgs", "the arguments of their constructors; if missing, Sightline searches for them", importArguments},
		{"fuzzing.targetContractsInitFunctions", "the functions called on them after that", importInitializers},
		{"fuzzing.initializationArgs", "the arguments of these calls", importInitialization},
		{"fuzzing.testing.propertyTesting.testPrefixes", "functions without parameters that return a bool and whose names have this prefix are properties, too", importPrefix},
		{"fuzzing.testing.targetFunctionSignatures", "the only functions that are called", importOnly},
		{"fuzzing.testing.excludeFunctionSignatures", "functions that are not called", importExcluded},
	}, []string{"fuzzing", "fuzzing.testing", "fuzzing.testing.propertyTesting"}},
}

// imports is the content of such configurations.
type imports struct {
	senders   []common.Address
	prefixes  []string // of properties
	seqLen    int      // 0: not given
	maxValue  *uint256.Int
	maxTime   *uint64
	maxBlocks *uint64
	filters   []deploy.FunctionFilter
	listed    []string // echidna's filterFunctions, until filterBlacklist is known
	only      bool     // they are the only ones that are called
	all       bool     // contracts are called besides testers
	corpora   []importedCorpus
	targets   []*importedTarget
	arguments map[string][]world.NamedValue // of constructors, by contract
	initial   map[string][]world.NamedValue // of initializers

	lines []string // for people: the keys that were read from each file
	notes []string // for people: the values that could not be used
}

// importedCorpus is a corpus that a configuration names.
type importedCorpus struct {
	file   string // the configuration
	folder string // relative to the project's
}

// importedTarget is a contract to deploy.
type importedTarget struct {
	contract string
	balance  string // wei, as text; empty: none
	initial  string // function to call after that; empty: none
}

// readImports reads the echidna and medusa configuration of a folder. read returns the
// contents of a file, and fs.ErrNotExist if there is none.
func readImports(read func(name string) ([]byte, error)) *imports {
	f := &imports{}
	for i := range importedTools {
		for _, name := range importedTools[i].files {
			data, err := read(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				f.notes = append(f.notes, fmt.Sprintf("%s was not read: %v", name, files.Plain(err)))
			} else {
				f.readFile(&importedTools[i], name, data)
			}
			break
		}
	}
	return f
}

// In returns a function that reads files of a folder.
func In(root string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		path := filepath.Join(root, name)
		if _, err := os.Lstat(path); err != nil {
			return nil, err
		}
		return files.ReadRegular(path, MaxFile)
	}
}

// readFile imports one file.
func (f *imports) readFile(tool *importedTool, name string, data []byte) {
	v, err := tool.parse(data)
	if err == nil && v != nil && v.fields == nil {
		err = errors.New("want settings as key and value")
	}
	if err != nil {
		f.notes = append(f.notes, fmt.Sprintf("%s was not read: %v", name, err))
		return
	}
	own := &imports{}
	var used, unused []string
	own.walk(tool, name, "", v, &used, &unused)
	own.finish()
	for i := range own.corpora {
		own.corpora[i].file = name
	}
	f.merge(own)
	line := name + ": "
	if len(used) == 0 {
		line += "nothing in it carries over"
	} else {
		line += strings.Join(used, ", ")
	}
	if len(unused) > 0 {
		line += "; not used: " + human.First(unused, maxUnused)
	}
	f.lines = append(f.lines, line)
}

// maxUnused bounds the keys that are listed as not used. Arbitrary: echidna has about 60.
const maxUnused = 8

// walk reads the keys of a mapping, except those with an empty value.
func (f *imports) walk(tool *importedTool, name, prefix string, v *importedValue, used, unused *[]string) {
	if v == nil {
		return
	}
	for i := range v.fields {
		field := &v.fields[i]
		path := prefix + field.name
		k := slices.IndexFunc(tool.keys, func(k importedKey) bool { return k.path == path })
		switch {
		case field.value.empty():
		case k >= 0:
			if err := tool.keys[k].read(f, &field.value); err != nil {
				f.notes = append(f.notes, fmt.Sprintf("%s: ignored %s: %v", name, path, err))
				continue
			}
			*used = append(*used, field.name)
		case slices.Contains(tool.sections, path):
			f.walk(tool, name, path+".", &field.value, used, unused)
		default:
			*unused = append(*unused, human.Printable(field.name))
		}
	}
}

// finish builds what needs several keys.
func (f *imports) finish() {
	if len(f.listed) > 0 {
		f.filters = append(f.filters, deploy.FunctionFilter{Names: f.listed, Only: f.only})
	}
}

// merge adds the content of another file. If both set a value, the first one counts.
func (f *imports) merge(g *imports) {
	for _, a := range g.senders {
		if !slices.Contains(f.senders, a) {
			f.senders = append(f.senders, a)
		}
	}
	f.prefixes = append(f.prefixes, g.prefixes...)
	f.seqLen = cmp.Or(f.seqLen, g.seqLen)
	f.maxValue = cmp.Or(f.maxValue, g.maxValue)
	f.maxTime = cmp.Or(f.maxTime, g.maxTime)
	f.maxBlocks = cmp.Or(f.maxBlocks, g.maxBlocks)
	f.filters = append(f.filters, g.filters...)
	f.all = f.all || g.all
	f.corpora = append(f.corpora, g.corpora...)
	f.targets, f.arguments, f.initial = append(f.targets, g.targets...), g.arguments, g.initial
	f.notes = append(f.notes, g.notes...)
}

// steps deploy the targets in addition to what else makes the World.
func (f *imports) steps() []world.Step {
	const place = "medusa.json"
	var steps []world.Step
	for _, t := range f.targets {
		if t.contract == "" {
			continue
		}
		s := world.Step{Contract: t.contract, Place: place, Value: world.Value{Text: t.balance, Place: place}}
		s.Message.Place, s.Message.Named = place, f.arguments[t.contract]
		steps = append(steps, s)
		if t.initial == "" {
			continue
		}
		call := world.Step{Place: place}
		call.Message = world.PlannedMessage{Function: t.contract + "." + t.initial, Named: f.initial[t.contract], Place: place}
		steps = append(steps, call)
	}
	return steps
}

// Import reads echidna and medusa configuration. read returns the contents of a file of the
// project's folder, and fs.ErrNotExist if there is none. A value counts if neither a flag nor
// the configuration sets it. Commands that do not fuzz import nothing.
func (s *Settings) Import(read func(name string) ([]byte, error)) error {
	if !s.has("deploy") {
		return nil
	}
	f := readImports(read)
	s.imported = *f
	if f.seqLen > 0 && !s.flags.Changed("seq-len") {
		if err := s.flags.Set("seq-len", strconv.Itoa(f.seqLen)); err != nil {
			return err
		}
	}
	p := &s.options.World.Plan
	p.Imported = deploy.Imported{Prefixes: f.prefixes, MaxValue: f.maxValue, MaxTime: f.maxTime, MaxBlocks: f.maxBlocks, Filters: f.filters, All: f.all}
	if !s.flags.Changed("senders") {
		p.World.Senders = f.namedSenders()
	}
	if !s.flags.Changed("deploy") {
		p.World.ExtraSteps = f.steps()
	}
	return nil
}

// Announce logs what was imported from echidna and medusa configuration, and warns of what
// could not be used.
func (s *Settings) Announce(log *progress.Log) {
	for _, line := range s.imported.lines {
		log.Line("config  read from %s", human.Printable(line))
	}
	for _, note := range s.imported.notes {
		log.Warn("%s", note)
	}
}

// ImportedFiles are the names of echidna and medusa configuration files, relative to the
// project's folder.
func ImportedFiles() []string {
	var names []string
	for i := range importedTools {
		names = append(names, importedTools[i].files...)
	}
	return names
}

// namedSenders are the senders, named after their addresses.
func (f *imports) namedSenders() []evm.Sender {
	var senders []evm.Sender
	for _, a := range f.senders {
		name := "sender-" + strings.TrimLeft(hex.EncodeToString(a[:]), "0")
		senders = append(senders, evm.Sender{Name: name, Address: a})
	}
	return senders
}
