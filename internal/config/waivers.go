package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
	"go.yaml.in/yaml/v3"
)

// maxWaivers bounds the waivers of a file; arbitrary: more than reviewers read.
const maxWaivers = 1000

// waiverEntry is a waiver in its file's form.
type waiverEntry struct {
	ID       string `yaml:"id"`
	Reason   string `yaml:"reason"`
	Owner    string `yaml:"owner"`
	Expires  string `yaml:"expires"`
	Contract string `yaml:"contract"`
}

// readWaivers reads the file of waivers; none without a file.
func (s *Settings) readWaivers() ([]report.Waiver, error) {
	if s.waivers == "" {
		return nil, nil
	}
	read := s.ReadBase
	if read == nil {
		read = func(name string) ([]byte, error) {
			if !filepath.IsAbs(name) {
				name = filepath.Join(s.options.Change.Root, filepath.FromSlash(name))
			}
			data, err := files.ReadBounded(name, MaxFile)
			return data, files.Plain(err)
		}
	}
	data, err := read(s.waivers)
	if err != nil {
		return nil, exit.BadInput("--waivers %s: %w", human.Printable(s.waivers), err)
	}
	waivers, err := parseWaivers(data)
	if err != nil {
		return nil, exit.BadInput("--waivers %s: %w", human.Printable(s.waivers), err)
	}
	return waivers, nil
}

// parseWaivers reads waivers, strictly: a misspelt key could leave out a day.
func parseWaivers(data []byte) ([]report.Waiver, error) {
	var file struct {
		Waivers []waiverEntry `yaml:"waivers"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	switch err := decoder.Decode(&file); {
	case errors.Is(err, io.EOF):
		return nil, nil // empty, or comments only
	case err != nil:
		return nil, fmt.Errorf("want waivers with id, reason, owner, expires and optionally contract: %s", human.Printable(yamlProblem(err)))
	case len(file.Waivers) > maxWaivers:
		return nil, fmt.Errorf("it has %d waivers; the limit is %d", len(file.Waivers), maxWaivers)
	}
	seen := map[string]bool{}
	var waivers []report.Waiver
	for i, entry := range file.Waivers {
		w := report.Waiver{ID: entry.ID, Reason: entry.Reason, Owner: entry.Owner, Expires: entry.Expires, Contract: entry.Contract}
		if err := w.Check(); err != nil {
			return nil, fmt.Errorf("waiver %d (%s): %w", i+1, human.Printable(w.ID), err)
		}
		if seen[w.ID+" "+w.Contract] {
			return nil, fmt.Errorf("waiver %d: %s is waived twice", i+1, human.Printable(w.ID))
		}
		seen[w.ID+" "+w.Contract] = true
		waivers = append(waivers, w)
	}
	return waivers, nil
}

// yamlProblem is the first problem of a YAML file, without the program's own names.
func yamlProblem(err error) string {
	var mismatch *yaml.TypeError
	if errors.As(err, &mismatch) && len(mismatch.Errors) > 0 {
		text, _, _ := strings.Cut(mismatch.Errors[0], " in type ")
		return text
	}
	return strings.TrimPrefix(err.Error(), "yaml: ")
}
