// Package programfile writes programs that this process is about to run.
package programfile

import (
	"errors"
	"os"
	"syscall"
)

// Write writes a file with exactly the given mode, such that it can be run at once. A child that another goroutine starts while
// the file is open has it open too until it runs its own program, and the kernel runs no file that is open for writing
// (ETXTBSY, go.dev/issue/22315): no child is started meanwhile.
func Write(path string, program []byte, mode os.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return errors.Join(os.WriteFile(path, program, 0o700), os.Chmod(path, mode))
}
