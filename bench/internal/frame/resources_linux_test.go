package frame

import (
	"os"
	"os/exec"
	"testing"
)

// allocates names the variable that makes TestLimitMemory the process to limit.
const allocates = "FRAME_TEST_ALLOCATES"

// TestLimitMemory: a process that runs away ends; what it held is known.
func TestLimitMemory(t *testing.T) {
	if os.Getenv(allocates) != "" {
		if err := limitMemory(256 << 20); err != nil {
			t.Fatal(err)
		}
		var kept [][]byte
		for range 64 {
			block := make([]byte, 16<<20)
			for i := 0; i < len(block); i += 4096 {
				block[i] = 1
			}
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
	if peak := PeakMemory(cmd.ProcessState); peak < 16<<20 || peak > 400<<20 {
		t.Errorf("it held %v bytes at most", peak)
	}
}
