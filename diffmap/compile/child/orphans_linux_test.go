package child

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A program that leaves others behind, in a session of their own, takes them with it.
func TestOrphans(t *testing.T) {
	dir := t.TempDir()
	keep := exec.Command("sleep", "60")
	if err := keep.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = keep.Process.Kill(); _ = keep.Wait() }()
	end := Orphans()
	program := exec.Command("sh", "-c", `setsid sh -c 'sleep 0.05; sh -c "sleep 0.05; echo > `+dir+`/alive; sleep 60" & sleep 60' >/dev/null 2>&1 & exit 0`)
	if err := program.Run(); err != nil {
		t.Fatal(err)
	}
	before := len(children())
	end()
	if before != 2 || len(children()) != 1 {
		t.Errorf("%d children before, %d after; want the orphan and another, then the other", before, len(children()))
	}
	time.Sleep(200 * time.Millisecond) // in which a survivor would write
	if _, err := os.Stat(filepath.Join(dir, "alive")); err == nil {
		t.Error("an orphan goes on")
	}
	if err := keep.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("a child of our own was ended, too: %v", err)
	}
}
