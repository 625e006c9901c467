package unified

import "strings"

// Pin is a change of the commit that a submodule is at.
type Pin struct {
	Path     string // of the submodule in the repository
	Old, New string // commits; empty on the side without the submodule
}

// Pins lists the submodules that the diff changes.
func (d *Diff) Pins() []Pin {
	var pins []Pin
	for i := range d.Files {
		f := &d.Files[i]
		if !f.Submodule {
			continue
		}
		pin := Pin{Path: CleanPath(f.Path())}
		for _, e := range f.Edits {
			pin.Old, pin.New = pinOf(pin.Old, e.Old), pinOf(pin.New, e.New)
		}
		pins = append(pins, pin)
	}
	return pins
}

// pinOf is the commit that a line of a submodule's diff names, else what was known
// before.
func pinOf(known string, lines []string) string {
	for _, line := range lines {
		if commit, ok := strings.CutPrefix(line, subprojectCommit); ok {
			return strings.TrimSuffix(strings.TrimSpace(commit), "-dirty")
		}
	}
	return known
}
