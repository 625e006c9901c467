package compile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/sightline-evm/sightline/diffmap/compile/reading"
)

// Stale lists the sources that differ from what read answers for their paths,
// in order of id. Age says nothing: texts are compared, or, where the output
// has none, the hashes that contracts' metadata holds. A source without either
// is taken for the same.
//
// deleted lists those that are not there although their folder holds another
// source of the build. A file whose whole folder is missing belongs to a
// dependency that lies elsewhere, or was left out, as packages leave out tests:
// nothing can be said of it.
func (o *Output) Stale(read func(path string) ([]byte, error)) (differing, deleted []string) {
	present := map[string]bool{} // folders
	var missing []string
	for _, s := range o.Sources {
		text, err := read(s.Path)
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, s.Path)
			continue
		}
		present[path.Dir(s.Path)] = true
		if err != nil || !s.Equals(text) {
			differing = append(differing, s.Path)
		}
	}
	for _, name := range missing {
		if present[path.Dir(name)] {
			deleted = append(deleted, name)
		}
	}
	return differing, deleted
}

// Equals reports whether a text is the source's, by text or hash; true where neither is known.
func (s *Source) Equals(text []byte) bool {
	switch {
	case s.Text != nil:
		return bytes.Equal(s.Text, text)
	case s.Keccak256 != nil:
		return bytes.Equal(s.Keccak256, crypto.Keccak256(text))
	}
	return true
}

// CheckSources is an [*reading.Error] of kind ErrStale when sources differ from the files, see
// [Output.Stale]. Deleted ones do not count: tools keep the output of contracts that no
// longer exist.
func (o *Output) CheckSources(read func(path string) ([]byte, error)) error {
	stale, _ := o.Stale(read)
	if len(stale) == 0 {
		return nil
	}
	others := ""
	if len(stale) > 1 {
		others = fmt.Sprintf(" (and %d other sources)", len(stale)-1)
	}
	return &reading.Error{Origin: o.Origin, Place: stale[0], Kind: ErrStale,
		Problem: "the source does not match the build" + others,
		Remedy:  "build again, or give the build of this checkout"}
}
