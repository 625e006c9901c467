package unified

import (
	"path"
	"strings"
)

// CleanPath makes two spellings of a source's path equal.
func CleanPath(p string) string {
	return path.Clean(strings.TrimPrefix(strings.ReplaceAll(p, `\`, "/"), "file://"))
}
