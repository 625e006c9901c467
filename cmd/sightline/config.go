package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// configFiles are looked for below the project's folder, in this order.
var configFiles = []string{"sightline.yml", ".github/sightline.yml"}

// maxConfig bounds the size of a configuration file, bytes. Arbitrary: the World of as many
// contracts as are deployed at most, as world.yml has it, is about half of it.
const maxConfig = 256 << 10

// notConfigurable are the flags that only the command line sets: they say what
// this one run is about, or name files to write and programs to run, which a
// pull request must not choose.
var notConfigurable = []string{"root", "config", "diff", "target", "help", "json", "out", "corpus-dir", "remember", "bundle", "solc", "solc-list", "build-command", "build-env", "rpc", "state", "setup-command"}

// loadConfig reads the configuration file and sets every flag that it names and
// the command line does not. A key is a flag's name. The file named by --config
// must be there; else the first of configFiles is read, if there is one.
func loadConfig(named, root string, flags *pflag.FlagSet) error {
	if named != "" {
		return readConfig(named, flags)
	}
	for _, name := range configFiles {
		path := filepath.Join(root, filepath.FromSlash(name))
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return readConfig(path, flags)
	}
	return nil
}

func readConfig(path string, flags *pflag.FlagSet) error {
	data, err := files.ReadBounded(path, maxConfig)
	if err != nil {
		return exit.BadInput("configuration %s: %v", path, files.Plain(err))
	}
	if err := applyConfig(data, flags); err != nil {
		return exit.BadInput("configuration %s: %w", path, err)
	}
	return nil
}

// applyConfig sets the flags that a configuration names.
func applyConfig(data []byte, flags *pflag.FlagSet) error {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return fmt.Errorf("not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 {
		return nil // empty, or comments only
	}
	settings := document.Content[0]
	if settings.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: want settings as `key: value`", settings.Line)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(settings.Content); i += 2 {
		key, value := settings.Content[i], settings.Content[i+1]
		if seen[key.Value] {
			return fmt.Errorf("line %d: %q is set twice", key.Line, key.Value)
		}
		seen[key.Value] = true
		if err := applySetting(key, value, flags); err != nil {
			return err
		}
	}
	return nil
}

// settings are all flags that a configuration may set, those of other commands
// than the present one among them.
func settings() *pflag.FlagSet {
	all := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	new(projectFlags).register(all)
	new(campaignFlags).register(all)
	new(outputFlags).register(all)
	return all
}

// applySetting sets one flag, unless the command line has set it, or the present
// command has no such flag: then the value is only checked.
func applySetting(key, value *yaml.Node, flags *pflag.FlagSet) error {
	all := settings()
	flag := all.Lookup(key.Value)
	if flag == nil || slices.Contains(notConfigurable, key.Value) {
		return unknownKey(key, all)
	}
	target := flags.Lookup(key.Value)
	if target != nil && target.Changed {
		target = nil
	}
	if p, ok := flag.Value.(*planFlag); ok {
		if target != nil {
			p, _ = target.Value.(*planFlag)
			target.Changed = true
		}
		return p.read(p.plan, value)
	}
	values := []*yaml.Node{value}
	if _, list := flag.Value.(pflag.SliceValue); list && value.Kind == yaml.SequenceNode {
		values = value.Content
	}
	for _, v := range values {
		if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
			return fmt.Errorf("line %d: %s: want %s", v.Line, key.Value, wanted(flag.Value.Type()))
		}
		if err := all.Set(key.Value, v.Value); err != nil {
			return fmt.Errorf("line %d: %s %q: want %s", v.Line, key.Value, human.Printable(v.Value), wanted(flag.Value.Type()))
		}
		if target != nil {
			if err := flags.Set(key.Value, v.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// configKeys lists what a configuration file may set.
func configKeys(flags *pflag.FlagSet) []string {
	var keys []string
	flags.VisitAll(func(f *pflag.Flag) {
		_, plan := f.Value.(*planFlag)
		if (!f.Hidden || plan) && !slices.Contains(notConfigurable, f.Name) {
			keys = append(keys, f.Name)
		}
	})
	slices.Sort(keys)
	return keys
}

// unknownKey names the nearest known key.
func unknownKey(key *yaml.Node, all *pflag.FlagSet) error {
	if all.Lookup(key.Value) != nil {
		return fmt.Errorf("line %d: %q belongs on the command line, not in the configuration", key.Line, key.Value)
	}
	nearest, best := "", 0
	for _, known := range configKeys(all) {
		if d := editDistance(key.Value, known); nearest == "" || d < best {
			nearest, best = known, d
		}
	}
	return fmt.Errorf("line %d: unknown key %q; the nearest known key is %q", key.Line, human.Printable(key.Value), nearest)
}

// editDistance is Levenshtein's, over bytes: keys are ASCII.
func editDistance(a, b string) int {
	if len(a) > 256 { // nothing is near
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
