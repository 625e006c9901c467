package fuzzer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/files"
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
	entries, err := c.list()
	if err != nil && !os.IsNotExist(err) {
		return 0, "", fmt.Errorf("corpus not read: %w", err)
	}
	hash := sha256.New()
	for _, e := range entries { // in order of their names
		if !strings.HasSuffix(e.Name(), corpusSuffix) || !e.Type().IsRegular() {
			return 0, "", fmt.Errorf("%q in the corpus is not a saved input", e.Name())
		}
		text, err := c.text(e.Name())
		if err != nil {
			return 0, "", fmt.Errorf("%q in the corpus is not a saved input: %w", e.Name(), err)
		}
		fmt.Fprintf(hash, "%d %s %d ", len(e.Name()), e.Name(), len(text)) // with lengths, so that the hash is of an unambiguous text
		hash.Write(text)
	}
	return len(entries), hex.EncodeToString(hash.Sum(nil)), nil
}

// Load reads the saved inputs in the order of their names. Notes say which were left out
// and why.
func (c *Corpus) Load(space *input.Space) (seqs []input.Sequence, notes []string) {
	entries, err := c.list()
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

// list lists the folder, in order of the names. A symbolic link is not followed on the way.
func (c *Corpus) list() ([]fs.DirEntry, error) {
	folder, err := files.OpenFolder(c.Dir, false)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return fs.ReadDir(folder.FS(), ".")
}

// text reads a file of the folder.
func (c *Corpus) text(name string) ([]byte, error) {
	folder, err := files.OpenFolder(c.Dir, false)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return files.ReadIn(folder, name, maxCorpusFileSize)
}

func (c *Corpus) read(space *input.Space, name string) (input.Sequence, error) {
	text, err := c.text(name)
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
	folder, err := files.OpenFolder(c.Dir, true)
	if err != nil {
		return fmt.Errorf("corpus not saved: %w", err)
	}
	defer folder.Close()
	text := input.Format(space, seq)
	sum := sha256.Sum256([]byte(text))
	name := hex.EncodeToString(sum[:8]) + corpusSuffix
	if info, err := folder.Lstat(name); err == nil && info.Mode().IsRegular() {
		return nil
	}
	if err := atomicfile.WriteIn(folder, name, []byte(text)); err != nil {
		return fmt.Errorf("corpus not saved: %w", err)
	}
	return nil
}
