package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
	"go.yaml.in/yaml/v3"
)

// maxWaivers bounds the waivers of a file; arbitrary: people do not review more.
const maxWaivers = 1000

// waiverEntry is a waiver as written in its file.
type waiverEntry struct {
	ID       string `yaml:"id"`
	Reason   string `yaml:"reason"`
	Owner    string `yaml:"owner"`
	Expires  string `yaml:"expires"`
	Contract string `yaml:"contract"`

	Fingerprint string `yaml:"fingerprint"`
	Allow       string `yaml:"allow"`
}

// readWaivers reads the waivers file; it returns none if no file is named.
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
		return nil, exit.At(exit.BadInput("--waivers %s: %w", human.Printable(s.waivers), err), exit.Place{File: s.waivers, Line: waiverLine(data, err)})
	}
	return waivers, nil
}

// parseWaivers reads waivers strictly: a misspelled key could drop an expiry date.
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
		return nil, fmt.Errorf("want waivers with id or allow, reason, owner, expires and optionally contract and fingerprint: %s", human.Printable(yamlProblem(err)))
	case len(file.Waivers) > maxWaivers:
		return nil, fmt.Errorf("it has %d waivers; the limit is %d", len(file.Waivers), maxWaivers)
	}
	seen := map[string]bool{}
	var waivers []report.Waiver
	for i, entry := range file.Waivers {
		w := report.Waiver{ID: entry.ID, Reason: entry.Reason, Owner: entry.Owner, Expires: entry.Expires, Contract: entry.Contract, Fingerprint: entry.Fingerprint, Allow: entry.Allow}
		if err := w.Check(); err != nil {
			return nil, &badWaiver{i, fmt.Errorf("waiver %d (%s): %w", i+1, human.Printable(cmp.Or(w.ID, w.Allow)), err)}
		}
		what := cmp.Or(w.ID, w.Allow)
		if seen[what+" "+w.Contract] {
			return nil, &badWaiver{i, fmt.Errorf("waiver %d: %s is waived twice", i+1, human.Printable(what))}
		}
		seen[what+" "+w.Contract] = true
		waivers = append(waivers, w)
	}
	return waivers, nil
}

// yamlProblem describes the first problem in the file, without names of our Go types.
func yamlProblem(err error) string {
	var mismatch *yaml.TypeError
	if errors.As(err, &mismatch) && len(mismatch.Errors) > 0 {
		text, _, _ := strings.Cut(mismatch.Errors[0], " in type ")
		return text
	}
	return strings.TrimPrefix(err.Error(), "yaml: ")
}

// badWaiver is the error of one waiver, by its index.
type badWaiver struct {
	index int
	err   error
}

func (b *badWaiver) Error() string { return b.err.Error() }
func (b *badWaiver) Unwrap() error { return b.err }

// wrongLine is how package yaml names the line of a problem.
var wrongLine = regexp.MustCompile(`\bline (\d{1,7}):`)

// waiverLine is the line of a file of waivers that an error of parseWaivers is about; 0: of none.
func waiverLine(data []byte, err error) int {
	var bad *badWaiver
	if !errors.As(err, &bad) {
		if m := wrongLine.FindStringSubmatch(err.Error()); m != nil {
			line, _ := strconv.Atoi(m[1]) // digits, and few
			return line
		}
		return 0
	}
	var lines struct {
		Waivers []yaml.Node `yaml:"waivers"`
	}
	if yaml.Unmarshal(data, &lines) != nil || bad.index >= len(lines.Waivers) {
		return 0
	}
	return lines.Waivers[bad.index].Line
}
