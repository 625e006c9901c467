package clones

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
)

// Libraries are folders by the name of the repository that they are a copy of.
type Libraries map[string]string

// String implements [flag.Value].
func (l Libraries) String() string { return "" }

// Set implements [flag.Value].
func (l Libraries) Set(text string) error {
	called, folder, ok := strings.Cut(text, "=")
	if !ok {
		return errors.New("want NAME=DIR")
	}
	absolute, err := filepath.Abs(folder)
	l[called] = absolute
	return err
}

// Compilers are the versions of solc that the projects ask for that were measured.
func Compilers() []string {
	return []string{"0.8.35", "0.8.30", "0.8.28", "0.8.26", "0.8.25", "0.8.24", "0.8.21", "0.8.20", "0.8.19", "0.8.17", "0.8.15", "0.8.13", "0.8.10", "0.7.6", "0.6.12"}
}

// Sources are where submodules come from.
type Sources struct {
	Clones    []string // folders
	Libraries Libraries
}

// NewSources are the clones that are named, those in a folder, unless that is empty, and
// libraries.
func NewSources(libraries Libraries, folder string, named ...string) (Sources, error) {
	list := named
	if folder != "" {
		more, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			return Sources{}, err
		}
		list = append(list[:len(list):len(list)], more...)
	}
	s := Sources{Libraries: libraries}
	for _, dir := range list {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return Sources{}, err
		}
		s.Clones = append(s.Clones, absolute)
	}
	return s, nil
}

// clone is the clone that has a submodule's commit; false if there is none.
func (s Sources) clone(ctx context.Context, l gitlink) (submodule, bool) {
	for _, clone := range s.Clones {
		if !strings.EqualFold(Name(clone), l.name) {
			continue
		}
		if _, err := Git(ctx, clone, nil, "cat-file", "-e", l.commit+"^{commit}"); err == nil {
			return submodule{clone, l.commit}, true
		}
	}
	return submodule{}, false
}
