package fuzzer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/input"
)

// Corpus is a folder of saved inputs: one file each in the text form of
// fuzzer/input, named by the hash of its content. Files are written whole or not
// at all. Anyone may have written them: what does not fit the present build is
// left out with a note and never breaks a run.
type Corpus struct{ Dir string }

// Bounds of what is read. A campaign saves a few hundred inputs; the file size
// is that of the largest sequence that input.Parse takes.
const (
	maxCorpusFiles    = 16_384
	maxCorpusFileSize = 1 << 20
)

const corpusSuffix = ".seq"

// Load reads the saved inputs in the order of their names. Notes say what was
// left out and why.
func (c *Corpus) Load(space *input.Space) (seqs []input.Sequence, notes []string) {
	entries, err := os.ReadDir(c.Dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, []string{fmt.Sprintf("corpus not read: %v", err)}
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), corpusSuffix) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	if len(names) > maxCorpusFiles {
		notes = append(notes, fmt.Sprintf("corpus has %d files: the first %d are used", len(names), maxCorpusFiles))
		names = names[:maxCorpusFiles]
	}
	misfits := 0
	for _, name := range names {
		seq, err := c.read(space, name)
		if err != nil {
			if misfits++; misfits <= 3 { // examples; the sum follows
				notes = append(notes, fmt.Sprintf("corpus file %s left out: %v", name, err))
			}
			continue
		}
		seqs = append(seqs, seq)
	}
	if misfits > 3 {
		notes = append(notes, fmt.Sprintf("%d of %d corpus files do not fit this build and were left out", misfits, len(names)))
	}
	return seqs, notes
}

func (c *Corpus) read(space *input.Space, name string) (input.Sequence, error) {
	path := filepath.Join(c.Dir, name)
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxCorpusFileSize {
		return nil, fmt.Errorf("%d bytes, at most %d are read", info.Size(), maxCorpusFileSize)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return input.Parse(space, string(text))
}

// Save writes an input, unless it is there already.
func (c *Corpus) Save(space *input.Space, seq input.Sequence) error {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return fmt.Errorf("corpus not saved: %w", err)
	}
	text := input.Format(space, seq)
	sum := sha256.Sum256([]byte(text))
	path := filepath.Join(c.Dir, hex.EncodeToString(sum[:8])+corpusSuffix)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := writeWhole(path, []byte(text)); err != nil {
		return fmt.Errorf("corpus not saved: %w", err)
	}
	return nil
}

// writeWhole writes a file so that it is there with all its content or not at
// all, whenever the process is killed.
func writeWhole(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
