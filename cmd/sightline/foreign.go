package main

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
)

// This file reads what the configurations of other fuzzers say that carries over. They
// were not written for us: what is unknown is not an error, and what cannot be meant so is
// a warning. They may say no more than sightline.yml may, and whatever that or a
// flag says goes over them.

// foreignTool is a fuzzer whose configuration is read.
type foreignTool struct {
	name  string
	files []string // looked for in the project's folder; the first that is there counts
	parse func([]byte) (*foreignValue, error)
	keys  []foreignKey
	// sections are keys whose own keys are told one by one; others are told whole.
	sections []string
}

// foreignKey is a key whose value carries over.
type foreignKey struct {
	path    string // "fuzzing.senderAddresses"
	becomes string // for the documentation
	read    func(*foreign, *foreignValue) error
}

// foreignTools are those fuzzers: echidna's keys as of its version 2.3, and medusa's of 1.3.
var foreignTools = []foreignTool{
	{"echidna", []string{"echidna.yaml", "echidna.yml", "echidna.config.yaml", "echidna.config.yml"}, parseYAML, []foreignKey{
		{"sender", "senders, beside Sightline's own", readForeignSenders},
		{"prefix", "functions without parameters whose names begin so are properties, too", readForeignPrefix},
		{"seqLen", "`seq-len`, if below 64", readForeignLength},
		{"maxTimeDelay", "at most so many seconds pass before a call", readForeignTime},
		{"maxBlockDelay", "at most so many blocks", readForeignBlocks},
		{"maxValue", "no call carries more wei", readForeignValue},
		{"filterFunctions", "functions that are not called, or with `filterBlacklist: false` the only ones that are", readForeignFilter},
		{"filterBlacklist", "see there", readForeignBlacklist},
	}, nil},
	{"medusa", []string{"medusa.json"}, parseJSON, []foreignKey{
		{"fuzzing.senderAddresses", "senders, beside Sightline's own", readForeignSenders},
		{"fuzzing.callSequenceLength", "`seq-len`, if below 64", readForeignLength},
		{"fuzzing.blockTimestampDelayMax", "at most so many seconds pass before a call", readForeignTime},
		{"fuzzing.blockNumberDelayMax", "at most so many blocks", readForeignBlocks},
		{"fuzzing.targetContracts", "contracts that are deployed, in this order, if nothing else has deployed them", readForeignTargets},
		{"fuzzing.targetContractsBalances", "the wei that their constructors are given", readForeignBalances},
		{"fuzzing.constructorArgs", "the arguments of their constructors; without, they are looked for", readForeignArguments},
		{"fuzzing.targetContractsInitFunctions", "what is called on them then", readForeignInitializers},
		{"fuzzing.initializationArgs", "the arguments of these calls", readForeignInitialization},
		{"fuzzing.testing.propertyTesting.testPrefixes", "functions without parameters whose names begin so are properties, too", readForeignPrefix},
		{"fuzzing.testing.targetFunctionSignatures", "the only functions that are called", readForeignOnly},
		{"fuzzing.testing.excludeFunctionSignatures", "functions that are not called", readForeignExcluded},
	}, []string{"fuzzing", "fuzzing.testing", "fuzzing.testing.propertyTesting"}},
}

// foreign is what such configurations say.
type foreign struct {
	senders   []common.Address
	prefixes  []string // of properties
	seqLen    int      // 0: not said
	maxValue  *uint256.Int
	maxTime   *uint64
	maxBlocks *uint64
	filters   []functionFilter
	changed   map[string]bool // "Contract.function" with changed lines, which are called whatever filters say
	listed    []string        // echidna's filterFunctions, until filterBlacklist is known
	only      bool            // they are the only ones that are called
	targets   []*foreignTarget
	arguments map[string][]world.NamedValue // of constructors, by contract
	initial   map[string][]world.NamedValue // of initializers

	lines []string // for people: what was read of which file
	notes []string // what could not be meant so
}

// foreignTarget is a contract that is to be deployed.
type foreignTarget struct {
	contract string
	balance  string // wei, as text; empty: none
	initial  string // function to be called then; empty: none
}

// functionFilter chooses functions by "Contract.function(uint256)".
type functionFilter struct {
	names []string
	only  bool // these and no others; otherwise all but these
}

func (f *functionFilter) allows(name string) bool { return slices.Contains(f.names, name) == f.only }

// readForeign reads the configurations of other fuzzers in a folder; read gives a file,
// and fs.ErrNotExist where there is none.
func readForeign(read func(name string) ([]byte, error)) *foreign {
	f := &foreign{}
	for i := range foreignTools {
		for _, name := range foreignTools[i].files {
			data, err := read(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				f.notes = append(f.notes, fmt.Sprintf("%s was not read: %v", name, files.Plain(err)))
			} else {
				f.readFile(&foreignTools[i], name, data)
			}
			break
		}
	}
	return f
}

// foreignIn reads files of a folder.
func foreignIn(root string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		path := filepath.Join(root, name)
		if _, err := os.Lstat(path); err != nil {
			return nil, err
		}
		return files.ReadBounded(path, maxConfig)
	}
}

// readFile takes in one file.
func (f *foreign) readFile(tool *foreignTool, name string, data []byte) {
	v, err := tool.parse(data)
	if err == nil && v != nil && v.fields == nil {
		err = errors.New("want settings by name")
	}
	if err != nil {
		f.notes = append(f.notes, fmt.Sprintf("%s was not read: %v", name, err))
		return
	}
	own := &foreign{}
	var used, unused []string
	own.walk(tool, name, "", v, &used, &unused)
	own.finish()
	f.merge(own)
	line := name + ": "
	if len(used) == 0 {
		line += "nothing of it carries over"
	} else {
		line += strings.Join(used, ", ")
	}
	if len(unused) > 0 {
		line += "; not used: " + strings.Join(unused[:min(len(unused), maxUnused)], ", ") + human.More(max(0, len(unused)-maxUnused))
	}
	f.lines = append(f.lines, line)
}

// maxUnused bounds the keys that are named as not used. Arbitrary: echidna has some sixty.
const maxUnused = 8

// walk reads the keys of a mapping, those with an empty value apart.
func (f *foreign) walk(tool *foreignTool, name, prefix string, v *foreignValue, used, unused *[]string) {
	if v == nil {
		return
	}
	for i := range v.fields {
		field := &v.fields[i]
		path := prefix + field.name
		k := slices.IndexFunc(tool.keys, func(k foreignKey) bool { return k.path == path })
		switch {
		case field.value.empty():
		case k >= 0:
			if err := tool.keys[k].read(f, &field.value); err != nil {
				f.notes = append(f.notes, fmt.Sprintf("%s: %s: %v: not used", name, path, err))
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

// finish makes of keys what takes several.
func (f *foreign) finish() {
	if len(f.listed) > 0 {
		f.filters = append(f.filters, functionFilter{f.listed, f.only})
	}
}

// merge takes in what another file says. What both say, the first one decides.
func (f *foreign) merge(g *foreign) {
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
	f.targets, f.arguments, f.initial = append(f.targets, g.targets...), g.arguments, g.initial
	f.notes = append(f.notes, g.notes...)
}

// foreignValue is a value of such a file: a text, a list or a mapping.
type foreignValue struct {
	text   string
	null   bool
	list   []foreignValue
	fields []foreignField // nil: no mapping
	isList bool
	alias  bool
}

type foreignField struct {
	name  string
	value foreignValue
}

// empty reports whether a value says nothing.
func (v *foreignValue) empty() bool {
	return v.null || v.isList && len(v.list) == 0 || v.fields != nil && len(v.fields) == 0
}

// maxForeignDepth bounds mappings and lists within each other. Arbitrary; neither tool has
// more than six levels, structs in arguments apart.
const maxForeignDepth = 32

var errTooDeep = fmt.Errorf("more than %d levels", maxForeignDepth)

// parseYAML reads YAML; nil for an empty document.
func parseYAML(data []byte) (*foreignValue, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 {
		return nil, nil //nolint:nilnil // an empty file is no failure
	}
	v, err := foreignOf(document.Content[0], 0)
	return &v, err
}

// foreignOf never follows an alias: a small file could be a huge value.
func foreignOf(n *yaml.Node, depth int) (v foreignValue, err error) {
	if depth > maxForeignDepth {
		return v, errTooDeep
	}
	switch n.Kind {
	case yaml.ScalarNode:
		v.text, v.null = n.Value, n.Tag == "!!null"
	case yaml.SequenceNode:
		v.isList = true
		for _, item := range n.Content {
			inner, err := foreignOf(item, depth+1)
			if err != nil {
				return v, err
			}
			v.list = append(v.list, inner)
		}
	case yaml.MappingNode:
		v.fields = []foreignField{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			inner, err := foreignOf(n.Content[i+1], depth+1)
			if err != nil {
				return v, err
			}
			v.fields = append(v.fields, foreignField{n.Content[i].Value, inner})
		}
	default:
		v.alias = true
	}
	return v, nil
}

// parseJSON reads JSON, numbers as they are written.
func parseJSON(data []byte) (*foreignValue, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decodeForeign(d, 0)
	if err == nil && d.More() {
		err = errors.New("there is something behind its end")
	}
	if err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	return &v, nil
}

func decodeForeign(d *json.Decoder, depth int) (v foreignValue, err error) {
	if depth > maxForeignDepth {
		return v, errTooDeep
	}
	token, err := d.Token()
	if err != nil {
		return v, err
	}
	switch t := token.(type) {
	case json.Delim:
		return decodeDelimited(d, t, depth)
	case string:
		v.text = t
	case json.Number:
		v.text = t.String()
	case bool:
		v.text = strconv.FormatBool(t)
	default:
		v.null = true
	}
	return v, nil
}

// decodeDelimited decodes a list or an object, whose first token has been read.
func decodeDelimited(d *json.Decoder, open json.Delim, depth int) (v foreignValue, err error) {
	v.isList = open == '['
	if !v.isList {
		v.fields = []foreignField{}
	}
	for d.More() {
		var name foreignValue
		if !v.isList {
			if name, err = decodeForeign(d, depth+1); err != nil {
				return v, err
			}
		}
		inner, err := decodeForeign(d, depth+1)
		if err != nil {
			return v, err
		}
		if v.isList {
			v.list = append(v.list, inner)
		} else {
			v.fields = append(v.fields, foreignField{name.text, inner})
		}
	}
	_, err = d.Token()
	return v, err
}

// single is the text of a value.
func (v *foreignValue) single() (string, error) {
	if v.alias || v.isList || v.fields != nil || v.null {
		return "", errors.New("want a single value")
	}
	return v.text, nil
}

// texts are those of a list.
func (v *foreignValue) texts() ([]string, error) {
	if !v.isList {
		return nil, errors.New("want a list")
	}
	var texts []string
	for i := range v.list {
		text, err := v.list[i].single()
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// number is a whole number of at most 256 bits: decimal, hexadecimal, or decimal with an
// exponent, 1.2e18.
func (v *foreignValue) number() (*uint256.Int, error) {
	text, err := v.single()
	if err != nil {
		return nil, err
	}
	const longest = 100 // digits of such a number, and some underscores
	n, ok := new(big.Int).SetString(text, 0)
	if !ok && len(text) <= longest {
		mantissa, exponent, has := strings.Cut(strings.ToLower(text), "e")
		e, err := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
		r, fits := new(big.Rat).SetString(mantissa)
		if has && err == nil && e >= 0 && e < longest && fits && !strings.ContainsAny(mantissa, "/px") {
			r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(e)), nil)))
			n, ok = r.Num(), r.IsInt()
		}
	}
	if !ok || len(text) > longest || n.Sign() < 0 || n.BitLen() > 256 {
		return nil, fmt.Errorf("%q is no whole number that fits", human.Printable(text))
	}
	return uint256.MustFromBig(n), nil
}

func readForeignSenders(f *foreign, v *foreignValue) error {
	if !v.isList {
		return errors.New("want a list of addresses")
	}
	if len(v.list) > maxSenders {
		return fmt.Errorf("at most %d senders", maxSenders)
	}
	var senders []common.Address
	for i := range v.list {
		n, err := v.list[i].number() // both tools take 0x10000
		if err != nil || n.IsZero() || n.BitLen() > 8*common.AddressLength {
			return fmt.Errorf("%q is no address of a sender", human.Printable(v.list[i].text))
		}
		senders = append(senders, n.Bytes20())
	}
	f.senders = senders
	return nil
}

var foreignName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

func readForeignPrefix(f *foreign, v *foreignValue) error {
	list := []foreignValue{*v}
	if v.isList {
		list = v.list
	}
	const most = 16 // arbitrary
	if len(list) > most {
		return fmt.Errorf("at most %d prefixes", most)
	}
	var prefixes []string
	for i := range list {
		text, err := list[i].single()
		if err != nil {
			return err
		}
		if !foreignName.MatchString(text) {
			return fmt.Errorf("%q is no prefix of a function's name", human.Printable(text))
		}
		prefixes = append(prefixes, text)
	}
	f.prefixes = prefixes
	return nil
}

func readForeignLength(f *foreign, v *foreignValue) error {
	n, err := v.number()
	if err != nil {
		return err
	}
	if n.IsZero() {
		return errors.New("want at least 1")
	}
	if n.LtUint64(maxSeqLen) { // otherwise as many as are needed
		f.seqLen = int(n.Uint64())
	}
	return nil
}

func readForeignTime(f *foreign, v *foreignValue) error {
	return v.bound(&f.maxTime, input.MaxTimeAdvance)
}

func readForeignBlocks(f *foreign, v *foreignValue) error {
	return v.bound(&f.maxBlocks, input.MaxBlockAdvance)
}

// bound reads a number that is at most as large as another.
func (v *foreignValue) bound(to **uint64, most uint64) error {
	n, err := v.number()
	if err != nil {
		return err
	}
	x := most
	if n.LtUint64(most) {
		x = n.Uint64()
	}
	*to = &x
	return nil
}

func readForeignValue(f *foreign, v *foreignValue) (err error) {
	f.maxValue, err = v.number()
	return err
}

// functionOfContract is how both tools name a function.
var functionOfContract = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*\.[A-Za-z_$][A-Za-z0-9_$]*\([][A-Za-z0-9_$,.()]*\)$`)

func (v *foreignValue) functions() ([]string, error) {
	texts, err := v.texts()
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		text = strings.ReplaceAll(text, " ", "")
		if !functionOfContract.MatchString(text) {
			return nil, fmt.Errorf("%q is not of the form Contract.function(uint256)", human.Printable(text))
		}
		texts[i] = text
	}
	return texts, nil
}

func readForeignFilter(f *foreign, v *foreignValue) (err error) {
	f.listed, err = v.functions()
	return err
}

func readForeignBlacklist(f *foreign, v *foreignValue) error {
	text, err := v.single()
	if err != nil {
		return err
	}
	blacklist, err := strconv.ParseBool(text)
	if err != nil {
		return fmt.Errorf("%q is neither true nor false", human.Printable(text))
	}
	f.only = !blacklist
	return nil
}

func readForeignOnly(f *foreign, v *foreignValue) error {
	names, err := v.functions()
	if err == nil {
		f.filters = append(f.filters, functionFilter{names, true})
	}
	return err
}

func readForeignExcluded(f *foreign, v *foreignValue) error {
	names, err := v.functions()
	if err == nil {
		f.filters = append(f.filters, functionFilter{names, false})
	}
	return err
}

// maxForeignTargets bounds the contracts that are deployed. Arbitrary.
const maxForeignTargets = 64

// target is the one at a place of medusa's parallel lists.
func (f *foreign) target(i int) *foreignTarget {
	for len(f.targets) <= i {
		f.targets = append(f.targets, &foreignTarget{})
	}
	return f.targets[i]
}

// perTarget reads a list with an entry for each target.
func (f *foreign) perTarget(v *foreignValue, set func(*foreignTarget, *foreignValue) error) error {
	if !v.isList {
		return errors.New("want a list")
	}
	if len(v.list) > maxForeignTargets {
		return fmt.Errorf("at most %d contracts", maxForeignTargets)
	}
	for i := range v.list {
		if err := set(f.target(i), &v.list[i]); err != nil {
			return err
		}
	}
	return nil
}

func readForeignTargets(f *foreign, v *foreignValue) error {
	return f.perTarget(v, func(t *foreignTarget, v *foreignValue) (err error) {
		t.contract, err = v.single()
		return err
	})
}

func readForeignBalances(f *foreign, v *foreignValue) error {
	return f.perTarget(v, func(t *foreignTarget, v *foreignValue) error {
		n, err := v.number()
		if err == nil && !n.IsZero() {
			t.balance = n.Dec()
		}
		return err
	})
}

func readForeignInitializers(f *foreign, v *foreignValue) error {
	return f.perTarget(v, func(t *foreignTarget, v *foreignValue) (err error) {
		t.initial, err = v.single()
		return err
	})
}

func readForeignArguments(f *foreign, v *foreignValue) (err error) {
	f.arguments, err = v.arguments()
	return err
}

func readForeignInitialization(f *foreign, v *foreignValue) (err error) {
	f.initial, err = v.arguments()
	return err
}

// arguments are those of functions by name, by contract.
func (v *foreignValue) arguments() (map[string][]world.NamedValue, error) {
	if v.fields == nil {
		return nil, errors.New("want the arguments by contract and name")
	}
	all := map[string][]world.NamedValue{}
	for i := range v.fields {
		contract := &v.fields[i]
		if contract.value.fields == nil {
			return nil, fmt.Errorf("%s: want the arguments by name", human.Printable(contract.name))
		}
		all[contract.name] = contract.value.plan("medusa.json").Fields
	}
	return all, nil
}

// plan is a value as arguments of a plan are written. An address that medusa writes as
// "DeployedContract:Name" is that of an instance by its name.
func (v *foreignValue) plan(place string) world.Value {
	out := world.Value{Place: place, Text: strings.TrimPrefix(v.text, "DeployedContract:")}
	if v.isList {
		out = world.Value{Place: place, List: []world.Value{}}
		for i := range v.list {
			out.List = append(out.List, v.list[i].plan(place))
		}
	}
	if v.fields != nil {
		out = world.Value{Place: place, Fields: []world.NamedValue{}}
		for i := range v.fields {
			out.Fields = append(out.Fields, world.NamedValue{Name: v.fields[i].name, Value: v.fields[i].value.plan(place)})
		}
	}
	return out
}

// steps deploy the targets on top of what else makes the World.
func (f *foreign) steps() []world.Step {
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

// apply lets what was read count where neither a flag nor the configuration says otherwise.
// Commands that do not fuzz need none of it.
func (f *foreign) apply(flags *pflag.FlagSet) error {
	deploy := flags.Lookup("deploy")
	if deploy == nil {
		f.lines, f.notes = nil, nil
		return nil
	}
	if f.seqLen > 0 && !flags.Changed("seq-len") {
		if err := flags.Set("seq-len", strconv.Itoa(f.seqLen)); err != nil {
			return err
		}
	}
	setting, _ := deploy.Value.(*planFlag)
	p := setting.plan
	p.foreign = *f
	if !flags.Changed("senders") {
		p.Senders = f.namedSenders()
	}
	if !deploy.Changed {
		p.OnTop = f.steps()
	}
	return nil
}

// namedSenders are the senders with names that tell them by their addresses.
func (f *foreign) namedSenders() []evm.Sender {
	var senders []evm.Sender
	for _, a := range f.senders {
		name := "sender-" + strings.TrimLeft(hex.EncodeToString(a[:]), "0")
		senders = append(senders, evm.Sender{Name: name, Address: a})
	}
	return senders
}
