package shard

import (
	"errors"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/fuzzer/input"
	"github.com/sightline-evm/sightline/internal/bytecode"
)

// Writer writes the folder of a shard.
type Writer struct{}

// NewWriter starts the folder of a shard, which is made if need be. A folder that has another
// shard's files is refused, as one that is no shard's.
func NewWriter(dir string, h Header, space *input.Space, table *bytecode.Table) (*Writer, error) {
	return nil, errors.New("not written yet")
}

// Checkpoint is what a campaign calls, see [fuzzer.Config.Checkpoint]: it writes the folder after a
// target or a finding, and else every second or so. The first failure is what Write returns in the
// end; later calls try again.
func (w *Writer) Checkpoint(e fuzzer.Event, soFar func() *fuzzer.Result) {}

// Write writes the folder with a result and how the shard ended. What was there stays as it was
// until all of it is written.
func (w *Writer) Write(result *fuzzer.Result, end string) error { return nil }
