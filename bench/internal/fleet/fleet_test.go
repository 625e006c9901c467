package fleet

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/internal/testing/long"
)

// TestFleet: whatever is killed or stopped, those that are left come to their end in time, with what they have found. A hub that is
// killed and stays so is for long tests, see [long.Asked]: workers of one process are held to the same by TestNoHub and TestHubGoneAndBack of internal/hub.
func TestFleet(t *testing.T) {
	dir := t.TempDir()
	programs, err := Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	plan := filepath.Join(dir, "plan.tar")
	if err := Plan(t.Context(), "crowdsale", plan); err != nil {
		t.Fatal(err)
	}
	for n, test := range []struct {
		name  string
		o     Options
		limit time.Duration // of a worker
		extra time.Duration
		long  bool
	}{
		{"everything is killed", Options{KillWorkers: 2, KillHub: true, RestartHub: true, MaxBytes: 1 << 20}, 3 * time.Second, 0, false},
		{"the hub is killed", Options{KillWorkers: 1, KillHub: true}, 3 * time.Second, 0, true},
		{"a worker is stopped, and the hub", Options{StopWorker: time.Second, StopHub: 2 * time.Second}, 3 * time.Second, 2 * time.Second, false},
		{"the disk is full", Options{Store: full(t)}, 5 * time.Second, 0, false}, // it takes that to fill it, on a busy machine
	} {
		if test.long && !long.Asked() {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			o := test.o
			o.Programs, o.Plan, o.Dir, o.Workers, o.Timeout = programs, plan, t.TempDir(), 4, test.limit
			o.Rand = rand.New(rand.NewPCG(uint64(n), 0))
			out, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if err := out.Check(test.extra); err != nil {
				t.Errorf("%q: %v", out.Done, err)
			}
			union, least := out.Union()
			if union == 0 || least == 0 {
				t.Errorf("%q: %d targets were reached, and %d by a worker that was left alone", out.Done, union, least)
			}
			if o.Store != "" && !strings.Contains(out.HubSays, "no space left") {
				t.Errorf("the disk was not full: %s", out.HubSays)
			}
			received := 0
			for i := range out.Workers {
				received += out.Workers[i].Received()
			}
			if received == 0 && o.Store == "" {
				t.Errorf("%q: nothing was exchanged", out.Done)
			}
		})
	}
}

// full is a folder on a disk with room for the beginning of a store and no more; where that cannot be made, as it takes root and Linux, one on a
// disk with room.
func full(t *testing.T) string {
	dir := t.TempDir()
	if os.Geteuid() != 0 || exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).Run() != nil {
		t.Log("a small disk cannot be made here: the store is on a large one")
		return ""
	}
	t.Cleanup(func() {
		if err := exec.Command("umount", "-l", dir).Run(); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "store")
}
