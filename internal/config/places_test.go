package config

import (
	"io"
	"testing"

	"github.com/spf13/pflag"

	"github.com/sightline-evm/sightline/internal/exit"
)

// TestPlaces: errors of the files that people write know their line.
func TestPlaces(t *testing.T) {
	for config, line := range map[string]int{
		"fail-on: high\ntimeoutt: 3\n":             2,
		"fail-on: high\nworkers: many\n":           2,
		"fail-on: high\nx: [\n":                    2,
		"seed: 3\n# a comment\ngate: reached >=\n": 3,
	} {
		s := New(pflag.NewFlagSet("test", pflag.ContinueOnError))
		s.RegisterAll()
		s.flags.SetOutput(io.Discard)
		err := s.Apply("sightline.yml", []byte(config))
		if err == nil {
			_, err = s.Resolve()
		}
		if places := exit.Places(err); len(places) != 1 || places[0].File != "sightline.yml" || places[0].Line != line {
			t.Errorf("%q: %v at %v, want line %d", config, err, places, line)
		}
	}
	const entry = "  - id: SL-1\n    reason: r\n    owner: o\n    expires: 2030-01-01\n"
	for waivers, line := range map[string]int{
		"waivers:\n" + entry + "  - id: SL-2\n    reason: r\n": 6,
		"waivers:\n" + entry + "    expire: 2030-01-01\n":      6,
		"waivers:\n" + entry + entry:                           6,
	} {
		s := &Settings{waivers: "waivers.yml", ReadBase: func(string) ([]byte, error) { return []byte(waivers), nil }}
		_, err := s.readWaivers()
		if places := exit.Places(err); len(places) != 1 || places[0].File != "waivers.yml" || places[0].Line != line {
			t.Errorf("%q: %v at %v, want line %d", waivers, err, places, line)
		}
	}
}
