package atomicfile

import (
	"os"
	"path/filepath"
)

// WriteInFolder writes a file whole or not at all, in a folder that is made if need be.
func WriteInFolder(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return Write(file, text)
}
