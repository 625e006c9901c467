package programfile_test

import (
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sightline-evm/sightline/internal/programfile"
)

// With os.WriteFile instead, a few of these fail in every run.
func TestWrittenProgramsRunAtOnce(t *testing.T) {
	folder := t.TempDir()
	var goroutines sync.WaitGroup
	for i := range 8 {
		goroutines.Go(func() {
			path := filepath.Join(folder, string(rune('a'+i)))
			for range 40 {
				if err := programfile.Write(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
					t.Error(err)
				}
				if err := exec.Command(path).Run(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	goroutines.Wait()
}
