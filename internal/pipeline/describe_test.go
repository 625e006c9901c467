package pipeline

import (
	"testing"

	"github.com/sightline-evm/sightline/fuzzer/evm"
	"github.com/sightline-evm/sightline/fuzzer/world"
	"github.com/sightline-evm/sightline/internal/pipeline/deploy"
	"github.com/sightline-evm/sightline/internal/replay"
)

// TestFaultIsKept: what the machines of a campaign disagree about becomes a fault
// with a file that shows it again.
func TestFaultIsKept(t *testing.T) {
	d := &describer{head: &deploy.Deployment{World: world.Empty("")}, files: &replay.Files{}}
	seq := evm.Sequence{{From: world.Deployer.Address, To: world.User1.Address}}
	f := d.fault("the machines disagree", "its input", &evm.Mismatch{Sequence: seq, Difference: "Frames[0].GasUsed is 1 and 2"})
	if f.Message != "the machines disagree" || f.Input != "its input" {
		t.Errorf("fault %+v", f)
	}
	data := d.files.Cases[f.File]
	if !replay.IsFault(data) {
		t.Fatalf("the file %s is not that of a fault: %s", f.File, data)
	}
	c, err := replay.ReadFault(data)
	if err != nil {
		t.Fatal(err)
	}
	if c.Difference != "Frames[0].GasUsed is 1 and 2" || !c.Lifted || len(c.Sequence) != 1 || len(c.World.Accounts) != len(d.head.World.Accounts) {
		t.Errorf("case %+v", c)
	}
	if difference, err := c.Disagreement(); err != nil || difference != "" {
		t.Errorf("the machines disagree about a call to an account without code: %s, %v", difference, err)
	}
	if plain := d.fault("a panic", "", nil); plain.File != "" || len(d.files.Cases) != 1 {
		t.Errorf("a fault without a mismatch has the file %q", plain.File)
	}
}
