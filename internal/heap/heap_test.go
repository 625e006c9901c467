package heap

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestPercent(t *testing.T) {
	for used, want := range map[uint64]int{0: most, 1 << 20: most, 48 << 20: 400, 96 << 20: 200, 192 << 20: least, 1 << 33: least} {
		if got := percent(used); got != want {
			t.Errorf("%d MB in use may grow by %d%%, want %d%%", used>>20, got, want)
		}
	}
}

// TestLeaveRoom: the percentage follows what is in use, up and down.
func TestLeaveRoom(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetGCPercent(least)
	defer debug.SetGCPercent(before)
	LeaveRoom()
	follows := func(want func(int) bool) bool {
		for range 200 {
			runtime.GC()
			now := debug.SetGCPercent(-1)
			debug.SetGCPercent(now)
			if want(now) {
				return true
			}
			time.Sleep(time.Millisecond)
		}
		return false
	}
	if !follows(func(p int) bool { return p == most }) {
		t.Error("a small heap has no more room than Go's rule gives")
	}
	large := make([]*[1 << 20]byte, 150)
	for i := range large {
		large[i] = new([1 << 20]byte)
	}
	if !follows(func(p int) bool { return p < 200 }) {
		t.Error("a heap of 150 MB may grow as far as a small one")
	}
	runtime.KeepAlive(large)
}
