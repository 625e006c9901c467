package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/sightline-evm/sightline/bench/internal/harness"
	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/evm/evmtest"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/replay"
)

func small(t *testing.T) *harness.Run {
	asked.programs, asked.calls, asked.onlyExamples = 400, 1500, true
	return &harness.Run{Seed: 1, Cache: t.TempDir(), Log: io.Discard, Now: func() time.Time { return time.Unix(0, 0) }}
}

func TestAgreement(t *testing.T) {
	result, err := measure(context.Background(), small(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, least := range map[string]float64{"programs": 400, "calls": 400, "campaignCalls": 1000} {
		if result.Summary[name] < least {
			t.Errorf("%s: %v, want at least %v", name, result.Summary[name], least)
		}
	}
	if result.Summary["mismatches"] != 0 {
		t.Errorf("mismatches: %+v", result.Summary)
	}
}

// wrong is a machine that thinks frames that end with RETURN used more gas.
type wrong struct{ evm.Exporter }

func (w wrong) Run(seq evm.Sequence) (*evm.Execution, error) {
	exec, err := w.Exporter.Run(seq)
	if err != nil {
		return nil, err
	}
	exec = exec.Clone()
	for i := range exec.Frames {
		if f := &exec.Frames[i]; f.Program != nil && int(f.LastPC) < len(f.Program.Bytes) && vm.OpCode(f.Program.Bytes[f.LastPC]) == vm.RETURN {
			f.GasUsed++
		}
	}
	return exec, nil
}

// TestMismatch: a machine that is wrong is found in every part of the run, and what
// shows it is kept.
func TestMismatch(t *testing.T) {
	right := newOurs
	t.Cleanup(func() { newOurs = right })
	newOurs = func(w *evm.World, table *bytecode.Table, options ...evm.Option) (evm.Exporter, error) {
		m, err := right(w, table, options...)
		return wrong{m}, err
	}
	run := small(t)
	result, err := measure(context.Background(), run)
	if err == nil || !strings.Contains(err.Error(), ".GasUsed is ") {
		t.Fatalf("error %v", err)
	}
	for _, row := range result.Tables[0].Rows {
		if row[3] == "0" {
			t.Errorf("no mismatch in %s", row[0])
		}
	}
	kept, err := filepath.Glob(filepath.Join(run.Cache, "differential", "*.json"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("kept: %v, %v", kept, err)
	}
	data, err := os.ReadFile(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	c, err := replay.ReadFault(data)
	if err != nil {
		t.Fatal(err)
	}
	var options []evm.Option
	if c.Lifted {
		options = append(options, evm.LiftCodeSizeLimits)
	}
	ours, reference, err := machines(c.World, nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := evmtest.Compare(ours, reference, c.Sequence); err != nil || d == nil {
		t.Errorf("the kept case shows no mismatch: %v", err)
	}
}
