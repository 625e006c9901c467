package change

import (
	"strings"

	"github.com/sightline-evm/sightline/diffmap/unified"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Head is the head version of a file, by its path in the repository: from disk, otherwise
// from a build. A diff of a package often comes with a build only.
func (c *Change) Head(path string) ([]byte, error) {
	text, err := c.read(path)
	if err == nil {
		return text, nil
	}
	for _, o := range c.Outputs {
		for _, s := range o.Sources {
			if s.Path == path && s.Text != nil {
				return s.Text, nil
			}
		}
	}
	return nil, err
}

// HeadOf is the head version of a source of the diff; nil when there is none.
func (c *Change) HeadOf(f *unified.File) ([]byte, error) {
	if text, ok := c.Paths.Heads[f.NewPath]; ok || f.NewPath == "" || !IsSource(f.NewPath) || f.Symlink || f.Submodule || f.Binary {
		return text, nil
	}
	return c.Head(f.NewPath)
}

// Source serves the head version's text of a file to the report.
func (c *Change) Source(file string) ([]byte, bool) {
	text, err := c.Head(file)
	return text, err == nil
}

// maxText bounds the text of a line in the report, bytes; arbitrary.
const maxText = 200

// LineText is the text of a line of the head version, trimmed. A file is read
// once: a pull request may have thousands of lines in it.
func (c *Change) LineText(at bytecode.Position) string {
	lines, known := c.texts[at.File]
	if !known {
		if c.texts == nil {
			c.texts = map[string][]string{}
		}
		if text, err := c.Head(at.File); err == nil {
			lines = strings.Split(string(text), "\n")
		}
		c.texts[at.File] = lines // nil for a missing file
	}
	if at.Line < 1 || at.Line > len(lines) {
		return ""
	}
	line := strings.TrimSpace(strings.ToValidUTF8(lines[at.Line-1], "�"))
	if len(line) > maxText {
		line = strings.ToValidUTF8(line[:maxText], "")
	}
	return line
}
