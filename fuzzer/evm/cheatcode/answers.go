package cheatcode

import (
	"fmt"
	"maps"
	"slices"
)

// Answers are the answers that an [Edge] has given. They are saved with a World, so that a
// replay without the project gets the same answers.
type Answers struct {
	Root      string              `json:",omitempty"`
	Files     map[string][]byte   `json:",omitempty"` // by path as it was asked for
	Artifacts map[string]Artifact `json:",omitempty"` // by name, likewise
	size      int
}

// Artifact is the code of a contract of the build.
type Artifact struct{ Creation, Deployed []byte }

// maxAnswers bounds the answers that are kept, in bytes. Arbitrary; the largest contract's
// code has about 100 kB.
const maxAnswers = 4 << 20

// Recorded returns the edge with a record of its answers from now on, up to maxAnswers bytes.
func (e Edge) Recorded() (Edge, *Answers) {
	a := &Answers{Root: e.Root, Files: map[string][]byte{}, Artifacts: map[string]Artifact{}}
	recorded := e
	if e.ReadFile != nil {
		recorded.ReadFile = func(path string) ([]byte, error) {
			data, err := e.ReadFile(path)
			if _, known := a.Files[path]; err == nil && !known && a.room(len(path)+len(data)) {
				a.Files[path] = data
			}
			return data, err
		}
	}
	if e.Artifact != nil {
		recorded.Artifact = func(name string) (creation, deployed []byte, err error) {
			creation, deployed, err = e.Artifact(name)
			if _, known := a.Artifacts[name]; err == nil && !known && a.room(len(name)+len(creation)+len(deployed)) {
				a.Artifacts[name] = Artifact{creation, deployed}
			}
			return creation, deployed, err
		}
	}
	return recorded, a
}

func (a *Answers) room(n int) bool {
	if a.size+n > maxAnswers {
		return false
	}
	a.size += n
	return true
}

// Ask asks an edge everything that another one has answered, so that its answers are
// recorded, too. Those that it does not know are left out.
func (a *Answers) Ask(e Edge) {
	if a == nil {
		return
	}
	for _, path := range slices.Sorted(maps.Keys(a.Files)) {
		if e.ReadFile != nil {
			_, _ = e.ReadFile(path)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Artifacts)) {
		if e.Artifact != nil {
			_, _, _ = e.Artifact(name)
		}
	}
}

// Empty reports whether nothing was asked.
func (a *Answers) Empty() bool { return len(a.Files) == 0 && len(a.Artifacts) == 0 }

// Edge gives the same answers again, and no others.
func (a *Answers) Edge() Edge {
	return Edge{
		Root: a.Root,
		ReadFile: func(path string) ([]byte, error) {
			if data, ok := a.Files[path]; ok {
				return data, nil
			}
			return nil, fmt.Errorf("%q was not read when the World was made, and the project's files are no longer available", path)
		},
		Artifact: func(name string) (creation, deployed []byte, err error) {
			if code, ok := a.Artifacts[name]; ok {
				return code.Creation, code.Deployed, nil
			}
			return nil, nil, fmt.Errorf("the code of %q was not asked for when the World was made, and the build is no longer available", name)
		},
	}
}
