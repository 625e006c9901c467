// Package atomicfile writes files so that readers see either the whole new contents or the
// old ones.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write writes data to the file name, completely or not at all, even if the process is
// killed: it writes a temporary file in the same folder and renames it. The file is readable
// by every user, since a later step of a job may run as another user.
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
		_ = os.Remove(temporary.Name()) // err describes the problem
	}
	return err
}
