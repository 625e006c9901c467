package report

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/internal/atomicfile"
)

// Names of the files that [Write] writes.
const (
	JSONFile    = "report.json"
	SARIFFile   = "sightline.sarif"
	CommentFile = "comment.md"
	SummaryFile = "summary.md"
	WorldFile   = "world.yml"
)

// Write writes report.json, sightline.sarif, comment.md, summary.md and, where the
// options have it, world.yml into the folder dir, which is made if it is not there. Each file appears whole or not at
// all: it is written beside its place and renamed. All are rendered before the
// first is written.
func Write(dir string, r *Report, o Options) error {
	files, err := render(r, o)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return outputError(dir, err)
	}
	for _, f := range files {
		if err := writeFile(dir, f.name, f.data); err != nil {
			return err
		}
	}
	if o.World == nil { // an earlier run's would be taken for this one's
		if err := os.Remove(filepath.Join(dir, WorldFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return outputError(filepath.Join(dir, WorldFile), err)
		}
	}
	return o.Cases.write(dir, r)
}

// outputFile is a file of the output folder.
type outputFile struct {
	name string
	data []byte
}

// render makes the files that Write writes.
func render(r *Report, o Options) ([]outputFile, error) {
	if o.OmitTimes {
		r = normalize(r)
		dropTimes(r)
	}
	var data bytes.Buffer
	if err := WriteJSON(&data, r, o.OmitTimes); err != nil {
		return nil, err
	}
	alerts, err := SARIF(r, o)
	if err != nil {
		return nil, err
	}
	files := []outputFile{
		{JSONFile, data.Bytes()},
		{SARIFFile, alerts},
		{CommentFile, Comment(r, o)},
		{SummaryFile, Summary(r, o)},
	}
	if o.World != nil {
		files = append(files, outputFile{WorldFile, o.World})
	}
	return files, nil
}

// outputError says what could not be written, why, and what to do.
func outputError(path string, err error) error {
	cause := err // without the name of the temporary file
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		cause = pathErr.Err
	case errors.As(err, &linkErr):
		cause = linkErr.Err
	}
	return fmt.Errorf("cannot write %s: %w; name a folder that can be written with --out", path, cause)
}

// writeFile writes data to the file name below dir, whose folder must exist.
func writeFile(dir, name string, data []byte) error {
	path := filepath.Join(dir, name)
	if err := atomicfile.Write(path, data); err != nil {
		return outputError(path, err)
	}
	return nil
}
