package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
)

// Faults lists all that is wrong with a configuration file, where a run ends with the first: unknown
// keys, values that a key does not take, and files that it names and that do not exist, each with its
// line as far as that is known. root is the project's folder. Nothing is set, and nothing is created.
func Faults(root, file string, data []byte) []exit.Place {
	keys, err := keysOf(data)
	if err != nil {
		return []exit.Place{placeOf(file, 0, err)}
	}
	var found []exit.Place
	seen := map[string]bool{}
	whole := silent(root)
	for _, k := range keys {
		switch {
		case seen[k.key.Value]:
			found = append(found, exit.Place{File: file, Line: k.key.Line, Text: fmt.Sprintf("%q is set twice", human.Printable(k.key.Value))})
			continue
		default:
			seen[k.key.Value] = true
		}
		if err := applySetting(k.key, k.value, whole.flags); err != nil {
			found = append(found, placeOf(file, k.key.Line, err))
		}
	}
	if err := whole.checkValues(); err == nil {
		return found
	}
	// Which of them it is shows where each is alone; what only several together do has no line.
	located := false
	for _, k := range keys {
		alone := silent(root)
		if applySetting(k.key, k.value, alone.flags) != nil {
			continue
		}
		if alone.timeout == 0 {
			alone.options.Campaign.Calls = max(1, whole.options.Campaign.Calls) // with a limit of calls, no time is needed
		}
		if err := alone.checkValues(); err != nil {
			found, located = append(found, placeOf(file, k.key.Line, err)), true
		}
	}
	if !located {
		found = append(found, placeOf(file, 0, whole.checkValues()))
	}
	slices.SortStableFunc(found, func(a, b exit.Place) int { return a.Line - b.Line })
	return found
}

// keyed is a key of a configuration with its value.
type keyed struct{ key, value *yaml.Node }

// keysOf reads a configuration's keys in order.
func keysOf(data []byte) ([]keyed, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 {
		return nil, nil // empty, or comments only
	}
	settings := document.Content[0]
	if settings.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: want settings as `key: value`", settings.Line)
	}
	var keys []keyed
	for i := 0; i+1 < len(settings.Content); i += 2 {
		keys = append(keys, keyed{settings.Content[i], settings.Content[i+1]})
	}
	return keys, nil
}

// silent are settings of all groups that are only looked at.
func silent(root string) *Settings {
	s := New(pflag.NewFlagSet("settings", pflag.ContinueOnError))
	s.RegisterAll()
	s.options.Change.Root, s.onlyLookedAt = root, true
	return s
}

// checkValues checks what a file sets as a run does, but for what the command line alone decides.
func (s *Settings) checkValues() error {
	if s.options.World.Block != 0 {
		s.options.World.RPC = "http://localhost" // which the command line gives: a file may well name the block alone
	}
	_, waivers := s.readWaivers()
	return errors.Join(s.check(), waivers)
}

// placeOf is an error of a file, on the line that it names, or else on the key's.
func placeOf(file string, line int, err error) exit.Place {
	text := human.OneLine(err)
	if m := numbered.FindString(text); m != "" && lineIn(text) > 0 {
		line, text = lineIn(text), text[len(m):]
	}
	return exit.Place{File: file, Line: line, Text: human.Printable(strings.TrimPrefix(text, "--"))}
}
