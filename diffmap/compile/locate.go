package compile

import (
	"path/filepath"

	"github.com/sightline-evm/sightline/diffmap/compile/solc"
	"github.com/sightline-evm/sightline/diffmap/compile/sources"
)

// Locate notes where the output's sources lie on disk, as far as they are found
// in the project at root and are the same there.
func (o *Output) Locate(root string, options solc.Options) error {
	p, err := sources.Open(root, options)
	if err != nil {
		return err
	}
	for _, s := range o.Sources {
		file := p.FileOf(s.Path)
		if file == "" {
			continue
		}
		resolved, err := filepath.EvalSymlinks(file)
		if err != nil {
			continue
		}
		if text, err := p.ReadAlone(resolved); err == nil && s.Equals(text) {
			s.File = filepath.ToSlash(resolved)
		}
	}
	return nil
}

// filesOf takes over where the sources of another build of the same project are.
func (o *Output) filesOf(other *Output) {
	files := map[string]string{}
	for _, s := range other.Sources {
		files[s.Path] = s.File
	}
	for _, s := range o.Sources {
		s.File = files[s.Path]
	}
}
