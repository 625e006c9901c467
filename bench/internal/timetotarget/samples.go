package timetotarget

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/sightline-evm/sightline/fuzzer"
)

// Key names a campaign in a file of samples.
type Key struct {
	Target   string
	Schedule string
	Without  fuzzer.Techniques
	Seed     uint64
}

// record is a line of the file: one JSON object with the fields of both.
type record struct {
	Key
	Sample
}

// Keep writes a campaign's outcome to a file of samples.
func Keep(out io.Writer, k Key, s Sample) error {
	return json.NewEncoder(out).Encode(record{k, s})
}

// OpenSamples reads the campaigns of earlier runs and opens the file for more. Without a name, nothing is kept.
func OpenSamples(name string) (map[Key]Sample, *os.File, error) {
	if name == "" {
		return nil, nil, nil
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	known, err := ReadSamples(name, file)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return known, file, nil
}

// ReadSamples reads a file of samples; the name is for errors.
func ReadSamples(name string, in io.Reader) (map[Key]Sample, error) {
	known := map[Key]Sample{}
	scanner := bufio.NewScanner(in)
	for line := 1; scanner.Scan(); line++ {
		var r record
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s:%d: not a sample of a campaign: %w", name, line, err)
		}
		known[r.Key] = r.Sample
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return known, nil
}
