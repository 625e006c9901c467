package report

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
	"slices"
	"strings"

	"github.com/sightline-evm/sightline/internal/atomicfile"
	"github.com/sightline-evm/sightline/internal/human"
)

// Archive is a run in one file, for whoever has to vouch for it: what [Write] and
// [WriteReproducers] leave in the output folder, by path, and the SHA-256 of
// everything. `sightline replay --bundle` reads it.
type Archive map[string][]byte

// SumsFile is an archive's first file: the checksums of all others, as sha256sum
// writes and checks them, so that it can be verified without Sightline.
const SumsFile = "SHA256SUMS"

// Bounds of an archive that is read, from anywhere. The files: one for each of 20,000
// targets, which is what a diff is cut to, 5,000 findings, which is what code scanning
// keeps, and a few more. The bytes: a hundred times what a hundred contracts take.
const (
	maxArchiveFiles = 25_100
	maxArchiveBytes = 1 << 30
	maxArchiveName  = 300 // bytes; file systems take 255 in a folder
)

// Pack collects the files of a run. The bundle is nil where nothing was fuzzed.
func Pack(r *Report, o Options, bundle *Bundle, reproducers map[string]*Reproducer) (Archive, error) {
	files, err := render(r, o)
	if err != nil {
		return nil, err
	}
	a := Archive{}
	for _, f := range files {
		a[f.name] = f.data
	}
	maps.Copy(a, o.Cases.named(r))
	if bundle == nil {
		return a, nil
	}
	more, err := marshalReproducers(bundle, reproducers)
	maps.Copy(a, more)
	return a, err
}

// Marshal is the archive as a tar file. Equal archives give equal bytes: the files
// are in order, and without times, owners and modes of their own.
func (a Archive) Marshal() ([]byte, error) {
	var sums bytes.Buffer
	names := slices.Sorted(maps.Keys(a))
	for _, name := range names {
		if err := checkArchiveName(name); err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(a[name]), name)
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	add := func(name string, data []byte) error {
		// Without a format of its own: ustar, but for a name that is too long for it.
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(data))})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	err := add(SumsFile, sums.Bytes())
	for _, name := range names {
		err = errors.Join(err, add(name, a[name]))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Write writes the archive to a file, and returns its SHA-256 in hexadecimal.
func (a Archive) Write(path string) (string, error) {
	data, err := a.Marshal()
	if err != nil {
		return "", err
	}
	if err := atomicfile.Write(path, data); err != nil {
		return "", fmt.Errorf("the bundle %s cannot be written: %w; name another file with --bundle", path, err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// ReadArchive reads what Marshal wrote. Anyone may have written it: only plain files
// with paths of their own below it are taken, within bounds, and only if they are
// exactly those that the checksums are of. Nothing is written anywhere.
func ReadArchive(r io.Reader) (Archive, error) {
	a := Archive{}
	var sums []byte
	in, left := tar.NewReader(r), int64(maxArchiveBytes)
	for n := 1; ; n++ {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d: not a tar file, or not all of one (a compressed one has to be unpacked first): %w", n, err)
		}
		name := header.Name
		switch err := checkEntry(header, left); {
		case err != nil:
			return nil, fmt.Errorf("entry %d (%q): %w", n, human.Clean(name, maxName), err)
		case n == 1 != (name == SumsFile):
			return nil, fmt.Errorf("entry %d (%q): the first file, and no other, has to be %s", n, human.Clean(name, maxName), SumsFile)
		case a[name] != nil:
			return nil, fmt.Errorf("entry %d (%q): it is there already", n, human.Clean(name, maxName))
		case n > maxArchiveFiles:
			return nil, fmt.Errorf("more than %d files", maxArchiveFiles)
		}
		left -= header.Size
		data, err := io.ReadAll(io.LimitReader(in, header.Size))
		if err != nil {
			return nil, fmt.Errorf("entry %d (%q): %w", n, human.Clean(name, maxName), err)
		}
		if n == 1 {
			sums = data
			continue
		}
		a[name] = append([]byte{}, data...) // never nil
	}
	if sums == nil {
		return nil, errors.New("it is empty")
	}
	return a, a.verify(sums)
}

// checkEntry reports whether an entry is one that Marshal writes.
func checkEntry(header *tar.Header, left int64) error {
	if header.Typeflag != tar.TypeReg {
		return fmt.Errorf("a link, a folder or a device (type %q): only plain files belong into a bundle", header.Typeflag)
	}
	for key := range header.PAXRecords {
		if key != "path" { // such as a sparse file's, of which a few bytes make many
			return fmt.Errorf("it has the extension %q, which a bundle does not need", human.Clean(key, maxName))
		}
	}
	if header.Size > left {
		return fmt.Errorf("more than %d bytes in all", int64(maxArchiveBytes))
	}
	return checkArchiveName(header.Name)
}

// checkArchiveName reports whether a path is below the archive, on any system, and
// nothing but letters to a line of SumsFile.
func checkArchiveName(name string) error {
	if !fs.ValidPath(name) || name == "." {
		return errors.New("a path that leads out of the bundle, or is none")
	}
	if len(name) > maxArchiveName {
		return fmt.Errorf("a path of %d bytes, at most %d are taken", len(name), maxArchiveName)
	}
	if i := strings.IndexFunc(name, func(r rune) bool {
		return r >= 0x80 || !isLetter(byte(r)) && (r < '0' || r > '9') && !strings.ContainsRune("._-/", r)
	}); i >= 0 {
		return errors.New("a path with other characters than letters, digits, dots, hyphens and underscores")
	}
	return nil
}

// verify reports whether the files are those that the checksums are of.
func (a Archive) verify(sums []byte) error {
	listed := map[string]bool{}
	for line := range strings.Lines(string(sums)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || listed[name] {
			return fmt.Errorf("%s: %q is no line of it, or twice", SumsFile, human.Clean(line, maxName))
		}
		listed[name] = true
		data := a[name]
		if data == nil {
			return fmt.Errorf("%s lists %q, which is not there", SumsFile, human.Clean(name, maxName))
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != sum {
			return fmt.Errorf("%q was changed: its SHA-256 is %s, and %s says %s", name, got, SumsFile, human.Clean(sum, maxName))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !listed[name] {
			return fmt.Errorf("%q is not listed in %s", name, SumsFile)
		}
	}
	return nil
}
