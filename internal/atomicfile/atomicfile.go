// Package atomicfile writes files so that whoever reads them sees all of them, or what was
// there before.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write writes data to the file name, whole or not at all, whenever the process is killed:
// it writes another file in the same folder and renames it. All users may read the file,
// since a later step of a job may run as another one.
func Write(name string, data []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(data)
	err = errors.Join(err, temporary.Chmod(0o644), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), name)
	}
	if err != nil {
		_ = os.Remove(temporary.Name()) // err says what is wrong
	}
	return err
}
