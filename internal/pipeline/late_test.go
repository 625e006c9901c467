package pipeline

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/internal/pipeline/change"
	"github.com/sightline-evm/sightline/internal/progress"
)

// endsAt ends a context when a text is written.
type endsAt struct {
	text string
	end  context.CancelFunc
}

func (e endsAt) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(e.text)) {
		e.end()
	}
	return len(p), nil
}

// TestBaseInTheLastMoment: a base whose build comes when the time for it has just run out is a base. One that has no
// contracts would be taken for a project that is new.
func TestBaseInTheLastMoment(t *testing.T) {
	useCompilers(t)
	const meter = "// SPDX-License-Identifier: MIT\npragma solidity 0.8.30;\n\ncontract Meter {\n    uint256 public total;\n\n    function add(uint256 x) external {\n        total = x;\n    }\n}\n"
	v := &verdict{
		base: map[string]string{"src/Meter.sol": meter},
		head: map[string]string{"src/Meter.sol": string(bytes.Replace([]byte(meter), []byte("total = x"), []byte("total += x"), 1))},
	}
	options := v.repository(t, filepath.Join(t.TempDir(), "repository"))
	read := func(ctx context.Context, log io.Writer) (int, error) {
		c, err := change.Read(t.Context(), &options, progress.NewLog(log, time.Now))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.StopCompiling)
		sides, err := c.Base(ctx)
		contracts := 0
		for _, side := range sides {
			contracts += len(side.Base.Contracts)
		}
		return contracts, err
	}
	if n, err := read(t.Context(), io.Discard); n != 1 || err != nil { // from here on the compiler's answer is known
		t.Fatalf("%d contracts, %v", n, err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	if n, err := read(ctx, endsAt{"compiling the base version", end}); n != 1 || err != nil {
		t.Errorf("in the last moment: %d contracts, %v", n, err)
	}
	if ctx.Err() == nil {
		t.Error("the time did not run out")
	}
}
