package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/worldfile"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// Files are the configuration files below the project's folder, in the order in which
// Sightline looks for them.
var Files = []string{"sightline.yml", ".github/sightline.yml"}

// MaxFile bounds the size of a configuration file, bytes. Arbitrary: world.yml for a World
// with the maximum number of deployed contracts is about half of it.
const MaxFile = 256 << 10

// notConfigurable are the flags that only the command line can set: they say what
// this one run is about, or name files to write and programs to run, which a
// pull request must not choose.
var notConfigurable = []string{"root", "config", "diff", "audit", "target", "help", "json", "out", "corpus-dir", "remember", "bundle", "solc", "solc-list", "trust-project-compiler", "build-command", "build-env", "verify-build", "rpc", "state", "setup-command", "exchange", "exchange-ca", "exchange-cert", "exchange-key", "exchange-token-file", "exchange-plain", "replay-exchange"}

// Load reads the configuration file and echidna and medusa configuration, and sets every
// flag that they name and the command line does not. The file named by --config must exist;
// without --config, the first of [Files] that exists is read.
func (s *Settings) Load() error {
	root, err := change.AbsRoot(s.options.Change.Root)
	if err != nil {
		return err
	}
	if err := s.loadFile(root); err != nil {
		return err
	}
	return s.Import(In(root))
}

func (s *Settings) loadFile(root string) error {
	if s.file != "" {
		return s.readFile(s.file, files.ReadBounded)
	}
	for _, name := range Files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return s.readFile(path, files.ReadRegular)
	}
	return nil
}

func (s *Settings) readFile(path string, read func(string, int64) ([]byte, error)) error {
	data, err := read(path, MaxFile)
	if err != nil {
		return exit.BadInput("configuration %s: %v", path, files.Plain(err))
	}
	if err := s.Apply(path, data); err != nil {
		return exit.BadInput("configuration %s: %w", path, err)
	}
	return nil
}

// Apply sets the flags that a configuration names; file is its path, for errors.
func (s *Settings) Apply(file string, data []byte) error {
	if err := s.apply(file, data); err != nil {
		return exit.At(err, exit.Place{File: file, Line: lineIn(err.Error()), Text: human.Printable(err.Error())})
	}
	return nil
}

// numbered is how the errors of this package and of package yaml begin if they know a line.
var numbered = regexp.MustCompile(`^(?:not valid YAML: )?line (\d{1,7}): `)

// lineIn is the line that an error begins with; 0: none.
func lineIn(text string) int {
	m := numbered.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	line, _ := strconv.Atoi(m[1]) // digits, and few
	return line
}

func (s *Settings) apply(file string, data []byte) error {
	keys, err := keysOf(data)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, k := range keys {
		key, value := k.key, k.value
		if seen[key.Value] {
			return fmt.Errorf("line %d: %q is set twice", key.Line, key.Value)
		}
		seen[key.Value] = true
		s.places[key.Value] = exit.Place{File: file, Line: key.Line}
		if flag := s.flags.Lookup(key.Value); flag != nil && key.Value == "seeds" {
			s.seedsConfigured = !flag.Changed
		}
		if err := applySetting(key, value, s.flags); err != nil {
			return err
		}
	}
	return nil
}

// All returns the flags of all groups. A configuration may set any of them, whatever command
// it is read for.
func All() *pflag.FlagSet {
	s := New(pflag.NewFlagSet("settings", pflag.ContinueOnError))
	s.RegisterAll()
	return s.flags
}

// applySetting sets one flag. If the command line has set it, or if the current command has
// no such flag, the value is only checked.
func applySetting(key, value *yaml.Node, flags *pflag.FlagSet) error {
	all := All()
	flag := all.Lookup(key.Value)
	if flag == nil || slices.Contains(notConfigurable, key.Value) {
		return unknownKey(key, all)
	}
	target := flags.Lookup(key.Value)
	if target != nil && target.Changed {
		target = nil
	}
	if p, ok := flag.Value.(*worldFlag); ok {
		if target != nil {
			p, _ = target.Value.(*worldFlag)
			target.Changed = true
		}
		return p.Read(p.plan, value)
	}
	values := []*yaml.Node{value}
	if _, list := flag.Value.(pflag.SliceValue); list && value.Kind == yaml.SequenceNode {
		values = value.Content
	}
	for _, v := range values {
		if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
			return fmt.Errorf("line %d: %s: want %s", v.Line, key.Value, Wanted(flag.Value.Type()))
		}
		if err := all.Set(key.Value, v.Value); err != nil {
			return fmt.Errorf("line %d: %s %q: want %s", v.Line, key.Value, human.Printable(v.Value), Wanted(flag.Value.Type()))
		}
		if target != nil {
			if err := flags.Set(key.Value, v.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// Keys lists the keys that a configuration file may set, in order.
func Keys(flags *pflag.FlagSet) []string {
	var keys []string
	flags.VisitAll(func(f *pflag.Flag) {
		_, world := f.Value.(*worldFlag)
		if (!f.Hidden || world) && !slices.Contains(notConfigurable, f.Name) {
			keys = append(keys, f.Name)
		}
	})
	slices.Sort(keys)
	return keys
}

// unknownKey returns an error that names the nearest known key.
func unknownKey(key *yaml.Node, all *pflag.FlagSet) error {
	if all.Lookup(key.Value) != nil {
		return fmt.Errorf("line %d: %q belongs on the command line, not in the configuration", key.Line, key.Value)
	}
	nearest, best := "", 0
	for _, known := range Keys(all) {
		if d := editDistance(key.Value, known); nearest == "" || d < best {
			nearest, best = known, d
		}
	}
	return fmt.Errorf("line %d: unknown key %q; the nearest known key is %q", key.Line, human.Printable(key.Value), nearest)
}

// editDistance is the Levenshtein distance over bytes; keys are ASCII.
func editDistance(a, b string) int {
	if len(a) > 256 { // no key is near
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

// worldFlag is a setting of the World as a hidden flag, which only configurations set.
type worldFlag struct {
	*worldfile.Setting
	plan *deploy.Plan
}

func (f *worldFlag) String() string { return "" }
func (f *worldFlag) Type() string   { return f.Key }

// Set reads the setting as YAML.
func (f *worldFlag) Set(text string) error {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return err
	}
	if len(document.Content) == 0 {
		return fmt.Errorf("%s: want YAML", f.Key)
	}
	return f.Read(f.plan, document.Content[0])
}

// DescribesWorld reports whether a flag stands for a key of the configuration that describes
// the World, and is not a flag of the command line.
func DescribesWorld(f *pflag.Flag) bool {
	_, ok := f.Value.(*worldFlag)
	return ok
}
