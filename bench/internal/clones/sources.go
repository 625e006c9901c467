package clones

import (
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

// Sources are the clones that submodules are taken from: those that are named, and the
// folders of another one, unless that is empty.
func Sources(folder string, named ...string) ([]string, error) {
	list := named
	if folder != "" {
		more, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			return nil, err
		}
		list = append(list[:len(list):len(list)], more...)
	}
	absolute := make([]string, len(list))
	for i, dir := range list {
		var err error
		if absolute[i], err = filepath.Abs(dir); err != nil {
			return nil, err
		}
	}
	return absolute, nil
}
