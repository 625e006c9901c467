package action

import (
	"cmp"
	"path"
	"path/filepath"
	"strings"

	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// trouble is what is known of an error that ended the run. Its places are named as the project
// names its sources, or as paths of this machine; only those below the repository are kept.
func (a *action) trouble(err error) *report.Trouble {
	var places []report.TroublePlace
	for _, p := range exit.Places(err) {
		file, ok := a.repositoryPath(p.File)
		if !ok || p.Line < 1 {
			continue
		}
		text := cmp.Or(p.Text, strings.Join(strings.Fields(err.Error()), " "))
		places = append(places, report.TroublePlace{File: file, Line: p.Line, Column: p.Column, Text: human.Clean(text, maxLogLine)})
	}
	var fixes []report.Fix
	for _, m := range exit.Fixes(err) {
		fixes = append(fixes, report.Fix{File: m.File, YAML: m.Lines})
	}
	return report.NewTrouble(err.Error(), places, fixes)
}

// repositoryPath is the path in the repository of a file that an error names; false if it is
// not below it.
func (a *action) repositoryPath(file string) (string, bool) {
	if a.run == nil || file == "" || human.Clean(file, maxLogLine) != file {
		return "", false
	}
	if filepath.IsAbs(file) {
		relative, err := filepath.Rel(a.run.Workspace, file)
		return filepath.ToSlash(relative), err == nil && filepath.IsLocal(relative)
	}
	root := filepath.ToSlash(a.settings.Value("root"))
	if filepath.IsAbs(root) || !filepath.IsLocal(filepath.FromSlash(file)) {
		return "", false
	}
	for _, name := range a.configurations() { // named relative to the repository already
		if file == name {
			return file, true
		}
	}
	return path.Join(root, file), true
}
