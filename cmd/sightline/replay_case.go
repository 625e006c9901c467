package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/internal/bytecode"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/internal/replay"
)

// isCase tells the file of a fault, which machines disagree about, from a
// reproducer.
func isCase(data []byte) bool {
	var file struct {
		WorldHash string `json:"worldHash"`
	}
	return bytes.Contains(data, []byte(`"worldHash"`)) && json.Unmarshal(data, &file) == nil && file.WorldHash != ""
}

// replayCase runs a case on both machines, and reports whether they still disagree.
func (p *program) replayCase(path string, data []byte, asJSON bool) (bool, error) {
	c, err := replay.ReadFault(data)
	if err != nil {
		return false, exit.BadInput("fault %s: %w", path, err)
	}
	difference, err := compareMachines(c)
	if err != nil {
		return false, exit.BadInput("fault %s: %w", path, err)
	}
	if asJSON {
		return difference != "", json.NewEncoder(p.stdout).Encode(map[string]any{"fault": path, "holds": difference != "", "difference": difference})
	}
	if difference == "" {
		fmt.Fprintf(p.stdout, "%s: the machines agree about its %s now\n", path, human.Plural(len(c.Sequence), "call"))
		return false, nil
	}
	fmt.Fprintf(p.stdout, "%s: the machines disagree: %s (the interpreter, then go-ethereum)\n", path, human.Printable(difference))
	return true, nil
}

// compareMachines runs a case on the interpreter and on the reference; "" when
// they agree.
func compareMachines(c *replay.Fault) (string, error) {
	var options []evm.Option
	if c.Lifted {
		options = append(options, evm.LiftCodeSizeLimits)
	}
	table := bytecode.NewTable(nil)
	reference, err := evm.NewReference(c.World, table, options...)
	if err != nil {
		return "", err
	}
	ours, err := evm.NewInterpreter(c.World, table, options...)
	if err != nil {
		return "", err
	}
	want, err := reference.Run(c.Sequence)
	if err != nil {
		return "", err
	}
	got, err := ours.Run(c.Sequence)
	if err != nil {
		return err.Error(), nil //nolint:nilerr // that ours fails is what the case shows
	}
	if d := evm.Differ(got, want); d != nil {
		return d.String(), nil
	}
	if d := evm.DifferWorlds(ours.Export(), reference.Export()); d != nil {
		return d.String(), nil
	}
	return "", nil
}
