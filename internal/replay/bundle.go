package replay

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// Bundle is all files of a run, by path below the output folder with slashes. It can be
// written to a folder, or as one tar file with the SHA-256 of everything for those who
// have to vouch for it, which `sightline replay --bundle` reads.
type Bundle map[string][]byte

// SumsFile is the first file of a packed bundle: the checksums of all others, as
// sha256sum writes and checks them, so that a bundle can be verified without Sightline.
const SumsFile = "SHA256SUMS"

// Bounds of a bundle that is read. The files: one for each of 20,000 targets, to which a
// diff is cut, 5,000 findings, which is the most that code scanning keeps, and a few
// more. The bytes: a hundred times those of a project of a hundred contracts.
const (
	maxBundleFiles = 25_100
	maxBundleBytes = 1 << 30
	maxBundleName  = 300 // bytes of a path; file systems take 255 in a folder
)

// maxQuoted bounds a name of a stranger's file in an error, in characters; arbitrary.
const maxQuoted = 120

// Pack collects the files of a run: what [report.Render] made of its report, and those of
// its files that the report names. A reproducer or a case that the report does not name
// was withheld.
func Pack(r *report.Report, rendered map[string][]byte, f *Files) (Bundle, error) {
	b := Bundle{}
	maps.Copy(b, rendered)
	if f.World != nil {
		b[WorldFile] = f.World
	}
	if f.Snapshot != nil {
		data, err := f.Snapshot.Marshal()
		if err != nil {
			return nil, err
		}
		b[SnapshotFile] = data
	}
	for i := range r.Harnesses {
		if h := &r.Harnesses[i]; h.Source != "" {
			b[h.File+".txt"] = []byte(h.Source) // as a .sol file, the next run would take it for a source of the project
		}
	}
	for _, name := range named(r) {
		if reproducer := f.Reproducers[name]; reproducer != nil {
			data, err := reproducer.Marshal()
			if err != nil {
				return nil, err
			}
			b[name] = data
		} else if data := f.Cases[name]; data != nil {
			b[name] = data
		}
	}
	return b, nil
}

// named lists the paths that a report names.
func named(r *report.Report) []string {
	var names []string
	for i := range r.Targets {
		names = append(names, r.Targets[i].Reproducer)
	}
	for i := range r.Findings {
		names = append(names, r.Findings[i].Reproducer)
	}
	for i := range r.Clashes {
		names = append(names, r.Clashes[i].Reproducer)
	}
	for i := range r.Faults {
		names = append(names, r.Faults[i].File)
	}
	return names
}

// Marshal packs the bundle into a tar file. Equal bundles give equal bytes: the files are
// in order, and without times, owners and modes of their own.
func (b Bundle) Marshal() ([]byte, error) {
	var sums bytes.Buffer
	names := slices.Sorted(maps.Keys(b))
	for _, name := range names {
		if err := checkBundleName(name); err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(b[name]), name)
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	add := func(name string, data []byte) error {
		// No format is set: ustar, unless the name is too long for it.
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(data))})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	err := add(SumsFile, sums.Bytes())
	for _, name := range names {
		err = errors.Join(err, add(name, b[name]))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// WriteTar writes the packed bundle to a file, and returns its SHA-256 in hexadecimal.
func (b Bundle) WriteTar(path string) (string, error) {
	data, err := b.Marshal()
	if err != nil {
		return "", err
	}
	folder, err := files.OpenFolder(filepath.Dir(path), false)
	if err == nil {
		err = errors.Join(atomicfile.WriteIn(folder, filepath.Base(path), data), folder.Close())
	}
	if err != nil {
		return "", fmt.Errorf("the bundle %s cannot be written: %w; name another file with --bundle", path, err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// ReadBundle reads what [Bundle.Marshal] wrote. The file may come from anyone: only plain
// files with distinct paths below it are taken, within bounds, and only if they are
// exactly those that the checksums list. Nothing is written.
func ReadBundle(r io.Reader) (Bundle, error) {
	b := Bundle{}
	var sums []byte
	in, left := tar.NewReader(r), int64(maxBundleBytes)
	for n := 1; ; n++ {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d: not a tar file, or not all of one (uncompress it first if it is compressed): %w", n, err)
		}
		name := header.Name
		switch err := checkEntry(header, left); {
		case err != nil:
			return nil, fmt.Errorf("entry %d (%q): %w", n, human.Clean(name, maxQuoted), err)
		case n == 1 != (name == SumsFile):
			return nil, fmt.Errorf("entry %d (%q): %s must be the first file, and only that", n, human.Clean(name, maxQuoted), SumsFile)
		case b[name] != nil:
			return nil, fmt.Errorf("entry %d (%q): it occurs twice", n, human.Clean(name, maxQuoted))
		case n > maxBundleFiles:
			return nil, fmt.Errorf("more than %d files", maxBundleFiles)
		}
		left -= header.Size
		data, err := io.ReadAll(io.LimitReader(in, header.Size))
		if err != nil {
			return nil, fmt.Errorf("entry %d (%q): %w", n, human.Clean(name, maxQuoted), err)
		}
		if n == 1 {
			sums = data
			continue
		}
		b[name] = append([]byte{}, data...) // never nil
	}
	if sums == nil {
		return nil, errors.New("it is empty")
	}
	return b, b.verify(sums)
}

// checkEntry returns an error unless an entry is one that Marshal writes.
func checkEntry(header *tar.Header, left int64) error {
	if header.Typeflag != tar.TypeReg {
		return fmt.Errorf("a link, a folder or a device (type %q): a bundle has only plain files", header.Typeflag)
	}
	for key := range header.PAXRecords {
		if key != "path" { // such as that of a sparse file, whose few bytes become many
			return fmt.Errorf("it has the extension %q, which a bundle does not need", human.Clean(key, maxQuoted))
		}
	}
	if header.Size > left {
		return fmt.Errorf("more than %d bytes in all", int64(maxBundleBytes))
	}
	return checkBundleName(header.Name)
}

// checkBundleName returns an error unless a path leads below the bundle's folder, on any
// system, and is a single word in a line of SumsFile.
func checkBundleName(name string) error {
	if !fs.ValidPath(name) || name == "." {
		return errors.New("not a path below the bundle")
	}
	if len(name) > maxBundleName {
		return fmt.Errorf("a path of %d bytes, at most %d are read", len(name), maxBundleName)
	}
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/"
	if strings.Trim(name, allowed) != "" {
		return errors.New("a path with characters other than letters, digits, dots, hyphens and underscores")
	}
	return nil
}

// verify returns an error unless the files are those that the checksums list.
func (b Bundle) verify(sums []byte) error {
	listed := map[string]bool{}
	for line := range strings.Lines(string(sums)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || listed[name] {
			return fmt.Errorf("%s: %q is not a line of it, or occurs twice", SumsFile, human.Clean(line, maxQuoted))
		}
		listed[name] = true
		data := b[name]
		if data == nil {
			return fmt.Errorf("%s lists %q, which is missing", SumsFile, human.Clean(name, maxQuoted))
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != sum {
			return fmt.Errorf("%q was changed: its SHA-256 is %s, and %s says %s", name, got, SumsFile, human.Clean(sum, maxQuoted))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if !listed[name] {
			return fmt.Errorf("%q is not listed in %s", name, SumsFile)
		}
	}
	return nil
}
