package fuzzer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/input"

	"github.com/sightline-evm/sightline/internal/atomicfile"
)

// Corpus is a folder of saved inputs: one file each in the text form of fuzzer/input,
// named by the hash of its content. Files are written atomically. They are untrusted: a
// file that cannot be used is skipped with a note and never breaks a run.
type Corpus struct {
	Dir string
	// Withhold keeps inputs in which an oracle sees something out of the folder: they may
	// be exploits of deployed contracts, and others may read the folder.
	Withhold bool
}

// Bounds of what is read. A campaign saves a few hundred inputs; the file size
// is that of the largest sequence that input.Parse takes.
const (
	maxCorpusFiles    = 16_384
	maxCorpusFileSize = 1 << 20
)

const corpusSuffix = ".seq"

// Sum returns the number of saved inputs and the SHA-256 of all their names and texts,
// in hexadecimal, for comparing folders. It is an error if the folder holds anything
// else; a folder that does not exist has no inputs.
func (c *Corpus) Sum() (files int, sum string, err error) {
	entries, err := os.ReadDir(c.Dir)
	if err != nil && !os.IsNotExist(err) {
		return 0, "", fmt.Errorf("corpus not read: %w", err)
	}
	hash := sha256.New()
	for _, e := range entries { // in order of their names
		path := filepath.Join(c.Dir, e.Name())
		info, err := os.Lstat(path)
		if err != nil {
			return 0, "", fmt.Errorf("corpus not read: %w", err)
		}
		if !strings.HasSuffix(e.Name(), corpusSuffix) || !info.Mode().IsRegular() || info.Size() > maxCorpusFileSize {
			return 0, "", fmt.Errorf("%q in the corpus is not a saved input", e.Name())
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, "", fmt.Errorf("corpus not read: %w", err)
		}
		fmt.Fprintf(hash, "%d %s %d ", len(e.Name()), e.Name(), len(text)) // with lengths, so that the hash is of an unambiguous text
		hash.Write(text)
	}
	return len(entries), hex.EncodeToString(hash.Sum(nil)), nil
}

// Load reads the saved inputs in the order of their names. Notes say which were left out
// and why.
func (c *Corpus) Load(space *input.Space) (seqs []input.Sequence, notes []string) {
	entries, err := os.ReadDir(c.Dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, []string{fmt.Sprintf("corpus not read: %v", err)}
	}
	var names []string // in order
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), corpusSuffix) {
			names = append(names, e.Name())
		}
	}
	if len(names) > maxCorpusFiles {
		notes = append(notes, fmt.Sprintf("corpus has %d files: the first %d are used", len(names), maxCorpusFiles))
		names = names[:maxCorpusFiles]
	}
	misfits, stale := 0, 0
	for _, name := range names {
		seq, err := c.read(space, name)
		var older *input.StaleError
		if errors.As(err, &older) && len(seq) > 0 {
			stale++
			err = nil
		}
		if err != nil {
			if misfits++; misfits <= maxExamples {
				notes = append(notes, fmt.Sprintf("corpus file %q left out: %v", name, err))
			}
			continue
		}
		seqs = append(seqs, seq)
	}
	if misfits > maxExamples {
		notes = append(notes, fmt.Sprintf("%d of %d corpus files were left out", misfits, len(names)))
	}
	if stale > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d corpus files were written for another build: their calls that still fit are used", stale, len(names)))
	}
	return seqs, notes
}

// maxExamples bounds the notes about single files that were left out. Arbitrary.
const maxExamples = 3

func (c *Corpus) read(space *input.Space, name string) (input.Sequence, error) {
	path := filepath.Join(c.Dir, name)
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	if info.Size() > maxCorpusFileSize {
		return nil, fmt.Errorf("%d bytes, at most %d are read", info.Size(), maxCorpusFileSize)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	seq, err := input.Parse(space, string(text))
	if err == nil && len(seq) == 0 {
		err = errors.New("it has no calls")
	}
	return seq, err
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
	if err := atomicfile.Write(path, []byte(text)); err != nil {
		return fmt.Errorf("corpus not saved: %w", err)
	}
	return nil
}
