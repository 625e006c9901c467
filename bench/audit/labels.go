package main

import (
	"bufio"
	"bytes"
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

// read collects the samples of a folder: of a file with labels, of the registry's pages, or of
// folders that are named by weakness.
func read(folder, labels string, weaknesses map[string]string) ([]sample, error) {
	if labels != "" {
		return readLabels(folder, labels)
	}
	pages, err := filepath.Glob(filepath.Join(folder, "entries", "docs", "SWC-*.md"))
	if err != nil {
		return nil, err
	}
	if len(pages) == 0 {
		if pages, err = filepath.Glob(filepath.Join(folder, "SWC-*.md")); err != nil {
			return nil, err
		}
	}
	if len(pages) > 0 {
		return readPages(pages)
	}
	return readFolders(folder, weaknesses)
}

// readLabels reads lines such as "a/Vault.sol 107,104" and "a/Vault_2.sol 107 fixed".
func readLabels(folder, labels string) ([]sample, error) {
	data, err := os.ReadFile(labels)
	if err != nil {
		return nil, err
	}
	var samples []sample
	in := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; in.Scan(); n++ {
		fields := strings.Fields(in.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 2 || len(fields) > 3 || len(fields) == 3 && fields[2] != "fixed" {
			return nil, fmt.Errorf("%s:%d: want a file, numbers separated by commas, and optionally the word fixed", labels, n)
		}
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(fields[0])))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", labels, n, err)
		}
		samples = append(samples, sample{fields[0], path.Base(fields[0]), string(text), strings.Split(fields[1], ","), len(fields) == 3})
	}
	return samples, in.Err()
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
