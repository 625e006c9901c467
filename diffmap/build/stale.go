package build

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ethereum/go-ethereum/crypto"
)

// Stale lists the sources that differ from what read answers for their paths,
// in order of id. Age says nothing: texts are compared, or, where the output
// has none, the hashes that contracts' metadata holds. A source without either
// is taken for the same.
//
// A file that does not exist is stale when its top folder holds another source
// of the build: it was deleted or moved. Otherwise it belongs to a dependency
// that lies elsewhere, and nothing can be said.
func (o *Output) Stale(read func(path string) ([]byte, error)) []string {
	differs := map[string]bool{}
	missing := map[string]bool{}
	present := map[string]bool{} // top folders
	for _, s := range o.Sources {
		text, err := read(s.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing[s.Path] = true
		case err != nil || !s.equals(text):
			differs[s.Path] = true
			present[topFolder(s.Path)] = true
		default:
			present[topFolder(s.Path)] = true
		}
	}
	var stale []string
	for _, s := range o.Sources {
		if differs[s.Path] || missing[s.Path] && present[topFolder(s.Path)] {
			stale = append(stale, s.Path)
		}
	}
	return stale
}

// topFolder is the first element of a path of several, else ""; of Hardhat 3's
// dependencies, which are all below npm, that of the dependency.
func topFolder(path string) string {
	if inside, ok := strings.CutPrefix(path, "npm/"); ok {
		return "npm/" + topFolder(inside)
	}
	folder, _, ok := strings.Cut(path, "/")
	if !ok {
		return ""
	}
	return folder
}

func (s *Source) equals(text []byte) bool {
	switch {
	case s.Text != nil:
		return bytes.Equal(s.Text, text)
	case s.Keccak256 != nil:
		return bytes.Equal(s.Keccak256, crypto.Keccak256(text))
	}
	return true
}

// CheckSources is an [*Error] of kind ErrStale when sources do not match the
// files, see [Output.Stale].
func (o *Output) CheckSources(read func(path string) ([]byte, error)) error {
	stale := o.Stale(read)
	if len(stale) == 0 {
		return nil
	}
	others := ""
	if len(stale) > 1 {
		others = fmt.Sprintf(" (and %d other sources)", len(stale)-1)
	}
	return &Error{Origin: o.Origin, Place: stale[0], Kind: ErrStale,
		Problem: "the source does not match the build" + others,
		Remedy:  "build again, or give the build of this checkout"}
}
