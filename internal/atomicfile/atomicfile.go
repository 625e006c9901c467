// Package atomicfile writes files so that readers see either the whole new contents or the
// old ones.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
)

// Write writes data to the file name, completely or not at all, even if the process is
// killed: it writes a temporary file in the same folder and renames it. The file is readable
// by every user, since a later step of a job may run as another user.
func Write(name string, data []byte) error {
	folder, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer folder.Close()
	return WriteIn(folder, filepath.Base(name), data)
}

// WriteIn is Write for a file of an open folder. What has its name is replaced, not followed
// or written to: a symbolic link, a pipe, a file with other names.
func WriteIn(folder *os.Root, name string, data []byte) error {
	// Of its own length, since the name may be as long as the system allows.
	temporary := ".sightline-" + rand.Text()
	f, err := folder.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = folder.Rename(temporary, name)
	}
	if err != nil {
		_ = folder.Remove(temporary) // err describes the problem
	}
	return err
}
