package config

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/worldfile"
)

func importSenders(f *imports, v *importedValue) error {
	if !v.isList {
		return errors.New("want a list of addresses")
	}
	if len(v.list) > worldfile.MaxSenders {
		return fmt.Errorf("at most %d senders", worldfile.MaxSenders)
	}
	var senders []common.Address
	for i := range v.list {
		n, err := v.list[i].number() // both tools take 0x10000
		if err != nil || n.IsZero() || n.BitLen() > 8*common.AddressLength {
			return fmt.Errorf("%q is not a sender's address", human.Printable(v.list[i].text))
		}
		senders = append(senders, n.Bytes20())
	}
	f.senders = senders
	return nil
}

var solidityName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

func importPrefix(f *imports, v *importedValue) error {
	list := []importedValue{*v}
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
		if !solidityName.MatchString(text) {
			return fmt.Errorf("%q is not a valid prefix of a function name", human.Printable(text))
		}
		prefixes = append(prefixes, text)
	}
	f.prefixes = prefixes
	return nil
}

func importLength(f *imports, v *importedValue) error {
	n, err := v.number()
	if err != nil {
		return err
	}
	if n.IsZero() {
		return errors.New("want at least 1")
	}
	if n.LtUint64(maxSeqLen) { // otherwise the campaign chooses the length
		f.seqLen = int(n.Uint64())
	}
	return nil
}

func importTime(f *imports, v *importedValue) error {
	return v.bound(&f.maxTime, input.MaxTimeAdvance)
}

func importBlocks(f *imports, v *importedValue) error {
	return v.bound(&f.maxBlocks, input.MaxBlockAdvance)
}

// bound reads a number into to, capped at most.
func (v *importedValue) bound(to **uint64, most uint64) error {
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

func importValue(f *imports, v *importedValue) (err error) {
	f.maxValue, err = v.number()
	return err
}

// functionOfContract matches a function's name as both tools write it.
var functionOfContract = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*\.[A-Za-z_$][A-Za-z0-9_$]*\([][A-Za-z0-9_$,.()]*\)$`)

func (v *importedValue) functions() ([]string, error) {
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

func importFilter(f *imports, v *importedValue) (err error) {
	f.listed, err = v.functions()
	return err
}

func importBlacklist(f *imports, v *importedValue) error {
	blacklist, err := v.truth()
	if err == nil {
		f.only = !blacklist
	}
	return err
}

func importAll(f *imports, v *importedValue) (err error) {
	f.all, err = v.truth()
	return err
}

func (v *importedValue) truth() (bool, error) {
	text, err := v.single()
	if err != nil {
		return false, err
	}
	truth, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", human.Printable(text))
	}
	return truth, nil
}

func importOnly(f *imports, v *importedValue) error {
	names, err := v.functions()
	if err == nil {
		f.filters = append(f.filters, deploy.FunctionFilter{Names: names, Only: true})
	}
	return err
}

func importExcluded(f *imports, v *importedValue) error {
	names, err := v.functions()
	if err == nil {
		f.filters = append(f.filters, deploy.FunctionFilter{Names: names})
	}
	return err
}

// maxImportedTargets bounds the contracts to deploy. Arbitrary.
const maxImportedTargets = 64

// target returns the target at an index of medusa's parallel lists.
func (f *imports) target(i int) *importedTarget {
	for len(f.targets) <= i {
		f.targets = append(f.targets, &importedTarget{})
	}
	return f.targets[i]
}

// perTarget reads a list with an entry for each target.
func (f *imports) perTarget(v *importedValue, set func(*importedTarget, *importedValue) error) error {
	if !v.isList {
		return errors.New("want a list")
	}
	if len(v.list) > maxImportedTargets {
		return fmt.Errorf("at most %d contracts", maxImportedTargets)
	}
	for i := range v.list {
		if err := set(f.target(i), &v.list[i]); err != nil {
			return err
		}
	}
	return nil
}

func importTargets(f *imports, v *importedValue) error {
	return f.perTarget(v, func(t *importedTarget, v *importedValue) (err error) {
		t.contract, err = v.single()
		return err
	})
}

func importBalances(f *imports, v *importedValue) error {
	return f.perTarget(v, func(t *importedTarget, v *importedValue) error {
		n, err := v.number()
		if err == nil && !n.IsZero() {
			t.balance = n.Dec()
		}
		return err
	})
}

func importInitializers(f *imports, v *importedValue) error {
	return f.perTarget(v, func(t *importedTarget, v *importedValue) (err error) {
		t.initial, err = v.single()
		return err
	})
}

func importArguments(f *imports, v *importedValue) (err error) {
	f.arguments, err = v.arguments()
	return err
}

func importInitialization(f *imports, v *importedValue) (err error) {
	f.initial, err = v.arguments()
	return err
}

// arguments returns the arguments of functions by parameter name, for each contract.
func (v *importedValue) arguments() (map[string][]world.NamedValue, error) {
	if v.fields == nil {
		return nil, errors.New("want the arguments by contract and parameter name")
	}
	all := map[string][]world.NamedValue{}
	for i := range v.fields {
		contract := &v.fields[i]
		if contract.value.fields == nil {
			return nil, fmt.Errorf("%s: want the arguments by parameter name", human.Printable(contract.name))
		}
		all[contract.name] = contract.value.plan("medusa.json").Fields
	}
	return all, nil
}

// importCorpus reads the folder of a corpus, which is only read if it is one of the project's.
func importCorpus(f *imports, v *importedValue) error {
	text, err := v.single()
	if err != nil || text == "" {
		return err
	}
	folder := path.Clean(filepath.ToSlash(text))
	if !filepath.IsLocal(folder) || folder == "." {
		return fmt.Errorf("%q is not a folder in the project's: name it with --seeds", human.Printable(text))
	}
	f.corpora = append(f.corpora, importedCorpus{folder: folder})
	return nil
}
