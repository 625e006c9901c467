package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/replay"
)

// mismatch is something that the machines disagree about, or that one of them
// failed on.
type mismatch struct {
	world    *evm.World
	sequence evm.Sequence
	lifted   bool
	what     string
}

// keep writes mismatches to files, and makes an error of each.
func keep(run *harness.Run, mismatches []mismatch) []error {
	var errs []error
	folder := filepath.Join(run.Cache, "differential")
	for _, m := range mismatches {
		data, err := (&replay.Fault{World: m.world, Sequence: m.sequence, Lifted: m.lifted, Difference: m.what}).Marshal()
		if err == nil {
			err = os.MkdirAll(folder, 0o755)
		}
		name := filepath.Join(folder, fmt.Sprintf("%x.json", sha256.Sum256(data)))
		if err == nil {
			err = os.WriteFile(name, data, 0o600)
		}
		if err != nil {
			name = "a case that could not be kept: " + err.Error()
		}
		errs = append(errs, fmt.Errorf("%s: %s", name, m.what))
	}
	return errs
}
