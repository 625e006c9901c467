package harness

import (
	"os"
	"os/exec"
	"testing"
)

// allocates names the variable that makes TestLimitMemory the process to limit.
const allocates = "FRAME_TEST_ALLOCATES"

// TestLimitMemory: a process that runs away ends.
func TestLimitMemory(t *testing.T) {
	if os.Getenv(allocates) != "" {
		if err := limitMemory(256 << 20); err != nil {
			t.Fatal(err)
		}
		var kept [][]byte
		for range 64 {
			block := make([]byte, 16<<20)
			touch(block)
			kept = append(kept, block)
		}
		t.Logf("%d blocks", len(kept))
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestLimitMemory$")
	cmd.Env = append(os.Environ(), allocates+"=1")
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("a gigabyte was allocated: %s", out)
	}
}

// TestWatchMemory: what a process has held for a moment is known.
func TestWatchMemory(t *testing.T) {
	const block = 256 << 20
	stop := WatchMemory(os.Getpid())
	touch(make([]byte, block))
	if peak := stop(); peak < block || peak > 8*block {
		t.Errorf("%v bytes at most, of which %d were allocated", peak, block)
	}
	if peak := WatchMemory(1 << 30)(); peak != 0 { // beyond what Linux numbers processes with
		t.Errorf("a process that does not run held %v bytes", peak)
	}
}

// touch makes memory resident.
func touch(block []byte) {
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
}
