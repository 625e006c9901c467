package harness

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestWatchTree: a process that this one starts is among its descendants, unless it is
// left out.
func TestWatchTree(t *testing.T) {
	tree, apart := WatchTree(os.Getpid()), WatchTree(os.Getpid(), "sleep")
	if err := exec.Command("sleep", "1.5").Run(); err != nil {
		t.Fatal(err)
	}
	tree.Stop()
	apart.Stop()
	if tree.Others() < 3*sampleEvery || tree.Others() > 5*time.Second || tree.Memory() < 1<<20 {
		t.Errorf("%v, %v bytes", tree.Others(), tree.Memory())
	}
	if apart.Others() > 2*sampleEvery { // before it is called so
		t.Errorf("%v of a process that does not count", apart.Others())
	}
}
