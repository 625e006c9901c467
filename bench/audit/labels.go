package main

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// sample is a source that is known to have a weakness, or not to have it.
type sample struct {
	name     string // in the table
	file     string // that its text is written to
	text     string
	expected []string // numbers of the Smart Contract Weakness registry
	fixed    bool     // it does not have them
}

// known are files that say of samples of others what they do not say themselves, in the form of [readNotes].
//
//go:embed labels/*.txt
var known embed.FS

// read collects the samples of a folder: of a file with labels, of the registry's pages, or of
// folders that are named by weakness. What [known] files, or labels in the case of pages, say of a sample is in place of that.
func read(folder, labels string, weaknesses map[string]string) ([]sample, error) {
	pages, err := filepath.Glob(filepath.Join(folder, "entries", "docs", "SWC-*.md"))
	if err != nil {
		return nil, err
	}
	if len(pages) == 0 {
		if pages, err = filepath.Glob(filepath.Join(folder, "SWC-*.md")); err != nil {
			return nil, err
		}
	}
	if labels != "" && len(pages) == 0 {
		return readLabels(folder, labels)
	}
	var samples []sample
	if len(pages) > 0 {
		samples, err = readPages(pages)
	} else {
		samples, err = readFolders(folder, weaknesses)
	}
	if err != nil {
		return nil, err
	}
	if labels != "" {
		data, err := os.ReadFile(labels)
		if err != nil {
			return nil, err
		}
		notes, err := readNotes(labels, data)
		if err != nil {
			return nil, err
		}
		if missing := relabel(samples, notes); missing != "" {
			return nil, fmt.Errorf("%s: %s has no sample %s", labels, folder, missing)
		}
		return samples, nil
	}
	return samples, relabelKnown(samples)
}

// relabelKnown applies those of the [known] files of which all samples are there: the names tell whose they are.
func relabelKnown(samples []sample) error {
	files, err := fs.Glob(known, "labels/*.txt")
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := known.ReadFile(file)
		if err != nil {
			return err
		}
		notes, err := readNotes(file, data)
		if err != nil {
			return err
		}
		if changed := slices.Clone(samples); relabel(changed, notes) == "" {
			copy(samples, changed)
		}
	}
	return nil
}

// relabel puts what notes say in place of what samples are said to have; missing is the name of a note that there is no sample of.
func relabel(samples []sample, notes []note) (missing string) {
	for i := range notes {
		at := slices.IndexFunc(samples, func(s sample) bool { return s.name == notes[i].name })
		if at < 0 {
			return notes[i].name
		}
		samples[at].expected, samples[at].fixed = notes[i].expected, notes[i].fixed
	}
	return ""
}

// note is what a line says of a sample.
type note struct {
	name     string
	expected []string
	fixed    bool
}

// readNotes reads lines such as "a/Vault.sol 107,104" and "a/Vault_2.sol 107 fixed # a reason". "-" in place of numbers says that
// a sample counts neither way.
func readNotes(file string, data []byte) (notes []note, err error) {
	in := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; in.Scan(); n++ {
		text, _, _ := strings.Cut(in.Text(), "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 2 || len(fields) > 3 || len(fields) == 3 && fields[2] != "fixed" {
			return nil, fmt.Errorf("%s:%d: want a file, numbers separated by commas, and optionally the word fixed", file, n)
		}
		known := note{name: fields[0], fixed: len(fields) == 3}
		if fields[1] != "-" {
			known.expected = strings.Split(fields[1], ",")
		}
		notes = append(notes, known)
	}
	return notes, in.Err()
}

// readLabels reads the samples that a file with labels names.
func readLabels(folder, labels string) ([]sample, error) {
	data, err := os.ReadFile(labels)
	if err != nil {
		return nil, err
	}
	notes, err := readNotes(labels, data)
	if err != nil {
		return nil, err
	}
	var samples []sample
	for i := range notes {
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(notes[i].name)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", labels, err)
		}
		samples = append(samples, sample{notes[i].name, path.Base(notes[i].name), string(text), notes[i].expected, notes[i].fixed})
	}
	return samples, nil
}

var (
	pageName = regexp.MustCompile(`SWC-(\d+)\.md$`)
	heading  = regexp.MustCompile(`^###+\s+(\S+\.sol)\s*$`)
)

// readPages reads pages of the registry: Solidity in fences, each below a heading with a file's name.
func readPages(pages []string) ([]sample, error) {
	var samples []sample
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		number := pageName.FindStringSubmatch(page)
		if number == nil {
			continue
		}
		samples = append(samples, samplesOf(string(data), number[1])...)
	}
	return samples, nil
}

// samplesOf are the samples of a page.
func samplesOf(page, number string) []sample {
	var samples []sample
	file, code := "", false
	var text []string
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\r\n")
		switch m := heading.FindStringSubmatch(line); {
		case !code && m != nil:
			file = m[1]
		case !code && file != "" && strings.HasPrefix(line, "```"):
			code, text = true, nil
		case code && strings.HasPrefix(line, "```"):
			samples = append(samples, sample{"SWC-" + number + "/" + file, file, strings.Join(text, "\n") + "\n", []string{number}, isFixed(file)})
			file, code = "", false
		case code:
			text = append(text, line)
		}
	}
	return samples
}

// fixedWords are parts of a file's name that say that it does not have the weakness.
var fixedWords = []string{"fixed", "_ok.", "not_vulnerable", "infeasible", "false_positive"}

func isFixed(file string) bool {
	return slices.ContainsFunc(fixedWords, func(word string) bool { return strings.Contains(strings.ToLower(file), word) })
}

// byFolder are weaknesses by the names that folders have; a name that is not listed has none.
var byFolder = map[string]string{
	"arithmetic": "101", "integer_overflow": "101", "unchecked_external_call": "104", "unchecked_low_level_calls": "104",
	"access_control": "105", "unprotected_function": "105", "wrong_constructor_name": "118", "reentrancy": "107",
	"denial_of_service": "113", "race_condition": "114", "front_running": "114", "bad_randomness": "120", "time_manipulation": "116",
	"variable shadowing": "119", "forced_ether_reception": "132",
}

// readFolders reads folders that are named by a weakness; weaknesses are names besides [byFolder].
func readFolders(folder string, weaknesses map[string]string) ([]sample, error) {
	var samples []sample
	err := filepath.WalkDir(folder, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(file) != ".sol" {
			return err
		}
		below, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		below = filepath.ToSlash(below)
		name, _, _ := strings.Cut(below, "/")
		number := weaknesses[name]
		if number == "" {
			number = byFolder[name]
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		s := sample{name: below, file: path.Base(below), text: string(text), fixed: isFixed(below)}
		if number != "" {
			s.expected = []string{number}
		}
		samples = append(samples, s)
		return nil
	})
	return samples, err
}
