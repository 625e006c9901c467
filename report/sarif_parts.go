package report

import (
	"bytes"
	"strings"

	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report/sarif"
)

type sarifBuilder struct {
	r       *Report
	o       Options
	index   map[string]int         // of rules, by id
	sources map[string]*sourceFile // read so far
}

// sourceFile is what locations need of a file of the head version.
type sourceFile struct {
	lines  [][]byte
	hashes []string
}

// levels are the SARIF level of a severity, and GitHub's number for it: above 9.0
// it shows critical, from 7.0 high, from 4.0 medium, below that low. A note is not a
// security alert.
func levels(severity string) (level, security string) {
	switch severity {
	case "note":
		return sarif.Note, ""
	case "low":
		return sarif.Note, "2.0"
	case "medium":
		return sarif.Warning, "5.5"
	case "high":
		return sarif.Error, "8.0"
	}
	return sarif.Error, "9.5"
}

// location is the line of a place; false if it has none that SARIF can name.
func (b *sarifBuilder) location(p Place) (sarif.Location, bool) {
	uri, ok := sarif.FileURI(p.File)
	if !ok || p.Line < 1 || len(p.File) > maxPath {
		return sarif.Location{}, false
	}
	var text []byte
	if src := b.file(p.File); p.Line <= len(src.lines) {
		text = src.lines[p.Line-1]
	}
	return sarif.Location{Physical: sarif.PhysicalLocation{
		Artifact: sarif.ArtifactLocation{URI: uri},
		Region:   sarif.LineRegion(p.Line, text),
	}}, true
}

// hash is the fingerprint of a place's line; empty if its source is not available.
func (b *sarifBuilder) hash(p Place) string {
	if src := b.file(p.File); p.Line <= len(src.hashes) {
		return src.hashes[p.Line-1]
	}
	return ""
}

// file reads a file once.
func (b *sarifBuilder) file(name string) *sourceFile {
	if src := b.sources[name]; src != nil {
		return src
	}
	src := &sourceFile{}
	if text, ok := b.o.source(name); ok {
		src.hashes = sarif.LineHashes(text)
		src.lines = bytes.Split(text, []byte("\n"))
	}
	b.sources[name] = src
	return src
}

// higher is the more severe of two levels.
func higher(a, b string) string {
	switch {
	case a == sarif.Error || b == sarif.Error:
		return sarif.Error
	case a == sarif.Warning || b == sarif.Warning:
		return sarif.Warning
	}
	return sarif.Note
}

// unlinked breaks up what SARIF takes for a link, "[text](target)".
func unlinked(s string) string { return strings.ReplaceAll(s, "](", "] (") }

// unlinkedClean is [human.Clean], and unlinked.
func unlinkedClean(s string, n int) string { return unlinked(human.Clean(s, n)) }

// unbracketed is s as the text of a link.
func unbracketed(s string) string { return strings.NewReplacer("[", "(", "]", ")").Replace(s) }
